#include "app/commands/commands.hpp"

// GnuTLS comes along with libraries of libcurl's that are never called. Without this it readies itself as soon as
// libcurl is loaded, at the cost of nearly a mebibyte. This is what GNUTLS_SKIP_GLOBAL_INIT of its manual stands for.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the name is GnuTLS's
extern "C" int _gnutls_global_init_skip() { return 1; }

int main(int argc, char** argv) { return consentry::run_command_line(argc, argv); }
