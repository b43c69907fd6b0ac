// Scripts that complete the command line in bash, zsh and fish.
#pragma once

#include <string>

#include "app/commands/table/outline.hpp"

namespace consentry {

std::string bash_completion(const OutlinedCommand& program);
std::string zsh_completion(const OutlinedCommand& program);
std::string fish_completion(const OutlinedCommand& program);

}  // namespace consentry
