#include "crypto/password_formats.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "crypto/phc_text.hpp"

namespace consentry::crypto {
namespace {

constexpr std::size_t stored_size_max = 512;
constexpr std::size_t hash_size_min = 16;  // a shorter hash could match by chance
constexpr std::size_t hash_size_max = 64;
static_assert(hash_size_max <= argon2_tag_size_max);
constexpr std::size_t salt_size_max = 64;
constexpr std::uint32_t argon2_lanes_max = 255;

// Reads "m=19456" for the name "m".
std::optional<std::uint32_t> named_number(std::string_view text, std::string_view name) {
    if (!text.starts_with(name) || text.size() <= name.size() || text[name.size()] != '=') return std::nullopt;
    return phc_number(text.substr(name.size() + 1));
}

// passlib writes '.' instead of '+'.
std::optional<Bytes> unpadded_base64(std::string_view text) {
    std::string plain(text);
    std::ranges::replace(plain, '.', '+');
    return from_unpadded_base64(plain);
}

// Lower case only, so that each value has one spelling.
std::optional<Bytes> lower_case_hex(std::string_view text) {
    if (std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'F'; })) return std::nullopt;
    return from_hex(text);
}

bool sizes_fit(std::size_t salt, std::size_t hash) {
    return salt <= salt_size_max && hash >= hash_size_min && hash <= hash_size_max;
}

bool scrypt_cost_fits(std::uint32_t cost_log2, std::uint32_t block_size, std::uint32_t parallelism) {
    if (cost_log2 < 1 || cost_log2 > 24 || block_size < 1 || block_size > 1024) return false;
    if (parallelism < 1 || parallelism > 1024) return false;
    const std::uint64_t memory = (std::uint64_t{128} * block_size) << cost_log2;
    return memory <= password_memory_max && memory * parallelism <= password_traffic_max;
}

// RFC 7914, section 2: N is less than 2^(128 * r / 8). OpenSSL computes no others; crypt(3), for $7$, does.
bool openssl_scrypt_fits(std::uint32_t cost_log2, std::uint32_t block_size, std::uint32_t parallelism) {
    return scrypt_cost_fits(cost_log2, block_size, parallelism) && cost_log2 < 16 * block_size;
}

// $argon2id$v=19$m=19456,t=2,p=1$salt$hash
std::optional<PasswordHash> parse_argon2(std::string_view stored) {
    auto decoded = argon2::decode(stored);
    if (!decoded || decoded->parameters.type == argon2::Type::argon2d) return std::nullopt;
    if (!sizes_fit(decoded->salt.size(), decoded->tag.size()) || decoded->salt.size() < argon2::salt_size_min)
        return std::nullopt;
    const argon2::Parameters& costs = decoded->parameters;
    if (costs.lanes > argon2_lanes_max || argon2::problem_of(costs, password_memory_max / 1024)) return std::nullopt;
    if (costs.passes > password_traffic_max / (std::uint64_t{costs.memory_kib} * 1024)) return std::nullopt;
    return Argon2Hash{std::move(*decoded)};
}

// argon2$argon2id$... (Django)
std::optional<PasswordHash> parse_django_argon2(std::string_view stored) {
    return parse_argon2(stored.substr(std::string_view("argon2").size()));
}

constexpr std::string_view crypt_alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool in_crypt_alphabet(std::string_view text) {
    return text.find_first_not_of(crypt_alphabet) == std::string_view::npos;
}

// $2b$12$, then 22 characters of salt and 31 of hash
std::optional<PasswordHash> parse_bcrypt(std::string_view stored) {
    const bool is_known = stored.starts_with("$2a$") || stored.starts_with("$2b$") || stored.starts_with("$2y$");
    if (!is_known || stored.size() != 60 || stored[6] != '$' || !in_crypt_alphabet(stored.substr(7)))
        return std::nullopt;
    const std::string_view cost = stored.substr(4, 2);
    if (cost < "04" || cost > "16" || cost[1] < '0' || cost[1] > '9') return std::nullopt;
    return BcryptHash{.text = std::string(stored)};
}

