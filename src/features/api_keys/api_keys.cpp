#include "features/api_keys/api_keys.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "crypto/random.hpp"

namespace consentry {
namespace {

void add_window(boost::json::object& facts, const ApiKeyWindow& window) {
    if (window.start_at) facts["startAt"] = to_iso8601(*window.start_at);
    facts["endAt"] = to_iso8601(window.end_at);
}

constexpr std::string_view header_name = "x-api-key";
constexpr std::size_t key_length = 25;     // after the environment: 148 bits rule out collisions
constexpr std::size_t secret_length = 50;  // 297 bits: cannot be guessed, so a fast digest is enough
constexpr std::size_t key_bytes_max = 64;

struct Shown {
    std::string_view key;
    std::string_view secret;
};

// Both parts must be non-blank. A comma means several merged headers, of which an intermediary might pick another one.
std::optional<Shown> parts_of(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || text.contains(',')) return std::nullopt;
    const Shown out{text.substr(0, colon), text.substr(colon + 1)};
    if (out.secret.contains(':') || trim(out.key).empty() || trim(out.secret).empty()) return std::nullopt;
    return out;
}

crypto::Sha256 digest_of(std::string_view key, std::string_view secret) {
    std::string text;
    text.append(key).append(":").append(secret);
    const crypto::Sha256 out = crypto::sha256(text);
    crypto::wipe(text);
    return out;
}

// Filters out text that cannot be a key: it needs no query and may not be valid text for the database.
bool can_be_key(std::string_view text) {
    return text.size() <= key_bytes_max &&
           std::ranges::all_of(text, [](char c) { return c == '_' || crypto::alphanumerics.contains(c); });
}

bool opens(ApiKeyType type, http::ApiKeyDemand demand) {
    switch (demand) {
        case http::ApiKeyDemand::none:
            return true;
        case http::ApiKeyDemand::as_configured:
            return type == ApiKeyType::default_;
        case http::ApiKeyDemand::system:
            return type == ApiKeyType::system;
    }
    return false;
}

bool may_hold(const Actor& by, ApiKeyType type) {
    return type != ApiKeyType::system ||
           std::ranges::all_of(system_key_abilities, [&](Ability ability) { return by.rights().allow(ability); });
}

const ErrorKind& while_off(const ApiKeyRecord& /*key*/, TimePoint /*now*/) { return errors::api_key_inactive; }
const ErrorKind& while_over_or_off(const ApiKeyRecord& key, TimePoint now) {
    return key.is_over_at(now) ? errors::api_key_expired : errors::api_key_inactive;
}

}  // namespace

bool ApiKeys::is_needed(const http::Operation& operation) const {
    return operation.api_key == http::ApiKeyDemand::system ||
           (settings_.required && operation.api_key == http::ApiKeyDemand::as_configured);
}

bool ApiKeys::concerns(const http::RequestContext& context, const http::Operation& operation) const {
    return is_needed(operation) || context.request.header(header_name).has_value();
}

awaitable<Result<void>> ApiKeys::admit(http::RequestContext& context, const http::Operation& operation) {
    if (context.request.count(header_name) > 1) co_return fail(errors::api_key_invalid);
    const std::string_view sent = trim(context.request.header(header_name).value_or(""));
    if (sent.empty()) co_return fail(errors::api_key_required);
    const auto shown = parts_of(sent);
    if (!shown) co_return fail(errors::api_key_invalid);

    // An unknown key takes as long as a wrong secret (KEY-1).
    const crypto::Sha256 digest = digest_of(shown->key, shown->secret);
    const auto found = co_await find(std::string(shown->key));
    constexpr crypto::Sha256 nobodys{};
    const bool is_right = crypto::equal_constant_time(found ? BytesView(found->digest) : BytesView(nobodys), digest);
    if (!found) co_return fail(errors::api_key_unknown);
    if (!is_right || !found->record.is_good_at(context.now)) co_return fail(errors::api_key_invalid);
    context.caller.api_key = found->record.id.uuid();
    if (!opens(found->record.type, operation.api_key)) co_return fail(errors::api_key_forbidden);
    co_return Result<void>{};
}

awaitable<std::optional<ApiKeyInUse>> ApiKeys::find(std::string key) {
    if (!can_be_key(key)) co_return std::nullopt;
    const auto copy = co_await best_effort([&] { return cache_.get(cache_key(key)); });
    if (const auto id = copy ? ApiKeyId::parse(*copy) : std::nullopt) {
        // By id, because the storage can merge the look-ups of many requests into one query.
        auto found = co_await repository_.find(*id);
        if (found && found->record.key == key) co_return std::move(found);
    }
    auto found = co_await repository_.find_by_key(key);
    if (found)
        co_await best_effort([&] { return cache_.put(cache_key(key), found->record.id.text(), settings_.cache_ttl); });
    co_return std::move(found);
}

void ApiKeys::check_window(std::optional<TimePoint> start_at, std::optional<TimePoint> end_at, Report& report) const {
    const TimePoint now = clock_.now();
    if (start_at && *start_at <= now) report.add("isAfterNow", "startAt");
    if (end_at && settings_.time_zone.day_end(*end_at) <= now) report.add("isAfterNow", "endAt");
}

Result<ApiKeyWindow> ApiKeys::whole_days(ApiKeyWindow window) const {
    Report report;
    check_window(window.start_at, window.end_at, report);
    if (!report.empty()) return fail(Error{errors::validation, report.take()});
    window.end_at = settings_.time_zone.day_end(window.end_at);
    if (window.start_at) window.start_at = settings_.time_zone.day_begin(*window.start_at);
    return window;
}

