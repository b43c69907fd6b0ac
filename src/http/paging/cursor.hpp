// The mark that a cursor list hands out for its next page. To clients it is an opaque text; inside is the place of the
// last row, sealed, so that nobody can make one, carry it to another list or account, or look into it (INP-9).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/list_query.hpp"

namespace consentry::http {

inline constexpr std::size_t cursor_length_max = 256;

// What seals; made where the keys are. Provided to the router, outlives it, thread-safe.
class CursorSeal {
public:
    virtual ~CursorSeal() = default;
    // Letters, digits, '-' and '_'. `owner`: list and caller; `conditions`: filters, search and order, so that it can
    // be told that they changed.
    virtual std::string seal(std::string_view content, std::string_view owner, std::string_view conditions) const = 0;
    // Refuses with failedToDecodeCursor what was not sealed for this owner or too long ago, with
    // paginationConditionsChanged what was sealed under other conditions.
    virtual Result<std::string> open(std::string_view cursor, std::string_view owner,
                                     std::string_view conditions) const = 0;
};

std::string to_cursor_content(const ListPosition& position);
// nullopt: not a position in an order of so many terms.
std::optional<ListPosition> from_cursor_content(std::string_view content, std::size_t terms);

}  // namespace consentry::http