// bcrypt$ and a bcrypt hash (Django)
std::optional<PasswordHash> parse_django_bcrypt(std::string_view stored) {
    return parse_bcrypt(stored.substr(std::string_view("bcrypt$").size()));
}

// bcrypt_sha256$ and a bcrypt hash of the password's SHA-256 (Django)
std::optional<PasswordHash> parse_django_bcrypt_sha256(std::string_view stored) {
    auto parsed = parse_bcrypt(stored.substr(std::string_view("bcrypt_sha256$").size()));
    if (parsed) std::get<BcryptHash>(*parsed).of_sha256 = true;
    return parsed;
}

// $scrypt$ln=17,r=8,p=1$salt$hash
std::optional<PasswordHash> parse_scrypt(std::string_view stored) {
    const auto parts = split(stored, '$');
    if (parts.size() != 5) return std::nullopt;
    const auto costs = split(parts[2], ',');
    if (costs.size() != 3) return std::nullopt;
    const auto cost_log2 = named_number(costs[0], "ln");
    const auto block_size = named_number(costs[1], "r");
    const auto parallelism = named_number(costs[2], "p");
    auto salt = unpadded_base64(parts[3]);
    auto hash = unpadded_base64(parts[4]);
    if (!cost_log2 || !block_size || !parallelism || !salt || !hash || !sizes_fit(salt->size(), hash->size()))
        return std::nullopt;
    if (!openssl_scrypt_fits(*cost_log2, *block_size, *parallelism)) return std::nullopt;
    return ScryptHash{*cost_log2, *block_size, *parallelism, std::move(*salt), std::move(*hash)};
}

// $7$, one character for log2 N, five each for r and p (least significant first), salt, $, 43 characters of hash
std::optional<PasswordHash> parse_crypt_scrypt(std::string_view stored) {
    const auto parts = split(stored, '$');
    if (parts.size() != 4 || parts[2].size() < 11 || parts[2].size() > 11 + salt_size_max || parts[3].size() != 43)
        return std::nullopt;
    const auto decoded = [&](std::size_t at, std::size_t count) -> std::uint32_t {
        std::uint32_t value = 0;
        for (std::size_t i = count; i-- > 0;)
            value = value << 6 | static_cast<std::uint32_t>(crypt_alphabet.find(parts[2][at + i]));
        return value;
    };
    if (!in_crypt_alphabet(parts[2]) || !in_crypt_alphabet(parts[3])) return std::nullopt;
    if (!scrypt_cost_fits(decoded(0, 1), decoded(1, 5), decoded(6, 5))) return std::nullopt;
    if (decoded(0, 1) < 2) return std::nullopt;  // crypt(3) computes no N of 2
    return CryptScryptHash{std::string(stored)};
}

std::optional<PasswordHash> make_pbkdf2(bool sha512, std::optional<std::uint32_t> iterations, std::optional<Bytes> salt,
                                        std::optional<Bytes> hash) {
    if (!iterations || *iterations < 1 || *iterations > password_iterations_max || !salt || !hash) return std::nullopt;
    if (!sizes_fit(salt->size(), hash->size())) return std::nullopt;
    return Pbkdf2Hash{sha512, *iterations, std::move(*salt), std::move(*hash)};
}

// $pbkdf2-sha256$i=600000$salt$hash (also "i=600000,l=32"), or passlib's $pbkdf2-sha256$600000$salt$hash
std::optional<PasswordHash> parse_pbkdf2(std::string_view stored) {
    const auto parts = split(stored, '$');
    if (parts.size() != 5) return std::nullopt;
    auto hash = unpadded_base64(parts[4]);
    std::optional<std::uint32_t> iterations = phc_number(parts[2]);
    if (!iterations) {
        const auto costs = split(parts[2], ',');
        iterations = named_number(costs[0], "i");
        if (costs.size() > 2) return std::nullopt;
        if (costs.size() == 2) {
            const auto size = named_number(costs[1], "l");
            if (!size || !hash || *size != hash->size()) return std::nullopt;
        }
    }
    return make_pbkdf2(parts[1] == "pbkdf2-sha512", iterations, unpadded_base64(parts[3]), std::move(hash));
}

