# C++23 and coroutines that can be trusted.
#
# g++ 12 and 13 destroy some temporaries twice when they are made in the same full expression as a
# co_await (GCC bugs 99576, 104031, 107288): a double free without a warning. The fix came with g++ 14.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR
    "g++ ${CMAKE_CXX_COMPILER_VERSION} miscompiles coroutines: temporaries made beside a co_await are "
    "destroyed twice. Use clang 19 (script/bootstrap installs it; the presets choose it) or g++ 14 or newer.")
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR
    "clang ${CMAKE_CXX_COMPILER_VERSION} does not provide std::expected with libstdc++. "
    "Use clang 19 (script/bootstrap installs it; the presets choose it).")
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Debug information takes a tenth of the time of a build with tests.
option(CONSENTRY_DEBUG_INFO "Debug information, in the presets that have it" ON)
if(NOT CONSENTRY_DEBUG_INFO)
  add_compile_options(-g0)  # after the options of the preset
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Both for precompiled headers, which ccache otherwise leaves alone: no __TIME__ in what we write, and a header counts
  # by its content. Only Clang writes times into them, and only Clang knows the option.
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)  # script/package names another one
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
