# consentry_library(name SOURCES ... LINKS ...): a static library of one folder of src/.
# A folder may include only what it links (tests/rules checks the includes as well).
function(consentry_library name)
  cmake_parse_arguments(LIB "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${LIB_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${LIB_LINKS} PRIVATE consentry_warnings)
  if(name STREQUAL consentry_app)
    target_compile_options(${name} PRIVATE ${consentry_quick_options})
    target_precompile_headers(${name} REUSE_FROM consentry_precompiled_app)
  elseif(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/src/(features|pages|app)(/|$)")
    target_compile_options(${name} PRIVATE ${consentry_quick_options})
    target_precompile_headers(${name} REUSE_FROM consentry_precompiled_feature)
  else()
    target_precompile_headers(${name} REUSE_FROM consentry_precompiled)
  endif()
endfunction()

# How a program of the tests is compiled.
function(consentry_compile_for_tests name)
  cmake_parse_arguments(PROGRAM "" "" "LINKS" ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${PROGRAM_LINKS} consentry_warnings)
  target_compile_options(${name} PRIVATE ${consentry_quick_options})
  if(PROGRAM_LINKS MATCHES "consentry_test_(support|peers|process)")
    target_precompile_headers(${name} REUSE_FROM consentry_precompiled_service_tests)
  else()
    target_precompile_headers(${name} REUSE_FROM consentry_precompiled_tests)
  endif()
endfunction()

# consentry_test_helper(name SOURCES ... LINKS ...): a program that tests start.
function(consentry_test_helper name)
  cmake_parse_arguments(HELPER "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${HELPER_SOURCES})
  consentry_compile_for_tests(${name} LINKS ${HELPER_LINKS} GTest::gmock)
endfunction()

# consentry_test(name SOURCES ... LINKS ... [TIMEOUT s] [COST n] [LABELS ...] [ENGINES] [ALSO_ON_SHARED_ENGINES] [S3]): one
# GoogleTest program. CTest knows each of its suites as <name>.<suite> and runs it in a process of its own: the tests of
# a suite share what a process sets up once, and suites run side by side.
# TIMEOUT: of one test, in seconds.
# COST: of one test, compared with others. CTest starts the suites with the highest cost first, so that no long one is
# left for the end of a run.
# ENGINES: its tests use the shared PostgreSQL and Redis (tests/support/shared_engines.hpp).
# ALSO_ON_SHARED_ENGINES: every suite runs once more as <name>.<suite>.shared, label "shared", with the shared servers and
# CONSENTRY_TEST_ENGINES=shared in the environment.
# S3: its tests use the shared S3 servers (tests/support/s3_server.hpp).
function(consentry_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(TEST "ENGINES;ALSO_ON_SHARED_ENGINES;S3" "TIMEOUT;COST" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  consentry_compile_for_tests(${name} LINKS ${TEST_LINKS} GTest::gmock_main)
  set(fixtures "")
  if(TEST_S3)
    list(APPEND fixtures s3)
  endif()
  # CTest reads this file before each run, so that the suites are those of the program as it is built then.
  set(suites ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
  file(GENERATE OUTPUT ${suites} CONTENT "
set(program [[$<TARGET_FILE:${name}>]])
set(name ${name})
set(folder [[${PROJECT_SOURCE_DIR}]])
set(timeout ${TEST_TIMEOUT})
set(cost ${TEST_COST})
set(labels [[${TEST_LABELS}]])
set(fixtures [[${fixtures}]])
set(engines ${TEST_ENGINES})
set(also_on_shared_engines ${TEST_ALSO_ON_SHARED_ENGINES})
include([[${PROJECT_SOURCE_DIR}/cmake/add_suites.cmake]])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suites})
endfunction()
