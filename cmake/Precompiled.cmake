# Half the time of an optimizing compiler goes into code that a test run passes once: endpoints, pages, commands, tests.
# The sanitizers stay with the preset's choice, for without it they are slow.
set(consentry_quick_options "")
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT CONSENTRY_SANITIZE)
  set(consentry_quick_options -O0)
endif()

# Headers that nearly every file takes in, read once: a third to a half of the time of a build. Libraries and programs
# are compiled as different kinds of position-independent code, so each kind has its own. `script/lint --includes` builds
# without them, so that it notices a file that forgets an include.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/precompiled)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/library.cpp CONTENT "")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/test.cpp CONTENT "int main() {}\n")
set(consentry_outside_headers
  <algorithm> <array> <atomic> <chrono> <cstdint> <exception> <expected> <filesystem> <functional> <map> <memory> <mutex>
  <optional> <ranges> <span> <stdexcept> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>
  <boost/asio/awaitable.hpp> <boost/asio/co_spawn.hpp> <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp>
  <boost/asio/steady_timer.hpp> <boost/asio/use_awaitable.hpp> <boost/json.hpp> <fmt/format.h>)

add_library(consentry_precompiled STATIC ${PROJECT_BINARY_DIR}/precompiled/library.cpp)
target_link_libraries(consentry_precompiled PRIVATE consentry_boost fmt::fmt)
target_precompile_headers(consentry_precompiled PRIVATE ${consentry_outside_headers})

# Features share a core besides: the database, accounts, their audit, and endpoints. The program takes in all features.
# With these read once, the libraries of features compile a fifth faster.
set(consentry_feature_headers ${consentry_outside_headers})
foreach(header IN ITEMS features/activity/audit features/mail/mails features/users/actor features/users/user
                        http/endpoint http/reply storage/columns storage/database storage/list_sql storage/sql)
  list(APPEND consentry_feature_headers ${PROJECT_SOURCE_DIR}/src/${header}.hpp)
endforeach()
set(consentry_app_headers ${consentry_feature_headers} ${PROJECT_SOURCE_DIR}/src/app/services.hpp)
foreach(part IN ITEMS feature app)
  add_library(consentry_precompiled_${part} STATIC ${PROJECT_BINARY_DIR}/precompiled/library.cpp)
  target_include_directories(consentry_precompiled_${part} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(consentry_precompiled_${part} PRIVATE ${consentry_quick_options})
  # Definitions must be those of the files that use the result: spdlog without its own puts its whole implementation
  # into each of them.
  target_link_libraries(consentry_precompiled_${part} PRIVATE consentry_asio consentry_boost fmt::fmt spdlog::spdlog)
  target_precompile_headers(consentry_precompiled_${part} PRIVATE ${consentry_${part}_headers})
endforeach()

if(BUILD_TESTING)
  set(consentry_test_headers ${consentry_outside_headers} <fstream> <set> <gtest/gtest.h> <gmock/gmock.h>)
  add_executable(consentry_precompiled_tests ${PROJECT_BINARY_DIR}/precompiled/test.cpp)
  target_link_libraries(consentry_precompiled_tests PRIVATE consentry_boost consentry_asio fmt::fmt GTest::gmock)
  target_compile_options(consentry_precompiled_tests PRIVATE ${consentry_quick_options})
  target_precompile_headers(consentry_precompiled_tests PRIVATE ${consentry_test_headers})

  # Tests through the front door take in the whole service besides, which costs as much as all other headers together.
  add_executable(consentry_precompiled_service_tests ${PROJECT_BINARY_DIR}/precompiled/test.cpp)
  target_include_directories(consentry_precompiled_service_tests PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(consentry_precompiled_service_tests PRIVATE consentry_app SQLite::SQLite3 GTest::gmock)
  target_compile_options(consentry_precompiled_service_tests PRIVATE ${consentry_quick_options})
  target_precompile_headers(consentry_precompiled_service_tests PRIVATE ${consentry_test_headers}
    ${PROJECT_SOURCE_DIR}/src/app/app.hpp ${PROJECT_SOURCE_DIR}/tests/support/service.hpp)
endif()
