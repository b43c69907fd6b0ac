// The command line. Exit codes: 0 success, 2 wrong usage or settings, 1 any other failure, also if results cannot be
// written. Messages for people go to standard error, results to standard output. Secrets are read from standard input,
// never from arguments.
#pragma once

namespace consentry {

int run_command_line(int argc, char** argv);

}  // namespace consentry
