#include "app/commands.hpp"

int main(int argc, char** argv) { return consentry::run_command_line(argc, argv); }
