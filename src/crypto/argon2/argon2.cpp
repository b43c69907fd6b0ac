#include "crypto/argon2/argon2.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <openssl/crypto.h>

#include "crypto/argon2/arena.hpp"
#include "crypto/argon2/blake2b.hpp"
#include "crypto/digest.hpp"

namespace consentry::crypto::argon2 {
namespace {

constexpr std::size_t length_max = std::numeric_limits<std::uint32_t>::max();  // of every input (RFC 9106 section 3.1)

using Seed = std::array<std::uint8_t, blake2b_size_max + 8>;  // H_0, and room for two numbers behind it

void put_le32(std::uint8_t* at, std::uint32_t number) {
    for (unsigned i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(number >> (8 * i));
}

// H_0 of RFC 9106 section 3.2, step 1.
void write_seed(const Input& input, const Parameters& parameters, std::size_t tag_size, Seed& seed) {
    Blake2b hash(blake2b_size_max);
    hash.update_le32(parameters.lanes);
    hash.update_le32(static_cast<std::uint32_t>(tag_size));
    hash.update_le32(parameters.memory_kib);
    hash.update_le32(parameters.passes);
    hash.update_le32(version);
    hash.update_le32(static_cast<std::uint32_t>(parameters.type));
    for (const BytesView part : {input.password, input.salt, input.secret, input.associated_data}) {
        hash.update_le32(static_cast<std::uint32_t>(part.size()));
        hash.update(part);
    }
    hash.finish(std::span(seed).first<blake2b_size_max>());
}

// Blocks are words in memory and little-endian bytes outside of it.
void swap_bytes_if_big([[maybe_unused]] Block& block) {
    if constexpr (std::endian::native == std::endian::big)
        for (std::uint64_t& word : block.words) word = std::byteswap(word);
}
std::span<std::uint8_t> bytes_of(Block& block) {
    return {reinterpret_cast<std::uint8_t*>(block.words), sizeof(block.words)};
}

// Steps 3 and 4 of RFC 9106 section 3.2: the first two blocks of each lane.
void write_first_blocks(Seed& seed, const FillJob& job) {
    std::uint8_t* const column = seed.data() + blake2b_size_max;
    for (std::uint32_t lane = 0; lane < job.lanes; ++lane) {
        put_le32(column + 4, lane);
        for (std::uint32_t i = 0; i < 2; ++i) {
            put_le32(column, i);
            Block& block = job.memory[std::size_t{lane} * job.lane_blocks + i];
            long_hash(seed, {}, bytes_of(block));
            swap_bytes_if_big(block);
        }
    }
}

// Steps 7 and 8 of RFC 9106 section 3.2: the hash of the XOR of the last blocks of all lanes.
void write_tag(const FillJob& job, std::span<std::uint8_t> tag) {
    Block last = job.memory[job.lane_blocks - 1];
    for (std::uint32_t lane = 1; lane < job.lanes; ++lane) {
        const Block& other = job.memory[(lane + std::size_t{1}) * job.lane_blocks - 1];
        for (std::size_t i = 0; i < Block::words_count; ++i) last.words[i] ^= other.words[i];
    }
    swap_bytes_if_big(last);
    long_hash(bytes_of(last), {}, tag);
    OPENSSL_cleanse(&last, sizeof(last));
}

void check_sizes(const Input& input, std::size_t tag_size) {
    if (input.salt.size() < salt_size_min) throw std::invalid_argument("Argon2 salt: at least 8 bytes");
    if (tag_size < tag_size_min || tag_size > length_max) throw std::invalid_argument("Argon2 tag: at least 4 bytes");
    for (const BytesView part : {input.password, input.salt, input.secret, input.associated_data})
        if (part.size() > length_max) throw std::invalid_argument("Argon2 input: at most 4 GiB");
}

}  // namespace

std::optional<std::string_view> problem_of(const Parameters& parameters, std::uint32_t memory_kib_max) {
    if (parameters.lanes < 1 || parameters.lanes > lanes_max) return "Argon2 lanes: 1 to 16777215";
    if (parameters.memory_kib < std::uint64_t{8} * parameters.lanes)
        return "Argon2 memory: at least 8 KiB for each lane";
    if (parameters.memory_kib > memory_kib_max) return "Argon2 memory: more than the service permits";
    if (parameters.passes < 1) return "Argon2 passes: at least 1";
    const auto type = static_cast<std::uint32_t>(parameters.type);
    if (type > static_cast<std::uint32_t>(Type::argon2id)) return "Argon2 type: 0, 1 or 2";
    return std::nullopt;
}

bool hash_raw(const Input& input, const Parameters& parameters, std::span<std::uint8_t> tag, Fill fill,
              std::uint32_t memory_kib_max) {
    if (const auto problem = problem_of(parameters, memory_kib_max)) throw std::invalid_argument(std::string(*problem));
    check_sizes(input, tag.size());
    // m' of RFC 9106 section 3.2, step 2: a multiple of 4 blocks for each lane.
    const std::uint32_t lane_blocks = parameters.memory_kib / (slices * parameters.lanes) * slices;
    const Lease lease(std::size_t{lane_blocks} * parameters.lanes);
    if (lease.blocks().empty()) return false;
    const FillJob job{.memory = lease.blocks().data(),
                      .lanes = parameters.lanes,
                      .lane_blocks = lane_blocks,
                      .passes = parameters.passes,
                      .type = parameters.type};
    Seed seed{};
    write_seed(input, parameters, tag.size(), seed);
    write_first_blocks(seed, job);
    OPENSSL_cleanse(seed.data(), seed.size());
    fill(job);
    write_tag(job, tag);
    return true;
}

bool gives_known_answers(Fill fill) {
    struct Answer {
        Type type;
        std::string_view tag;
    };
    // RFC 9106 sections 5.1, 5.2 and 5.3
    constexpr Answer answers[] = {{Type::argon2d, "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"},
                                  {Type::argon2i, "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8"},
                                  {Type::argon2id, "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"}};
    const Bytes password(32, 1);
    const Bytes salt(16, 2);
    const Bytes secret(8, 3);
    const Bytes data(12, 4);
    Bytes tag(32);
    const auto is_right = [&](const Input& input, const Parameters& parameters, std::string_view expected) {
        return hash_raw(input, parameters, tag, fill) && equal_constant_time(as_bytes(to_hex(tag)), as_bytes(expected));
    };
    for (const auto& [type, expected] : answers) {
        const Parameters parameters{.memory_kib = 32, .passes = 3, .lanes = 4, .type = type};
        if (!is_right({password, salt, secret, data}, parameters, expected)) return false;
    }
    // Large enough for several blocks of addresses (RFC 9106 section 3.4.1.1); from the reference implementation.
    return is_right({password, salt}, {.memory_kib = 2'055, .passes = 2},
                    "634175ac6ff6ef0f9581e062572bb196053f41e59cb9bdb1581e904d7ee79a54");
}

}  // namespace consentry::crypto::argon2