// pbkdf2_sha256$600000$literal salt$hash in padded base64
std::optional<PasswordHash> parse_django(std::string_view stored) {
    const auto parts = split(stored, '$');
    if (parts.size() != 4) return std::nullopt;
    const BytesView salt = as_bytes(parts[2]);
    return make_pbkdf2(false, phc_number(parts[1]), Bytes(salt.begin(), salt.end()), from_base64(parts[3]));
}

// For formats that store the cost N itself rather than its logarithm.
std::optional<std::uint32_t> log2_of(std::optional<std::uint32_t> cost) {
    if (!cost || !std::has_single_bit(*cost)) return std::nullopt;
    return static_cast<std::uint32_t>(std::countr_zero(*cost));
}

std::optional<PasswordHash> make_scrypt(std::optional<std::uint32_t> cost, std::optional<std::uint32_t> block_size,
                                        std::optional<std::uint32_t> parallelism, std::string_view salt,
                                        std::optional<Bytes> hash) {
    const auto cost_log2 = log2_of(cost);
    if (!cost_log2 || !block_size || !parallelism || !hash || !sizes_fit(salt.size(), hash->size()))
        return std::nullopt;
    if (!openssl_scrypt_fits(*cost_log2, *block_size, *parallelism)) return std::nullopt;
    const BytesView salt_bytes = as_bytes(salt);
    return ScryptHash{*cost_log2, *block_size, *parallelism, Bytes(salt_bytes.begin(), salt_bytes.end()),
                      std::move(*hash)};
}

// scrypt$16384$literal salt$8$1$hash in padded base64
std::optional<PasswordHash> parse_django_scrypt(std::string_view stored) {
    const auto parts = split(stored, '$');
    if (parts.size() != 6) return std::nullopt;
    return make_scrypt(phc_number(parts[1]), phc_number(parts[3]), phc_number(parts[4]), parts[2],
                       from_base64(parts[5]));
}

// scrypt:32768:8:1$literal salt$hash in hexadecimal
std::optional<PasswordHash> parse_werkzeug_scrypt(std::string_view stored) {
    const auto parts = split(stored, '$');
    const auto costs = split(parts[0], ':');
    if (parts.size() != 3 || costs.size() != 4) return std::nullopt;
    return make_scrypt(phc_number(costs[1]), phc_number(costs[2]), phc_number(costs[3]), parts[1],
                       lower_case_hex(parts[2]));
}

// pbkdf2:sha256:600000$literal salt$hash in hexadecimal
std::optional<PasswordHash> parse_werkzeug_pbkdf2(std::string_view stored) {
    const auto parts = split(stored, '$');
    const auto costs = split(parts[0], ':');
    if (parts.size() != 3 || costs.size() != 3 || (costs[1] != "sha256" && costs[1] != "sha512")) return std::nullopt;
    const BytesView salt = as_bytes(parts[1]);
    return make_pbkdf2(costs[1] == "sha512", phc_number(costs[2]), Bytes(salt.begin(), salt.end()),
                       lower_case_hex(parts[2]));
}

