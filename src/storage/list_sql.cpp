#include "storage/list_sql.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "base/both.hpp"

namespace consentry::storage {
namespace {

// Assigns each value the next parameter number.
class Parameters {
public:
    explicit Parameters(Params own) : params_(std::move(own)) {}
    std::string add(Param value) {
        params_.push_back(std::move(value));
        return fmt::format("${}", params_.size());
    }
    Params take() { return std::move(params_); }

private:
    Params params_;
};

Param to_param(const ListValue& value) {
    return std::visit([](const auto& held) -> Param { return held; }, value);
}

// Matches the text anywhere; escapes LIKE's wildcards.
std::string like_pattern(std::string_view text) {
    std::string out = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\') out.push_back('\\');
        out.push_back(c);
    }
    return out + '%';
}

void add_condition(std::string& sql, const ListCondition& condition, Parameters& parameters) {
    if (condition.values.empty()) throw std::logic_error("list: a condition without a value");
    using enum ListCondition::Comparison;
    switch (condition.comparison) {
        case at_least:
            sql += fmt::format(" AND {} >= {}", condition.expression, parameters.add(to_param(condition.values[0])));
            return;
        case below:
            sql += fmt::format(" AND {} < {}", condition.expression, parameters.add(to_param(condition.values[0])));
            return;
        case one_of:
            break;
    }
    std::string list;
    for (std::size_t i = 0; i < std::max(condition.values_max, condition.values.size()); ++i) {
        if (i > 0) list += ", ";
        // Unused places repeat the last value.
        list += parameters.add(to_param(condition.values[std::min(i, condition.values.size() - 1)]));
    }
    sql += fmt::format(" AND {} IN ({})", condition.expression, list);
}

void add_search(std::string& sql, const ListQuery& query, Parameters& parameters) {
    if (query.search.empty() || query.search_expressions.empty()) return;
    // The database lowers both sides, because only it knows which letters its lower() converts.
    const std::string pattern = parameters.add(like_pattern(query.search));
    std::string any;
    for (const std::string_view expression : query.search_expressions)
        any += fmt::format(R"({}lower({}) LIKE lower({}) ESCAPE '\')", any.empty() ? "" : " OR ", expression, pattern);
    sql += " AND (" + any + ")";
}

// The order, followed by the id as a tie-breaker.
std::vector<ListOrder> whole_order(const ListQuery& query) {
    auto out = query.order;
    out.push_back({query.id_expression, !query.order.empty() && query.order.back().descending});
    return out;
}

std::string order_by(const std::vector<ListOrder>& order) {
    std::string out;
    for (const ListOrder& term : order)
        out += fmt::format("{}{} {}", out.empty() ? " ORDER BY " : ", ", term.expression,
                           term.descending ? "DESC" : "ASC");
    return out;
}

void add_position(std::string& sql, const ListQuery& query, Parameters& parameters) {
    if (query.after->values.size() != query.order.size()) throw std::logic_error("list: a position of another order");
    const auto order = whole_order(query);
    std::vector<std::string> values;
    for (const std::int64_t value : query.after->values) values.push_back(parameters.add(value));
    values.push_back(parameters.add(query.after->id));

    if (std::ranges::all_of(order, [&](const ListOrder& term) { return term.descending == order[0].descending; })) {
        // One direction: a row comparison, which an index answers completely, however many rows share a value.
        std::string expressions;
        std::string after;
        for (std::size_t i = 0; i < order.size(); ++i) {
            expressions.append(i > 0 ? ", " : "").append(order[i].expression);
            after.append(i > 0 ? ", " : "").append(values[i]);
        }
        sql += fmt::format(" AND ({}) {} ({})", expressions, order[0].descending ? "<" : ">", after);
        return;
    }
    // A row is past the cursor if the first field that differs is. The leading bound is redundant but lets the engine
    // use the index.
    const auto compare = [&](std::size_t i) { return order[i].descending ? "<" : ">"; };
    std::string behind = fmt::format("{} {} {}", order.back().expression, compare(order.size() - 1), values.back());
    for (std::size_t i = order.size() - 1; i-- > 0;)
        behind =
            fmt::format("({0} {1} {2} OR ({0} = {2} AND {3}))", order[i].expression, compare(i), values[i], behind);
    sql += fmt::format(" AND {} {}= {} AND {}", order[0].expression, compare(0), values[0], behind);
}

std::string matches(std::string_view from, const ListQuery& query, Parameters& parameters) {
    std::string sql(from);
    for (const ListCondition& condition : query.conditions) add_condition(sql, condition, parameters);
    add_search(sql, query, parameters);
    return sql;
}

}  // namespace

