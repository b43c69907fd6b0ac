// A name for the schema that the migrations make. Databases that tests copy bear it, so that programs of two versions
// never share one.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "storage/migrations.hpp"

namespace consentry::tests {

inline std::string schema_digest() {
    std::string all;
    for (const storage::Migration& migration : storage::migrations())
        for (const std::string_view statement : migration.statements) all += statement;
    return to_hex(crypto::sha256(all)).substr(0, 16);
}

}  // namespace consentry::tests