// $fbscrypt$v=1,n=14,r=8,p=1,ss=separator,sk=signer key$salt$hash, all base64 padded, as GoTrue writes it
std::optional<PasswordHash> parse_firebase_scrypt(std::string_view stored) {
    const auto parts = split(stored, '$');
    if (parts.size() != 5) return std::nullopt;
    const auto settings = split(parts[2], ',');
    if (settings.size() != 6 || settings[0] != "v=1") return std::nullopt;
    const auto cost_log2 = named_number(settings[1], "n");
    const auto block_size = named_number(settings[2], "r");
    const auto parallelism = named_number(settings[3], "p");
    if (!settings[4].starts_with("ss=") || !settings[5].starts_with("sk=")) return std::nullopt;
    const auto separator = from_base64(settings[4].substr(3));
    auto signer_key = from_base64(settings[5].substr(3));
    auto salt = from_base64(parts[3]);
    auto hash = from_base64(parts[4]);
    if (!cost_log2 || !block_size || !parallelism || !separator || !signer_key || !salt || !hash) return std::nullopt;
    salt->insert(salt->end(), separator->begin(), separator->end());
    if (!sizes_fit(salt->size(), hash->size()) || hash->size() != signer_key->size()) return std::nullopt;
    if (!openssl_scrypt_fits(*cost_log2, *block_size, *parallelism)) return std::nullopt;
    return FirebaseScryptHash{
        {*cost_log2, *block_size, *parallelism, std::move(*salt), {}}, std::move(*signer_key), std::move(*hash)};
}

// Returns the position after the given number of dollar signs.
template <int dollars>
std::size_t behind_dollars(std::string_view text) {
    std::size_t at = 0;
    for (int i = 0; i < dollars; ++i) {
        at = text.find('$', at);
        if (at == std::string_view::npos) return 0;
        ++at;
    }
    return at;
}
std::size_t behind_crypt_scrypt_costs(std::string_view) { return std::string_view("$7$").size() + 11; }
std::size_t behind_firebase_costs(std::string_view text) { return std::min(text.find("ss="), text.size()); }

// Stands in a kind between the beginning of its hashes and the costs that stand behind their salt.
constexpr char kind_mark = '~';

// r and p of Django's scrypt, whose hashes begin with N alone. Nothing for those that are usual.
std::string django_scrypt_costs(std::string_view, const PasswordHash& parsed) {
    const auto& hash = std::get<ScryptHash>(parsed);
    if (hash.block_size == 8 && hash.parallelism == 1) return {};
    return fmt::format("{}${}", hash.block_size, hash.parallelism);
}

std::string django_scrypt_rest(std::string_view, std::string_view costs) {
    return fmt::format("salt${}$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", costs.empty() ? "8$1" : costs);
}

// The number of bytes in "$pbkdf2-sha256$i=600000,l=64$".
std::optional<std::uint32_t> named_pbkdf2_size(std::string_view beginning) {
    const std::size_t at = beginning.find(",l=");
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view size = beginning.substr(at + 1);
    return named_number(size.substr(0, size.find('$')), "l");
}

// PBKDF2 computes a hash block by block, each at the full cost. Returns the size of a hash of several blocks, unless it
// stands at the beginning.
std::string pbkdf2_costs(std::string_view beginning, const PasswordHash& parsed) {
    const auto& pbkdf2 = std::get<Pbkdf2Hash>(parsed);
    const std::size_t block = pbkdf2.sha512 ? 64 : 32;
    return pbkdf2.hash.size() <= block || named_pbkdf2_size(beginning) ? "" : std::to_string(pbkdf2.hash.size());
}

std::string unpadded_zeros(std::size_t size) {
    std::string out = to_base64(Bytes(size));
    out.resize(out.find_last_not_of('=') + 1);
    return out;
}
std::string padded_zeros(std::size_t size) { return to_base64(Bytes(size)); }
std::string hex_zeros(std::size_t size) { return to_hex(Bytes(size)); }

template <std::string (*zeros)(std::size_t)>
std::string pbkdf2_rest(std::string_view beginning, std::string_view costs) {
    const auto named = costs.empty() ? named_pbkdf2_size(beginning) : phc_number(costs);
    const std::size_t size = named.value_or(32);
    return "c2FsdA$" + zeros(std::min(size, hash_size_max));
}

// Placeholder salts and hashes that match no password.
constexpr std::string_view no_argon2 = "c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
constexpr std::string_view no_bcrypt = "CCCCCCCCCCCCCCCCCCCCC.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
constexpr std::string_view no_hex = "salt$00000000000000000000000000000000";