ListStatement list_statement(const ListSource& source, const ListQuery& query, Params own) {
    Parameters parameters(std::move(own));
    const auto order = whole_order(query);
    std::string sql = fmt::format("SELECT {}", source.columns);
    if (query.by_cursor)
        for (const ListOrder& term : order) sql.append(", ").append(term.expression);
    std::string found = matches(source.from, query, parameters);
    if (query.after) add_position(found, query, parameters);
    const std::string ordered = order_by(order);
    found += ordered + " LIMIT " + parameters.add(query.limit + 1);
    if (!query.by_cursor) found += " OFFSET " + parameters.add(query.offset);
    if (source.large && !query.by_cursor)
        sql += fmt::format(" FROM {0} AND {1} IN (SELECT {1} FROM {2}){3}", source.from, query.id_expression, found,
                           ordered);
    else
        sql += " FROM " + found;
    return {std::move(sql), parameters.take()};
}

ListStatement count_statement(const ListSource& source, const ListQuery& query, Params own) {
    Parameters parameters(std::move(own));
    const std::string found =
        matches(source.counted_from.empty() ? source.from : source.counted_from, query, parameters);
    std::string sql = fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT {}) AS matches", found,
                                  parameters.add(list_count_max));
    return {std::move(sql), parameters.take()};
}

namespace detail {

awaitable<FoundRows> select_rows(Database& database, ListSource source, ListQuery query, Params own) {
    // The SQL lives in this frame until the engine has answered.
    const ListStatement statement = list_statement(source, query, own);
    const ListStatement count = count_statement(source, query, std::move(own));
    FoundRows out;
    std::optional<Rows> counted;
    const bool searches =
        source.large && (!query.conditions.empty() || !query.search.empty() || query.order.size() > 1);
    const auto ask = [&](const ListStatement& of) {
        return searches ? database.search_with(of.sql, of.params) : database.query_with(of.sql, of.params);
    };
    // For a large table nearly every page needs both, and they take about the same time, so run them concurrently
    // unless a search makes the count expensive.
    if (source.large && !query.by_cursor && !searches)
        std::tie(out.rows, counted) = co_await both(ask(statement), ask(count));
    else
        out.rows = co_await ask(statement);
    const auto limit = static_cast<std::size_t>(query.limit);
    out.has_more = out.rows.size() > limit;
    out.size = std::min(out.rows.size(), limit);
    if (query.by_cursor) {
        if (!out.has_more) co_return out;
        const Row last = out.rows[out.size - 1];
        const std::size_t first_extra = last.size() - query.order.size() - 1;
        ListPosition end;
        for (std::size_t i = 0; i < query.order.size(); ++i) end.values.push_back(last.integer(first_extra + i));
        end.id = last.uuid(last.size() - 1);
        out.end = std::move(end);
        co_return out;
    }
    if (!out.has_more && (out.size > 0 || query.offset == 0)) {
        out.count = query.offset + static_cast<std::int64_t>(out.size);  // the last page implies the count
        co_return out;
    }
    if (!counted) counted = co_await ask(count);
    // The page's rows existed a moment ago, even if some were deleted since, so they set a minimum.
    const std::int64_t seen = query.offset + static_cast<std::int64_t>(out.size) + (out.has_more ? 1 : 0);
    out.count = std::max((*counted)[0].integer(0), out.size > 0 ? seen : 0);
    co_return out;
}

}  // namespace detail
}  // namespace consentry::storage
