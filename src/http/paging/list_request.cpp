#include "http/paging/list_request.hpp"

#include <algorithm>
#include <charconv>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/email_address.hpp"
#include "base/errors.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"

namespace consentry::http {
namespace {

constexpr std::string_view cursor_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::unexpected<Error> order_refused(const ListShape& shape) {
    if (shape.sortable.empty()) return fail(errors::order_by_not_allowed);
    std::string fields;
    for (const Sortable& field : shape.sortable) fields.append(fields.empty() ? "" : ", ").append(field.name);
    boost::json::object data{{"fields", std::move(fields)},
                             {"maximum", std::min(shape.order_terms, shape.sortable.size())}};
    return fail(Error{errors::order_by_not_allowed, std::move(data)}.with_message("pagination.error.orderByFields"));
}

const std::string* find(std::span<const NamedText> texts, std::string_view name) {
    const auto found = std::ranges::find(texts, name, &NamedText::name);
    return found == texts.end() ? nullptr : &found->value;
}

struct NumberRule {
    std::int64_t max;
    const ErrorKind& invalid;
    const ErrorKind& less_than_one;
    const ErrorKind& exceeds_maximum;
};
const NumberRule per_page_rule{per_page_max, errors::invalid_per_page, errors::per_page_less_than_one,
                               errors::per_page_exceeds_maximum};
const NumberRule page_rule{page_max, errors::invalid_page, errors::page_less_than_one, errors::page_exceeds_maximum};

// Reads decimal digits in canonical form. A number that overflows is treated as too large.
Result<std::int64_t> read_number(std::string_view text, const NumberRule& rule) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return fail(rule.invalid);
    if (negative) return fail(rule.less_than_one);
    if (text.size() > 1 && text.front() == '0') return fail(rule.invalid);
    std::int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{} || number > rule.max)
        return fail(rule.exceeds_maximum, {{"maximum", rule.max}});
    if (number < 1) return fail(rule.less_than_one);
    return number;
}

template <class Named>
void write_names(std::string& out, std::span<const Named> fields) {
    out.push_back('[');
    for (const Named& field : fields) {
        if (&field != fields.data()) out.push_back(',');
        append_json_string(out, field.name);
    }
    out.push_back(']');
}

}  // namespace

void add_search(std::string_view text, std::span<const Searchable> fields, ListQuery& out) {
    out.search = text;
    if (std::ranges::find(fields, SearchedAs::email, &Searchable::as) != fields.end())
        if (auto address = canonical_email(text)) out.search = std::move(*address);
    for (const Searchable& field : fields) out.search_expressions.push_back(field.column);
}

void ListRequest::read_names(const ListShape& shape, std::span<const NamedText> texts, Report& report) {
    shape_ = &shape;
    const auto is_known = [&](std::string_view name) {
        return name == "perPage" || name == "page" || name == "cursor" || name == "orderBy" ||
               (name == "search" && !shape.searchable.empty()) ||
               std::ranges::find(shape.filters, name) != shape.filters.end();
    };
    for (const NamedText& text : texts) {
        if (!is_known(text.name))
            report.add_unknown(text.name);
        else if (text.name != "orderBy" && &text.value != find(texts, text.name))
            report.add("isUnique", text.name);
    }

    const std::string* search = shape.searchable.empty() ? nullptr : find(texts, "search");
    if (search == nullptr) return;
    const std::string_view wanted = trim(*search);
    if (wanted.contains('\0')) return report.add("isString", "search");
    if (code_points(wanted).value_or(0) > search_length_max)
        return report.add("maxLength", "search", {{"max", search_length_max}});
    search_ = wanted;
    add_search(wanted, shape.searchable, query_);
}

Result<void> ListRequest::read_page_and_order(std::span<const NamedText> texts) {
    const bool by_cursor = shape_->paging == Paging::cursor;
    query_.by_cursor = by_cursor;
    if (by_cursor && find(texts, "page") != nullptr) return fail(errors::invalid_cursor_params);
    if (!by_cursor && find(texts, "cursor") != nullptr) return fail(errors::invalid_offset_params);

    query_.limit = per_page_default;
    if (const std::string* text = find(texts, "perPage")) {
        auto number = read_number(*text, per_page_rule);
        if (!number) return fail(std::move(number.error()));
        query_.limit = *number;
    }
    if (const std::string* text = find(texts, "page")) {
        auto number = read_number(*text, page_rule);
        if (!number) return fail(std::move(number.error()));
        page_ = *number;
    }
    query_.offset = (page_ - 1) * query_.limit;

    query_.id_expression = shape_->id_column;
    for (const NamedText& text : texts)
        if (text.name == "orderBy")
            if (auto read = read_order(text.value); !read) return read;
    if (query_.order.empty()) query_.order.push_back({.expression = shape_->default_column, .descending = true});
    return {};
}

