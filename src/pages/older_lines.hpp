// Lists of an account that have pages: the newest lines come first, and a link leads to older ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/list_query.hpp"
#include "base/numbers.hpp"
#include "pages/view.hpp"
#include "pages/visit.hpp"

namespace consentry {

// Where the page of the list begins; nullopt for the first one, and for what we did not write ourselves.
template <class Id>
std::optional<ListPosition> older_than(const Visit& visit) {
    const auto ms = parse_number<std::int64_t>(visit.query("at"));
    const auto id = Id::parse(visit.query("after"));
    if (!ms || !id) return std::nullopt;
    return ListPosition{.values = {*ms}, .id = id->uuid()};
}

// Adds the values of the link, `older_at` and `older_after`, if there are more lines.
template <class Id, class Item>
void add_older(View& view, const ListSlice<Item>& shown) {
    if (!shown.has_more || !shown.end) return;
    view.text("older_at", std::to_string(shown.end->values.front())).text("older_after", Id{shown.end->id}.text());
}

}  // namespace consentry