struct Format {
    std::string_view prefix;
    std::optional<PasswordHash> (*parse)(std::string_view stored);
    std::size_t (*kind_size)(std::string_view stored);
    std::string_view rest;  // completes the kind to a placeholder hash
    // For hashes whose beginning does not determine their cost: what the kind adds, empty for the usual cost; and the
    // rest for that.
    std::string (*costs)(std::string_view beginning, const PasswordHash& parsed) = nullptr;
    std::string (*rest_for)(std::string_view beginning, std::string_view costs) = nullptr;
};
constexpr Format formats[] = {
    {"$argon2id$", parse_argon2, behind_dollars<4>, no_argon2},
    {"$argon2i$", parse_argon2, behind_dollars<4>, no_argon2},
    {"argon2$argon2", parse_django_argon2, behind_dollars<4>, no_argon2},
    {"$2", parse_bcrypt, behind_dollars<3>, no_bcrypt},
    {"bcrypt$", parse_django_bcrypt, behind_dollars<4>, no_bcrypt},
    {"bcrypt_sha256$", parse_django_bcrypt_sha256, behind_dollars<4>, no_bcrypt},
    {"$scrypt$", parse_scrypt, behind_dollars<3>, no_argon2},
    {"scrypt$", parse_django_scrypt, behind_dollars<2>, {}, django_scrypt_costs, django_scrypt_rest},
    {"scrypt:", parse_werkzeug_scrypt, behind_dollars<1>, no_hex},
    {"$7$", parse_crypt_scrypt, behind_crypt_scrypt_costs, "salt$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
    {"$pbkdf2-sha256$", parse_pbkdf2, behind_dollars<3>, {}, pbkdf2_costs, pbkdf2_rest<unpadded_zeros>},
    {"$pbkdf2-sha512$", parse_pbkdf2, behind_dollars<3>, {}, pbkdf2_costs, pbkdf2_rest<unpadded_zeros>},
    {"pbkdf2_sha256$", parse_django, behind_dollars<2>, {}, pbkdf2_costs, pbkdf2_rest<padded_zeros>},
    {"pbkdf2:", parse_werkzeug_pbkdf2, behind_dollars<1>, {}, pbkdf2_costs, pbkdf2_rest<hex_zeros>},
    {"$fbscrypt$", parse_firebase_scrypt, behind_firebase_costs,
     "ss=Bw==,sk=AAECAwQFBgcICQoLDA0ODw==$c2FsdA==$AAAAAAAAAAAAAAAAAAAAAA=="},
};

const Format* format_of(std::string_view stored) {
    const auto* found =
        std::ranges::find_if(formats, [&](const Format& format) { return stored.starts_with(format.prefix); });
    return found == std::end(formats) ? nullptr : found;
}

}  // namespace

std::optional<PasswordHash> parse_password_hash(std::string_view stored) {
    if (stored.size() > stored_size_max) return std::nullopt;
    const Format* format = format_of(stored);
    return format == nullptr ? std::nullopt : format->parse(stored);
}

std::string kind_of_hash(std::string_view stored) {
    const Format* format = format_of(stored);
    if (format == nullptr) return {};
    std::string kind(stored.substr(0, format->kind_size(stored)));
    const auto parsed = format->costs == nullptr ? std::nullopt : parse_password_hash(stored);
    const std::string costs = parsed ? format->costs(kind, *parsed) : "";
    if (!costs.empty()) kind.append(1, kind_mark).append(costs);
    return kind;
}

std::string_view beginning_of_kind(std::string_view kind) { return kind.substr(0, kind.find(kind_mark)); }

std::string hash_of_kind(std::string_view kind) {
    const Format* format = format_of(kind);
    if (format == nullptr) return std::string(kind);
    const std::string_view beginning = beginning_of_kind(kind);
    std::string hash(beginning);
    if (format->rest_for == nullptr) return hash.append(format->rest);
    return hash.append(format->rest_for(beginning, kind.substr(std::min(kind.size(), beginning.size() + 1))));
}

}  // namespace consentry::crypto
