# The outside headers that nearly every file takes in, read once: a third to a half of the time of a build. Two, because
# libraries and programs are compiled as different kinds of position-independent code. Preset release goes without, so a
# file that forgets an include does not stay unnoticed.
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

if(BUILD_TESTING)
  add_executable(consentry_precompiled_tests ${PROJECT_BINARY_DIR}/precompiled/test.cpp)
  target_link_libraries(consentry_precompiled_tests PRIVATE consentry_boost consentry_asio fmt::fmt GTest::gmock)
  target_precompile_headers(consentry_precompiled_tests PRIVATE
    ${consentry_outside_headers} <fstream> <set> <gtest/gtest.h> <gmock/gmock.h>)
endif()
