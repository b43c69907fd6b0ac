// Manual pages, generated from the table of commands and the table of settings.
#pragma once

#include <string>
#include <vector>

#include "app/commands/table/outline.hpp"

namespace consentry {

struct ManualPage {
    std::string file;  // "consentry-user.1"
    std::string text;  // troff with the macros of man(7)
};

// consentry(1), a page for each command that has commands of its own or options, and consentry.env(5).
std::vector<ManualPage> manual_pages(const OutlinedCommand& program, std::string_view version);

}  // namespace consentry
