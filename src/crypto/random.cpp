#include "crypto/random.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

#include <sys/random.h>

#include <openssl/crypto.h>

namespace consentry::crypto {

void fill_random(std::span<std::uint8_t> out) {
    while (!out.empty()) {
        // The kernel's generator has no state in this process that a fork could duplicate.
        const ssize_t got = getrandom(out.data(), out.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw std::runtime_error("the system's random generator failed");
        out = out.subspan(static_cast<std::size_t>(got));
    }
}

Bytes random_bytes(std::size_t count) {
    Bytes out(count);
    fill_random(out);
    return out;
}

std::string random_text(std::size_t length, std::string_view alphabet) {
    if (alphabet.empty() || alphabet.size() > 256) throw std::invalid_argument("an alphabet has 1 to 256 characters");
    const std::size_t accepted_below = 256 - 256 % alphabet.size();
    std::string out;
    out.reserve(length);
    std::array<std::uint8_t, 256> pool{};
    while (out.size() < length) {
        // Draws a quarter more than is missing, so that one call is nearly always enough.
        const std::size_t missing = length - out.size();
        const std::span draw(pool.data(), std::min(pool.size(), missing + missing / 4 + 8));
        fill_random(draw);
        for (const std::uint8_t byte : draw) {
            if (byte < accepted_below && out.size() < length) out.push_back(alphabet[byte % alphabet.size()]);
        }
    }
    OPENSSL_cleanse(pool.data(), pool.size());
    return out;
}

}  // namespace consentry::crypto
