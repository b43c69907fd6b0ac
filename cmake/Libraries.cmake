# consentry_library(name SOURCES ... LINKS ...): a static library of one folder of src/.
# A folder may include only what it links (tests/rules checks the includes as well).
function(consentry_library name)
  cmake_parse_arguments(LIB "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${LIB_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${LIB_LINKS} PRIVATE consentry_warnings)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/src/(features|app)(/|$)")
    target_precompile_headers(${name} REUSE_FROM consentry_precompiled_features)
  else()
    target_precompile_headers(${name} REUSE_FROM consentry_precompiled)
  endif()
endfunction()

# consentry_test(name SOURCES ... LINKS ... [TIMEOUT s] [COST n] [LABELS ...] [ENGINES] [ALSO_ON_SHARED_ENGINES] [S3]): one GoogleTest
# program, each of its tests known to CTest by name, so that all run side by side.
# COST: CTest starts the tests with the highest first, so that no long one is left for the end of a run.
# ENGINES: its tests use the shared PostgreSQL and Redis (tests/support/shared_engines.hpp).
# ALSO_ON_SHARED_ENGINES: every test once more as <name>.shared, label "shared", with the shared servers and
# CONSENTRY_TEST_ENGINES=shared in the environment.
# S3: its tests use the shared S3 servers (tests/support/s3_server.hpp).
function(consentry_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(TEST "ENGINES;ALSO_ON_SHARED_ENGINES;S3" "TIMEOUT;COST" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${TEST_LINKS} GTest::gmock_main consentry_warnings)
  target_compile_options(${name} PRIVATE ${consentry_test_options})
  if(consentry_test_support IN_LIST TEST_LINKS)
    target_precompile_headers(${name} REUSE_FROM consentry_precompiled_service_tests)
  else()
    target_precompile_headers(${name} REUSE_FROM consentry_precompiled_tests)
  endif()
  set(discovery DISCOVERY_MODE PRE_TEST WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set(properties TIMEOUT ${TEST_TIMEOUT})
  if(TEST_COST)
    list(APPEND properties COST ${TEST_COST})
  endif()
  set(with_engines FIXTURES_REQUIRED engines)
  if(TEST_S3)
    list(APPEND properties FIXTURES_REQUIRED s3)
  endif()
  if(TEST_ALSO_ON_SHARED_ENGINES)
    gtest_discover_tests(${name} ${discovery} TEST_SUFFIX .shared
      PROPERTIES ${properties} ${with_engines} LABELS shared ENVIRONMENT CONSENTRY_TEST_ENGINES=shared)
  endif()
  if(TEST_ENGINES)
    list(APPEND properties ${with_engines})
  endif()
  if(TEST_LABELS)
    list(APPEND properties LABELS ${TEST_LABELS})
  endif()
  gtest_discover_tests(${name} ${discovery} PROPERTIES ${properties})
endfunction()
