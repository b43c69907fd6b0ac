#include "base/errors.hpp"
#include "http/paging/list.hpp"

namespace consentry::http {
namespace {

json::array names_of(const auto& fields) {
    json::array out;
    for (const auto& field : fields) out.emplace_back(field.name);
    return out;
}

json::object page_parameters(const ListShape& shape) {
    json::object out{{"perPage",
                      {{"type", "integer"},
                       {"minimum", 1},
                       {"maximum", per_page_max},
                       {"default", per_page_default},
                       {"description", "Items per page"}}}};
    if (shape.paging == Paging::cursor)
        out["cursor"] = {
            {"type", "string"},
            {"maxLength", cursor_length_max},
            {"pattern", "^ *[A-Za-z0-9_-]* *$"},
            {"description",
             "`nextCursor` of the previous page, with the same filters, search and order; valid for a day and "
             "for the same account"}};
    else
        out["page"] = {{"type", "integer"},
                       {"minimum", 1},
                       {"maximum", page_max},
                       {"default", 1},
                       {"description", "Page number; filter or search to reach items beyond the last page"}};
    if (!shape.searchable.empty()) {
        std::string in;
        for (const Searchable& field : shape.searchable) in.append(in.empty() ? "" : ", ").append(field.name);
        out["search"] = {{"type", "string"},
                         {"maxLength", search_length_max},
                         {"description", "Text to find in " + in + "; case-insensitive"}};
    }
    if (!shape.sortable.empty()) {
        std::string fields;
        for (const Sortable& field : shape.sortable) fields.append(fields.empty() ? "" : "|").append(field.name);
        const std::string example = std::string(shape.sortable[0].name) + ":desc";
        out["orderBy"] = {
            {"type", "array"},
            {"items",
             {{"type", "string"},
              {"pattern", "^(" + fields + "):([aA][sS][cC]|[dD][eE][sS][cC])$"},
              {"examples", json::array{json::string(example)}}}},
            {"maxItems", std::min(shape.order_terms, shape.sortable.size())},
            {"description", "Sort order; repeat to sort by several fields, each once. Default: newest first"}};
    }
    return out;
}

json::object page_metadata(const ListShape& shape) {
    const bool by_cursor = shape.paging == Paging::cursor;
    const json::object number{{"type", "integer"}, {"minimum", 1}};
    const json::object from_zero{{"type", "integer"}, {"minimum", 0}};
    json::object properties{
        {"type", {{"type", "string"}, {"const", by_cursor ? "cursor" : "offset"}}},
        {"perPage", number},
        {"hasNext", {{"type", "boolean"}}},
        {"hasPrevious", {{"type", "boolean"}}},
        {"search", {{"type", "string"}, {"description", "Applied search text; absent without a search"}}},
        {"filters",
         {{"type", "object"},
          {"additionalProperties", true},
          {"description", "Applied filters; absent without filters"}}},
        {"orderBy",
         {{"type", "array"},
          {"items", {{"type", "object"}, {"additionalProperties", {{"type", "string"}, {"enum", {"asc", "desc"}}}}}},
          {"description", "Requested order; empty for the default, newest first"}}},
        {"availableSearch", {{"type", "array"}, {"items", {{"type", "string"}}}}},
        {"availableOrderBy", {{"type", "array"}, {"items", {{"type", "string"}}}}}};
    json::array required{"type", "perPage", "hasNext", "hasPrevious", "orderBy", "availableSearch", "availableOrderBy"};
    if (by_cursor) {
        properties["nextCursor"] = {{"type", "string"},
                                    {"description", "Cursor of the next page; absent on the last page"}};
    } else {
        json::object count = from_zero;
        count["maximum"] = list_count_max;
        count["description"] = "Number of matches; 10000 means at least 10000";
        properties["count"] = std::move(count);
        properties["page"] = number;
        properties["totalPage"] = from_zero;
        properties["nextPage"] = number;
        properties["previousPage"] = number;
        for (const char* name : {"count", "page", "totalPage"}) required.emplace_back(name);
    }
    return {{"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
}

}  // namespace

void describe_list(Operation& operation, const ListShape& shape,
                   std::function<void(json::object&, Components&)> filters) {
    operation.describe_query = [&shape, filters = std::move(filters)](Components& components) {
        json::object properties = page_parameters(shape);
        filters(properties, components);
        return json::object{{"type", "object"}, {"properties", std::move(properties)}};
    };
    operation.describe_metadata = [&shape](Components& components) {
        const std::string name = shape.paging == Paging::cursor ? "CursorPage" : "OffsetPage";
        if (!components.contains(name)) components[name] = page_metadata(shape);
        return json::object{{"$ref", "#/components/schemas/" + name}};
    };
    auto& errors = operation.errors;
    errors.insert(errors.end(),
                  {&errors::order_by_not_allowed, &errors::order_direction_not_allowed, &errors::invalid_per_page,
                   &errors::per_page_exceeds_maximum, &errors::per_page_less_than_one});
    if (!shape.filters.empty()) errors.push_back(&errors::filter_invalid_value);
    if (shape.paging == Paging::cursor)
        errors.insert(errors.end(),
                      {&errors::invalid_cursor_params, &errors::cursor_too_long, &errors::invalid_cursor_format,
                       &errors::failed_to_encode_cursor, &errors::pagination_conditions_changed});
    else
        errors.insert(errors.end(), {&errors::invalid_offset_params, &errors::invalid_page,
                                     &errors::page_exceeds_maximum, &errors::page_less_than_one});
}

}  // namespace consentry::http
