// The part common to all lists: reads page, order, search and cursor from the query, and writes the paging metadata.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <boost/json/object.hpp>

#include "base/error.hpp"
#include "base/list_query.hpp"
#include "base/report.hpp"
#include "http/context.hpp"
#include "http/paging/cursor.hpp"
#include "http/paging/listing.hpp"

namespace consentry::http {

// Searches for the text, or for the canonical spelling of the email address that it is.
void add_search(std::string_view text, std::span<const Searchable> fields, ListQuery& out);

class ListRequest {
public:
    // Call these functions in declaration order. The first three read the query. Invalid names and texts go to the
    // report, as for any other query.
    void read_names(const ListShape& shape, std::span<const NamedText> texts, Report& report);
    Result<void> read_page_and_order(std::span<const NamedText> texts);
    void add_filter(std::string_view name, ListCondition condition, boost::json::value echo);
    // `list` is the operation's id. The cursor is bound to the caller and to the values in the path.
    Result<void> read_cursor(std::span<const NamedText> texts, std::string_view list, const RequestContext& context,
                             const CursorSeal* seal);

    const ListQuery& query() const { return query_; }
    // Returns further members of the answer's metadata. Fails if the next cursor cannot be created.
    Result<std::string> metadata(bool has_more, std::optional<std::int64_t> count,
                                 const std::optional<ListPosition>& end) const;

private:
    Result<void> read_order(std::string_view term);
    void write_offset_facts(std::string& out, std::int64_t count) const;

    const ListShape* shape_ = nullptr;
    const CursorSeal* seal_ = nullptr;
    ListQuery query_;
    std::int64_t page_ = 1;
    std::string search_;              // as it was sent
    boost::json::object filters_;     // echo of the parsed filters
    std::vector<std::string> order_;  // echo of the parsed order: {"createdAt":"asc"}
    std::string owner_;
    std::string conditions_;
};

}  // namespace consentry::http
