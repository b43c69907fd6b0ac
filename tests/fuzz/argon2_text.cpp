// Argon2 hashes as text, from import files: an accepted text says one thing, and in its own order it is the only text
// that does.
#include <algorithm>

#include "crypto/argon2/encoded.hpp"
#include "crypto/password_formats.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    using namespace consentry::crypto;
    const std::string_view text = fuzz::text_of(data, size);
    const auto read = argon2::decode(text);
    if (read) {
        const std::string written = argon2::encode(*read);
        const auto again = argon2::decode(written);
        fuzz::require(
            again && again->parameters == read->parameters && again->salt == read->salt && again->tag == read->tag,
            "there and back");
        fuzz::require(written.size() == text.size(), "one spelling of each value");
        fuzz::require(std::is_permutation(written.begin(), written.end(), text.begin(), text.end()),
                      "only the costs may be in another order");
        const std::string_view rest = std::string_view(written).substr(written.rfind(','));
        fuzz::require(text.ends_with(rest.substr(rest.find('$'))), "salt and tag are as they were");
    }
    const auto parsed = parse_password_hash(text);
    if (!parsed) return 0;
    if (const auto* hash = std::get_if<Argon2Hash>(&*parsed)) {
        const auto& [costs, salt, tag] = hash->decoded;
        fuzz::require(!argon2::problem_of(costs), "what is accepted can be computed");
        fuzz::require(std::uint64_t{costs.memory_kib} * 1024 * costs.passes <= password_traffic_max, "in bounded time");
        fuzz::require(costs.type != argon2::Type::argon2d, "argon2d is refused");
        fuzz::require(salt.size() >= argon2::salt_size_min && tag.size() <= argon2_tag_size_max, "sizes");
    }
    return 0;
}