awaitable<Result<ApiKeyRecord>> ApiKeys::changed(PrivilegedTransaction transaction, ApiKeyId id, Bar bar) {
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (outcome->committed) co_return ApiKeyRepository::changed(*outcome);
    const auto found = co_await repository_.find(id);
    co_return fail(found ? bar(found->record, clock_.now()) : errors::api_key_not_found);
}

awaitable<Result<ApiKeyRecord>> ApiKeys::reachable(Actor by, ApiKeyId id) {
    auto found = co_await repository_.find(id);
    if (!found) co_return fail(errors::api_key_not_found);
    // The type of a key never changes.
    if (!may_hold(by, found->record.type)) co_return fail(errors::policy_forbidden);
    co_return std::move(found->record);
}

awaitable<Result<IssuedApiKey>> ApiKeys::create(Actor by, NewApiKey wanted, Cause cause) {
    if (!may_hold(by, wanted.type)) co_return fail(errors::policy_forbidden);
    const TimePoint now = clock_.now();
    IssuedApiKey out;
    ApiKeyRecord& record = out.record;
    if (wanted.window) {
        auto window = whole_days(*wanted.window);
        if (!window) co_return fail(std::move(window.error()));
        record.window = *window;
    }
    record.id = ApiKeyId::make(now);
    record.key = settings_.environment + "_" + crypto::random_text(key_length, crypto::alphanumerics);
    record.name = std::move(wanted.name);
    record.type = wanted.type;
    record.created_at = now;
    record.created_by = by.user();
    record.updated_at = now;
    record.updated_by = by.user();
    out.secret = crypto::random_text(secret_length, crypto::alphanumerics);
    PrivilegedTransaction transaction(by, now);
    ApiKeyRepository::add_insert(transaction, record, digest_of(record.key, out.secret));
    boost::json::object facts{
        {"apiKeyId", record.id.text()}, {"apiKeyName", record.name}, {"type", name_of(record.type)}};
    if (record.window) add_window(facts, *record.window);
    Audit::add_by(transaction, by, ActivityAction::admin_api_key_create, cause, now, std::move(facts));
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) throw std::runtime_error("API keys: the generator repeated a key");
    out.record = ApiKeyRepository::changed(*outcome);
    co_return std::move(out);
}

awaitable<Result<IssuedApiKey>> ApiKeys::reset(Actor by, ApiKeyId id, Cause cause) {
    auto found = co_await reachable(by, id);
    if (!found) co_return fail(std::move(found.error()));
    std::string secret = crypto::random_text(secret_length, crypto::alphanumerics);
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    ApiKeyRepository::add_digest(transaction, id, digest_of(found->key, secret), by.user(), now);
    Audit::add_by(transaction, by, ActivityAction::admin_api_key_reset, cause, now, {{"apiKeyId", id.text()}});
    auto record = co_await changed(std::move(transaction), id, while_off);
    if (!record) co_return fail(std::move(record.error()));
    co_return IssuedApiKey{std::move(*record), std::move(secret)};
}

awaitable<Result<ApiKeyRecord>> ApiKeys::rename(Actor by, ApiKeyId id, std::string name, Cause cause) {
    auto found = co_await reachable(by, id);
    if (!found) co_return fail(std::move(found.error()));
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    ApiKeyRepository::add_name(transaction, id, name, by.user(), now);
    Audit::add_by(transaction, by, ActivityAction::admin_api_key_update, cause, now,
                  {{"apiKeyId", id.text()}, {"apiKeyName", std::move(name)}});
    co_return co_await changed(std::move(transaction), id, while_off);
}

awaitable<Result<ApiKeyRecord>> ApiKeys::set_window(Actor by, ApiKeyId id, ApiKeyWindow window, Cause cause) {
    auto found = co_await reachable(by, id);
    if (!found) co_return fail(std::move(found.error()));
    auto days = whole_days(window);
    if (!days) co_return fail(std::move(days.error()));
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    ApiKeyRepository::add_window(transaction, id, *days, by.user(), now);
    boost::json::object facts{{"apiKeyId", id.text()}};
    add_window(facts, *days);
    Audit::add_by(transaction, by, ActivityAction::admin_api_key_update_date, cause, now, std::move(facts));
    co_return co_await changed(std::move(transaction), id, while_off);
}

awaitable<Result<ApiKeyRecord>> ApiKeys::set_status(Actor by, ApiKeyId id, bool is_active, Cause cause) {
    auto found = co_await reachable(by, id);
    if (!found) co_return fail(std::move(found.error()));
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    ApiKeyRepository::add_status(transaction, id, is_active, by.user(), now);
    Audit::add_by(transaction, by, ActivityAction::admin_api_key_update_status, cause, now,
                  {{"apiKeyId", id.text()}, {"isActive", is_active}});
    co_return co_await changed(std::move(transaction), id, while_over_or_off);
}

awaitable<Result<void>> ApiKeys::erased(PrivilegedTransaction transaction) {
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) co_return fail(errors::api_key_not_found);
    co_return Result<void>{};
}

awaitable<Result<void>> ApiKeys::erase(Actor by, ApiKeyId id, Cause cause) {
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    ApiKeyRepository::add_erase(transaction, id);
    Audit::add_by(transaction, by, ActivityAction::admin_api_key_delete, cause, now, {{"apiKeyId", id.text()}});
    co_return co_await erased(std::move(transaction));
}

awaitable<Result<void>> ApiKeys::erase_by_key(Actor by, std::string key) {
    if (!can_be_key(key)) co_return fail(errors::api_key_not_found);
    const TimePoint now = clock_.now();
    PrivilegedTransaction transaction(by, now);
    ApiKeyRepository::add_erase(transaction, key);
    Audit::add_by(transaction, by, ActivityAction::admin_api_key_delete, {}, now, {{"apiKey", key}});
    co_return co_await erased(std::move(transaction));
}

}  // namespace consentry
