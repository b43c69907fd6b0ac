# Warnings are errors in CI (CONSENTRY_WERROR=ON), not for somebody who builds with a newer compiler.
option(CONSENTRY_WERROR "Treat warnings as errors" OFF)

add_library(consentry_warnings INTERFACE)
target_compile_options(consentry_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow=local)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(consentry_warnings INTERFACE -Wno-unknown-warning-option -Wno-shadow=local)
endif()
if(CONSENTRY_WERROR)
  target_compile_options(consentry_warnings INTERFACE -Werror)
endif()
