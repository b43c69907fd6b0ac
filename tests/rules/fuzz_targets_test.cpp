// OPS-6: every parser of untrusted bytes has a fuzz target with seeds, and script/fuzz runs all targets.
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

struct Reader {
    std::string_view target;
    std::string_view header;  // declares the parser
};
constexpr Reader readers[] = {
    {"http_reader", "http/message_reader.hpp"},
    {"query", "http/endpoint.hpp"},
    {"upload", "http/upload.hpp"},
    {"form", "http/form.hpp"},
    {"html_template", "pages/html_template.hpp"},
    {"email_address", "base/email_address.hpp"},
    {"origin", "http/steps/cors.hpp"},
    {"forwarded_for", "http/steps/client_address.hpp"},
    {"cursor", "http/paging/cursor.hpp"},
    {"strict_json", "base/strict_json.hpp"},
    {"redaction", "base/redaction.hpp"},
    {"signed_token", "crypto/jws.hpp"},
    {"text_forms", "base/bytes.hpp"},
    {"sealed_record", "crypto/aead.hpp"},
    {"argon2_text", "crypto/argon2/encoded.hpp"},
    {"markdown", "markup/markdown.hpp"},
    {"dotenv", "app/config/dotenv.hpp"},
    {"signed_note", "tlog/note.hpp"},
    {"note_key", "tlog/note_keys.hpp"},
    {"checkpoint", "tlog/checkpoint.hpp"},
    {"proof_file", "tlog/proof_file.hpp"},
    {"tile_path", "tlog/tile_path.hpp"},
    {"entry_bundle", "tlog/tiles.hpp"},
    {"log_policy", "tlog/policy.hpp"},
    {"add_checkpoint", "tlog/witness_protocol.hpp"},
    {"log_entry", "features/consent_log/entry.hpp"},
    {"zip_archive", "features/consent_proof/zip_reader.hpp"},
    {"bundle_manifest", "features/consent_proof/bundle_manifest.hpp"},
    {"timestamp", "crypto/timestamp.hpp"},
};

TEST(OPS_6, EveryReaderOfForeignBytesHasAFuzzTargetWithSeeds) {
    const std::string build = read_file("tests/fuzz/CMakeLists.txt");
    for (const auto& [target, header] : readers) {
        SCOPED_TRACE(target);
        const std::string source = read_file("tests/fuzz/" + std::string(target) + ".cpp");
        EXPECT_TRUE(source.contains("LLVMFuzzerTestOneInput"));
        EXPECT_TRUE(source.contains("#include \"" + std::string(header) + "\""));
        EXPECT_TRUE(build.contains("consentry_fuzz(" + std::string(target) + " "));
        EXPECT_FALSE(files_below("tests/fuzz/corpus/" + std::string(target)).empty());
    }
}

// script/fuzz uses the folders of seeds as the list of targets.
TEST(OPS_6, SeedsTargetsAndTheTableAreTheSame) {
    std::set<std::string> known;
    for (const Reader& reader : readers) known.emplace(reader.target);
    std::set<std::string> sources;
    std::set<std::string> seeds;
    constexpr std::string_view corpus = "tests/fuzz/corpus/";
    for (const std::string& path : files_below("tests/fuzz")) {
        if (path.starts_with(corpus)) {
            const std::string below = path.substr(corpus.size());
            seeds.insert(below.substr(0, below.find('/')));
        } else if (path.ends_with(".cpp")) {
            const std::string name = file_name(path);
            sources.insert(name.substr(0, name.size() - 4));
        }
    }
    EXPECT_EQ(sources, known);
    EXPECT_EQ(seeds, known);
    EXPECT_TRUE(read_file("script/fuzz").contains("cd tests/fuzz/corpus"));
}

}  // namespace
}  // namespace consentry::rules
