// Pagination cursors sealed with AES-256-GCM under a dedicated key that has no default (INP-9).
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "crypto/aead.hpp"
#include "http/paging/cursor.hpp"

namespace consentry {

inline constexpr std::chrono::hours cursor_age_max{24};

class SealedCursors final : public http::CursorSeal {
public:
    // The first secret seals, all secrets open. The clock must outlive this object.
    SealedCursors(const std::vector<std::string>& secrets, const Clock& clock);

    std::string seal(std::string_view content, std::string_view owner, std::string_view conditions) const override;
    Result<std::string> open(std::string_view cursor, std::string_view owner,
                             std::string_view conditions) const override;

private:
    crypto::SealingKeys keys_;
    const Clock& clock_;
};

}  // namespace consentry
