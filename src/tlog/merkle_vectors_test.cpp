// Tests against the proofs that transparency-dev/merkle publishes, right ones and wrong ones
// (tests/support/test_data.hpp). Each test checks the number of cases, so that a missing file cannot pass.
#include <algorithm>
#include <filesystem>
#include <functional>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "base/whole_file.hpp"
#include "tests/support/test_data.hpp"
#include "tlog/merkle.hpp"

namespace consentry::tlog {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

// Calls `check` for each file below a folder. Returns the number of files.
std::size_t each(std::string_view kind, const std::function<void(const json::object&)>& check) {
    const fs::path path = tests::test_data("merkle") / "testdata" / kind;
    if (!fs::is_directory(path)) return 0;
    std::size_t count = 0;
    for (const auto& file : fs::recursive_directory_iterator(path)) {
        if (file.path().extension() != ".json") continue;
        SCOPED_TRACE(file.path().string());
        check(json::parse(read_whole_file(file.path()).value()).as_object());
        ++count;
    }
    return count;
}

// Some cases have bytes of another length where a hash should be, and compare two roots of this kind. The type Hash has
// no such values, so a digest stands for them: equal for equal roots, and the hash of nothing else.
Hash hash_of(const json::value& value, std::string_view role) {
    const auto bytes = from_base64(value.as_string()).value();
    Hash hash;
    if (bytes.size() != hash.size()) return crypto::sha256(std::string(role) + " without a hash: " + to_hex(bytes));
    std::ranges::copy(bytes, hash.begin());
    return hash;
}
Hash root_of(const json::object& test, std::string_view name) { return hash_of(test.at(name), "root"); }

std::vector<Hash> proof_of(const json::object& test) {
    std::vector<Hash> proof;
    if (!test.at("proof").is_null())
        for (const json::value& one : test.at("proof").as_array()) proof.push_back(hash_of(one, "proof"));
    return proof;
}

std::uint64_t number(const json::object& test, std::string_view name) {
    return test.at(name).to_number<std::uint64_t>();
}

#define SKIP_WITHOUT_VECTORS(count) \
    if ((count) == 0) GTEST_SKIP() << tests::no_test_data

TEST(MerkleVectors, Inclusion) {
    const auto count = each("inclusion", [](const json::object& test) {
        const auto verified = verify_inclusion(hash_of(test.at("leafHash"), "leaf"), number(test, "leafIdx"),
                                               number(test, "treeSize"), proof_of(test), root_of(test, "root"));
        EXPECT_EQ(verified.has_value(), !test.at("wantErr").as_bool()) << test.at("desc");
    });
    SKIP_WITHOUT_VECTORS(count);
    EXPECT_EQ(count, 98U);
}

TEST(MerkleVectors, Consistency) {
    const auto count = each("consistency", [](const json::object& test) {
        const auto verified = verify_consistency(number(test, "size1"), root_of(test, "root1"), number(test, "size2"),
                                                 root_of(test, "root2"), proof_of(test));
        EXPECT_EQ(verified.has_value(), !test.at("wantErr").as_bool()) << test.at("desc");
    });
    SKIP_WITHOUT_VECTORS(count);
    EXPECT_EQ(count, 98U);
}

}  // namespace
}  // namespace consentry::tlog
