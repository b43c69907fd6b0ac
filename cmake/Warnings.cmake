# CONSENTRY_WERROR=ON makes warnings errors. The presets for development set it, so that a warning ends a developer's build
# and not only CI's. A release build has it in CI alone: a newer compiler with new warnings must not keep users from building.
option(CONSENTRY_WERROR "Treat warnings as errors" OFF)

add_library(consentry_warnings INTERFACE)
target_compile_options(consentry_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow=local)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(consentry_warnings INTERFACE -Wno-unknown-warning-option -Wno-shadow=local)
endif()
if(CONSENTRY_WERROR)
  target_compile_options(consentry_warnings INTERFACE -Werror)
endif()
