#include "storage/postgres/statements.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace consentry::storage::postgres {
namespace {

// Enough for every statement of the program and its parameter types. Beyond it (statements assembled at run time),
// further statements are not kept on the server.
constexpr std::uint64_t named_max = 512;

std::string_view condition_of(Expect expect) {
    switch (expect) {
        case Expect::any:
            return "TRUE";
        case Expect::one:
            return "count(*) = 1";
        case Expect::at_least_one:
            return "count(*) >= 1";
        case Expect::none:
            return "count(*) = 0";
    }
    return {};
}

}  // namespace

std::string with_expectation(std::string_view sql, Expect expect) {
    if (expect == Expect::any) return std::string(sql);
    // Divides the count by 1, or by 0 if the expectation fails.
    const std::string affected = fmt::format("count(*) / CAST(({}) AS integer) AS affected", condition_of(expect));
    if (!sql.contains(" RETURNING "))
        return fmt::format("WITH consentry_changed AS ({} RETURNING 1) SELECT {} FROM consentry_changed", sql,
                           affected);
    // The LEFT JOIN keeps the row with the count, and thus the division, if no row changed.
    return fmt::format(
        "WITH consentry_changed AS ({}) SELECT changed.*, counted.affected FROM "
        "(SELECT {} FROM consentry_changed) AS counted LEFT JOIN consentry_changed AS changed ON TRUE",
        sql, affected);
}

std::size_t parameters_of(std::string_view sql) {
    std::size_t highest = 0;
    for (auto at = sql.find('$'); at != std::string_view::npos; at = sql.find('$', at + 1)) {
        std::size_t number = 0;
        std::from_chars(sql.data() + at + 1, sql.data() + sql.size(), number);
        highest = std::max(highest, number);
    }
    return highest;
}

std::string for_many_keys(std::string_view sql) {
    constexpr std::string_view one = " = $1";
    const auto at = sql.find(one);
    if (at == std::string_view::npos || sql.find("$1", at + one.size()) != std::string_view::npos)
        throw std::logic_error(fmt::format("postgres: a look-up has ' = $1' once: {:.200}", sql));
    return fmt::format(
        "SELECT found.* FROM unnest(CAST((SELECT $1) AS uuid[])) AS asked (key) "
        "CROSS JOIN LATERAL ({} = asked.key{} OFFSET 0) AS found",
        sql.substr(0, at), sql.substr(at + one.size()));
}

PreparedStatements::Entry& PreparedStatements::find(std::string_view sql, Expect expect,
                                                    const std::vector<Oid>& types) {
    const auto found = entries_.find(sql);
    if (found != entries_.end())
        for (Variant& variant : found->second)
            if (variant.expect == expect && variant.types == types) return variant.entry;
    Entry entry{.name = {}, .text = with_expectation(sql, expect)};
    if (named_ == named_max) return unnamed_ = std::move(entry);
    entry.name = fmt::format("consentry_{}", ++named_);
    auto& variants = found != entries_.end() ? found->second : entries_[std::string(sql)];
    return variants.emplace_back(Variant{expect, types, std::move(entry)}).entry;
}

}  // namespace consentry::storage::postgres
