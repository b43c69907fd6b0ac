#include "crypto/totp.hpp"

#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "base/percent_encoding.hpp"
#include "crypto/base32.hpp"
#include "crypto/digest.hpp"
#include "crypto/totp_window.hpp"

namespace consentry::crypto {
namespace {

void check(const TotpSettings& settings) {
    if (settings.period < std::chrono::seconds{1}) throw std::invalid_argument("a TOTP period is at least one second");
    if (settings.window < 0 || settings.window > 10)
        throw std::invalid_argument("a TOTP window is 0 to 10 steps to either side");
}

}  // namespace

std::string hotp(BytesView secret, std::uint64_t counter, int digits) {
    if (digits < 6 || digits > 8) throw std::invalid_argument("a one-time code has 6 to 8 digits");
    std::array<std::uint8_t, 8> message{};
    for (std::size_t i = 0; i < message.size(); ++i)
        message[i] = static_cast<std::uint8_t>(counter >> (56 - 8 * i) & 0xFF);
    const auto mac = hmac_sha1(secret, message);

    // Dynamic truncation (RFC 4226 section 5.3): the last four bits select the offset of the 31-bit number.
    const std::size_t offset = mac.back() & 0x0F;
    std::uint32_t number = mac[offset] & 0x7FU;
    for (std::size_t i = 1; i < 4; ++i) number = number << 8 | mac[offset + i];

    std::string out(static_cast<std::size_t>(digits), '0');
    for (auto digit = out.rbegin(); digit != out.rend(); ++digit) {
        *digit = static_cast<char>('0' + number % 10);
        number /= 10;
    }
    return out;
}

std::int64_t totp_step(TimePoint now, const TotpSettings& settings) {
    check(settings);
    const std::int64_t now_seconds = epoch_seconds(now);
    const std::int64_t period = settings.period.count();
    const std::int64_t step = now_seconds / period;
    return now_seconds % period < 0 ? step - 1 : step;
}

std::optional<std::int64_t> matching_step(BytesView secret, std::string_view code, TimePoint now,
                                          const TotpSettings& settings) {
    return step_that_fits(totp_step(now, settings), settings.window, [&](std::int64_t step) {
        const std::string expected = hotp(secret, static_cast<std::uint64_t>(step), settings.digits);
        return equal_constant_time(as_bytes(expected), as_bytes(code)) && step >= 0;
    });
}

std::string otpauth_url(std::string_view issuer, std::string_view label, std::string_view account, BytesView secret,
                        const TotpSettings& settings) {
    check(settings);
    return fmt::format("otpauth://totp/{}:{}?secret={}&issuer={}&algorithm=SHA1&digits={}&period={}",
                       percent_encoded(label), percent_encoded(account), to_base32(secret), percent_encoded(issuer),
                       settings.digits, settings.period.count());
}

}  // namespace consentry::crypto