Result<void> ListRequest::read_order(std::string_view term) {
    const auto colon = term.find(':');
    const std::string_view name = term.substr(0, colon);
    const auto field = std::ranges::find(shape_->sortable, name, &Sortable::name);
    // A repeated sort field has no further effect.
    const bool is_repeated =
        field != shape_->sortable.end() &&
        std::ranges::find(query_.order, field->column, &ListOrder::expression) != query_.order.end();
    if (field == shape_->sortable.end() || is_repeated || query_.order.size() == shape_->order_terms)
        return order_refused(*shape_);
    const std::string direction =
        colon == std::string_view::npos ? std::string() : to_lower_ascii(term.substr(colon + 1));
    if (direction != "asc" && direction != "desc") return fail(errors::order_direction_not_allowed);
    query_.order.push_back({.expression = field->column, .descending = direction == "desc"});
    order_.push_back(fmt::format(R"({{"{}":"{}"}})", field->name, direction));
    return {};
}

void ListRequest::add_filter(std::string_view name, ListCondition condition, boost::json::value echo) {
    query_.conditions.push_back(std::move(condition));
    filters_[name] = std::move(echo);
}

Result<void> ListRequest::read_cursor(std::span<const NamedText> texts, std::string_view list,
                                      const RequestContext& context, const CursorSeal* seal) {
    if (!query_.by_cursor) return {};
    seal_ = seal;
    owner_ = fmt::format("{}\n{}", list, context.caller.user ? context.caller.user->text() : "");
    for (const NamedText& param : context.path_params) owner_.append("\n").append(param.value);
    conditions_ = fmt::format("{}\n{}\n{}", fmt::join(order_, ","), boost::json::serialize(filters_), query_.search);

    const std::string* text = find(texts, "cursor");
    const std::string_view cursor = text == nullptr ? std::string_view() : trim(*text);
    if (cursor.empty()) return {};
    if (cursor.size() > cursor_length_max) return fail(errors::cursor_too_long);
    if (cursor.find_first_not_of(cursor_characters) != std::string_view::npos)
        return fail(errors::invalid_cursor_format);
    auto content = seal_->open(cursor, owner_, conditions_);
    if (!content) return fail(std::move(content.error()));
    query_.after = from_cursor_content(*content, query_.order.size());
    if (!query_.after) return fail(errors::invalid_cursor_format);
    return {};
}

void ListRequest::write_offset_facts(std::string& out, std::int64_t count) const {
    const std::int64_t pages = (count + query_.limit - 1) / query_.limit;
    const bool has_next = page_ < std::min(pages, page_max);  // a page beyond page_max cannot be requested
    out += fmt::format(R"(,"count":{},"page":{},"totalPage":{})", count, page_, pages);
    if (has_next) out += fmt::format(R"(,"nextPage":{})", page_ + 1);
    if (page_ > 1) out += fmt::format(R"(,"previousPage":{})", page_ - 1);
    out += fmt::format(R"(,"hasNext":{},"hasPrevious":{})", has_next, page_ > 1);
}

Result<std::string> ListRequest::metadata(bool has_more, std::optional<std::int64_t> count,
                                          const std::optional<ListPosition>& end) const {
    std::string out = fmt::format(R"(,"type":"{}","perPage":{})", query_.by_cursor ? "cursor" : "offset", query_.limit);
    if (query_.by_cursor) {
        out += fmt::format(R"(,"hasNext":{},"hasPrevious":false)", has_more);
        if (has_more) {
            const std::string next = seal_->seal(to_cursor_content(end.value()), owner_, conditions_);
            if (next.size() > cursor_length_max) return fail(errors::failed_to_encode_cursor);
            out += fmt::format(R"(,"nextCursor":"{}")", next);
        }
    } else {
        write_offset_facts(out, count.value());
    }
    if (!search_.empty()) {
        out += R"(,"search":)";
        append_json_string(out, search_);
    }
    if (!filters_.empty()) out += R"(,"filters":)" + boost::json::serialize(filters_);
    out += fmt::format(R"(,"orderBy":[{}],"availableSearch":)", fmt::join(order_, ","));
    write_names(out, shape_->searchable);
    out += R"(,"availableOrderBy":)";
    write_names(out, shape_->sortable);
    return out;
}

}  // namespace consentry::http
