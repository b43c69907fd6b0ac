// Request types of exports of the consent log.
#pragma once

#include <optional>

#include "features/consent_proof/bundle_source.hpp"
#include "http/schema/fields.hpp"

namespace consentry {

struct ConsentExportQuery {
    std::optional<UserId> user;
    std::optional<PolicyType> type;
    std::optional<TimePoint> from;
    std::optional<TimePoint> to;
    std::optional<bool> without_addenda;

    BundleFilter filter() const {
        return {
            .user = user, .type = type, .from = from, .before = to, .with_addenda = !without_addenda.value_or(false)};
    }

    static constexpr std::string_view schema_name = "ConsentExportQuery";
    static constexpr auto fields() {
        using http::field;
        using Dto = ConsentExportQuery;
        return std::tuple{
            field("user", &Dto::user, "Account ID: only entries about this account"),
            field("type", &Dto::type, "Only entries about this policy type"),
            field("from", &Dto::from, "Only entries from this time on"),
            field("to", &Dto::to, "Only entries before this time, which must be after `from`"),
            field("withoutAddenda", &Dto::without_addenda,
                  "Leave out the evidence, which names the account, session, IP address and client program"),
        };
    }
    static void check(const ConsentExportQuery& query, Report& report) {
        if (query.from && query.to && *query.to <= *query.from) report.add("isAfter", "to", {{"other", "from"}});
    }
};

}  // namespace consentry
