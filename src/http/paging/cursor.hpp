// The cursor that a list returns for its next page. Opaque to clients. It holds the position of the last row, sealed so
// that clients cannot forge it, read it, or use it with another list or account (INP-9).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/list_query.hpp"

namespace consentry::http {

inline constexpr std::size_t cursor_length_max = 256;

// Seals cursors. Implemented where the keys are kept. Thread-safe. Provided to the router, which it must outlive.
class CursorSeal {
public:
    virtual ~CursorSeal() = default;
    // Returns letters, digits, '-' and '_'. `owner` identifies the list and the caller. `conditions` identifies
    // filters, search and order, so that open() can detect a change.
    virtual std::string seal(std::string_view content, std::string_view owner, std::string_view conditions) const = 0;
    // Fails with invalidCursorFormat if the cursor was not sealed for this owner or has expired, and with
    // paginationConditionsChanged if it was sealed under other conditions.
    virtual Result<std::string> open(std::string_view cursor, std::string_view owner,
                                     std::string_view conditions) const = 0;
};

std::string to_cursor_content(const ListPosition& position);
// Returns nullopt unless the content is a position in an order of `terms` terms.
std::optional<ListPosition> from_cursor_content(std::string_view content, std::size_t terms);

}  // namespace consentry::http
