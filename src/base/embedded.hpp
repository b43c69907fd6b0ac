// A file that consentry_embed() (cmake/EmbedFiles.cmake) compiled into the program.
#pragma once

#include <span>
#include <string_view>

namespace consentry {

struct EmbeddedFile {
    std::string_view name;   // without its folder: "0001_users.sql"
    std::string_view bytes;  // valid for the lifetime of the program
};

}  // namespace consentry
