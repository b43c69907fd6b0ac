#include "app/commands.hpp"

// GnuTLS comes along with libraries of libpq's and curl's that are never called. Without this it readies itself before
// main() all the same, at the cost of nearly a mebibyte; its manual has this function for programs that do not want
// that. Whoever uses it after all readies it first.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the name is GnuTLS's
extern "C" int _gnutls_global_init_skip() { return 1; }

int main(int argc, char** argv) { return consentry::run_command_line(argc, argv); }
