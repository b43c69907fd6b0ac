// What a person can type. Exit codes: 0 done, 2 wrong use or settings, 1 anything else. Messages for people go to
// standard error, results to standard output; secrets are read from standard input, never from arguments.
#pragma once

namespace consentry {

int run_command_line(int argc, char** argv);

}  // namespace consentry
