// A list as a parameter of a handler. It arrives parsed and validated, passes `list.query()` to the repository, and
// builds the answer from the rows found:
//
//     .handled_by([&roles](const SignedInAdmin&, http::List<RoleListing> list) {
//         return list_roles(roles, std::move(list));
//     })
//
//     awaitable<Result<http::ListPage<RoleResponse>>> list_roles(Roles& roles, http::List<RoleListing> list) {
//         const ListSlice<RoleRow> found = co_await roles.list(list.query());
//         co_return list.page(found, to_response);
//     }
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "http/operation.hpp"
#include "http/paging/list_filters.hpp"
#include "http/paging/list_request.hpp"
#include "http/schema/serialize.hpp"

namespace consentry::http {

// The items of a page and their paging metadata.
template <class Dto>
struct ListPage {
    std::vector<Dto> items;
    std::string metadata;
};

template <ListingType L>
class List {
public:
    using Listing = L;

    const L& filters() const { return filters_; }
    const ListQuery& query() const { return request_.query(); }

    template <class T, class ToDto>
    auto page(const ListSlice<T>& found, ToDto to_dto) const
        -> Result<ListPage<std::invoke_result_t<ToDto, const T&>>> {
        auto metadata = request_.metadata(found.has_more, found.count, found.end);
        if (!metadata) return fail(std::move(metadata.error()));
        ListPage<std::invoke_result_t<ToDto, const T&>> out{.items = {}, .metadata = std::move(*metadata)};
        out.items.reserve(found.items.size());
        for (const T& item : found.items) out.items.push_back(to_dto(item));
        return out;
    }

    // Called by the endpoint kit. Adds invalid names and texts to the report. Returns the list's own refusals, which
    // count only if the report stays empty.
    Result<void> read(std::span<const NamedText> texts, const Operation& operation, const RequestContext& context,
                      const CursorSeal* seal, Report& report) {
        request_.read_names(list_shape<L>, texts, report);
        if (auto read = request_.read_page_and_order(texts); !read) return read;
        if (auto read = read_filters(texts); !read) return read;
        return request_.read_cursor(texts, operation.id, context, seal);
    }

private:
    Result<void> read_filters(std::span<const NamedText> texts) {
        Result<void> out;
        const auto one = [&]<class T>(const Filter<L, T>& f) {
            const auto text = std::ranges::find(texts, f.name, &NamedText::name);
            if (!out || text == texts.end()) return;
            auto understood = detail::understand(f, text->value);
            if (!understood) {
                out = fail(std::move(understood.error()));
                return;
            }
            auto& filter = *understood;
            if (!filter) return;
            filters_.*(f.member) = std::move(filter->value);
            request_.add_filter(f.name, std::move(filter->condition), std::move(filter->echo));
        };
        std::apply([&](const auto&... f) { (one(f), ...); }, detail::filters_of<L>());
        return out;
    }

    L filters_{};
    ListRequest request_;
};

// Adds the list's parameters, errors and metadata to the operation for the OpenAPI document.
void describe_list(Operation& operation, const ListShape& shape,
                   std::function<void(json::object&, Components&)> filters);

template <ListingType L>
void describe_list(Operation& operation) {
    describe_list(operation, list_shape<L>, [](json::object& properties, Components& components) {
        const auto one = [&]<class T>(const Filter<L, T>& f) {
            properties[f.name] = detail::describe_filter<T>(f.description, components);
        };
        std::apply([&](const auto&... f) { (one(f), ...); }, detail::filters_of<L>());
    });
}

}  // namespace consentry::http
