#include "features/feature_flags/feature_flags.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/best_effort.hpp"
#include "base/errors.hpp"
#include "crypto/digest.hpp"

namespace consentry {
namespace {

constexpr std::array<std::string_view, 8> known_names{"loginWithCredential",
                                                      "loginWithGoogle",
                                                      "loginWithGoogle.signUpAllowed",
                                                      "loginWithApple",
                                                      "loginWithApple.signUpAllowed",
                                                      "signUp",
                                                      "changePassword",
                                                      "changePassword.forgotAllowed"};

// The marker in place of a copy. No copy is empty.
constexpr std::string_view ask_the_database;

// Returns which of 100 equal parts of all users this user belongs to; the same for every flag.
std::int64_t part_of(const Uuid& user) {
    const auto digest = crypto::md5(user.text());
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = number << 8 | digest[i];
    return number % 100;
}

bool is_true(const boost::json::object& metadata, std::string_view key) {
    const auto* value = metadata.if_contains(key);
    return value != nullptr && value->is_bool() && value->get_bool();
}

bool is_same_kind(const boost::json::value& a, const boost::json::value& b) {
    return a.kind() == b.kind() || (a.is_number() && b.is_number());
}

bool is_empty(const boost::json::value& value) {
    return value.is_null() || (value.is_string() && value.get_string().empty());
}

// The program defines names and types of the members; an administrator may only change values.
bool has_form_of(const boost::json::object& wanted, const boost::json::object& stored) {
    return wanted.size() == stored.size() && std::ranges::all_of(wanted, [&](const auto& member) {
               const auto* present = stored.if_contains(member.key());
               return present != nullptr && is_same_kind(*present, member.value()) && !is_empty(member.value());
           });
}

// The values, if they are few: the activity log holds names, not records.
boost::json::object facts_of(const FeatureFlagRecord& flag, const boost::json::object& metadata) {
    constexpr std::size_t text_max = 1'024;
    const std::string text = boost::json::serialize(metadata);
    if (text.size() <= text_max) return {{"metadata", metadata}, {"featureFlag", flag.key}};
    return {{"metadataSha256", to_hex(crypto::sha256(text))}, {"featureFlag", flag.key}};
}

}  // namespace

bool FeatureFlags::concerns(const http::RequestContext&, const http::Operation& operation) const {
    return !operation.feature_flag.empty();
}

bool FeatureFlags::says_yes(const std::optional<State>& state, std::string_view name) {
    const auto dot = name.find('.');
    if (!state || !state->is_enabled) return false;
    return dot == std::string_view::npos || is_true(state->metadata, name.substr(dot + 1));
}

awaitable<bool> FeatureFlags::allows(std::string name, std::optional<Uuid> user) {
    const auto state = co_await find(name.substr(0, name.find('.')));
    co_return says_yes(state, name) && (!user || part_of(*user) < state->rollout_percent);
}

awaitable<Result<void>> FeatureFlags::admit(http::RequestContext& context, const http::Operation& operation) {
    const bool allowed = co_await allows(std::string(operation.feature_flag), context.caller.user);
    if (!allowed) co_return fail(errors::feature_flag_unavailable);
    co_return Result<void>{};
}

void FeatureFlags::check_names(const std::vector<std::unique_ptr<http::Operation>>& operations) {
    for (const auto& operation : operations)
        if (!operation->feature_flag.empty() &&
            std::ranges::find(known_names, operation->feature_flag) == known_names.end())
            throw std::logic_error("no feature flag for " + operation->id + ": " + operation->feature_flag);
}

std::string FeatureFlags::to_copy(const State& state) {
    return boost::json::serialize(boost::json::object{
        {"isEnable", state.is_enabled}, {"rolloutPercent", state.rollout_percent}, {"metadata", state.metadata}});
}

std::optional<FeatureFlags::State> FeatureFlags::read_copy(const std::string& text) {
    boost::system::error_code failed;
    const auto value = boost::json::parse(text, failed);
    if (failed || !value.is_object()) return std::nullopt;
    const auto* is_enabled = value.get_object().if_contains("isEnable");
    const auto* percent = value.get_object().if_contains("rolloutPercent");
    const auto* metadata = value.get_object().if_contains("metadata");
    if (is_enabled == nullptr || !is_enabled->is_bool() || percent == nullptr || !percent->is_int64() ||
        metadata == nullptr || !metadata->is_object())
        return std::nullopt;
    return State{is_enabled->get_bool(), percent->get_int64(), metadata->get_object()};
}

awaitable<std::optional<FeatureFlags::State>> FeatureFlags::find(std::string key) {
    const bool has_copies = settings_.cache_ttl > milliseconds{0};
    std::optional<std::string> copy;
    if (has_copies) {
        try {
            copy = co_await cache_.get(cache_key(key));
        } catch (const Unavailable&) {
            copy = ask_the_database;
        }
        if (copy) {
            if (auto state = read_copy(*copy)) co_return std::move(*state);
        }
    }
    const auto flag = co_await repository_.find_by_key(key);
    if (!flag) co_return std::nullopt;
    State state{flag->is_enabled, flag->rollout_percent, flag->metadata};
    if (has_copies && !copy)
        co_await best_effort([&] { return cache_.put_if_absent(cache_key(key), to_copy(state), settings_.cache_ttl); });
    co_return state;
}

awaitable<Result<FeatureFlagRecord>> FeatureFlags::begin_change(FeatureFlagId id) {
    auto flag = co_await repository_.find(id);
    if (!flag) co_return fail(errors::feature_flag_not_found);
    if (settings_.cache_ttl > milliseconds{0})
        co_await cache_.put(cache_key(flag->key), std::string(ask_the_database), settings_.cache_ttl);
    co_return std::move(*flag);
}

awaitable<Result<FeatureFlagRecord>> FeatureFlags::commit(PrivilegedTransaction change) {
    auto outcome = co_await std::move(change).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed) co_return fail(errors::feature_flag_not_found);
    co_return FeatureFlagRepository::changed(*outcome);
}

awaitable<Result<FeatureFlagRecord>> FeatureFlags::update_status(Actor by, FeatureFlagId id, bool is_enabled,
                                                                 std::int64_t rollout_percent, Cause cause) {
    auto begun = co_await begin_change(id);
    if (!begun) co_return fail(std::move(begun.error()));
    const TimePoint now = clock_.now();
    PrivilegedTransaction change(by, now);
    FeatureFlagRepository::add_status(change, id, is_enabled, rollout_percent, by.user(), now);
    Audit::add_by(change, by, ActivityAction::admin_feature_flag_update, cause, now,
                  {{"isEnable", is_enabled}, {"rolloutPercent", rollout_percent}, {"featureFlag", begun->key}});
    co_return co_await commit(std::move(change));
}

awaitable<Result<FeatureFlagRecord>> FeatureFlags::update_metadata(Actor by, FeatureFlagId id,
                                                                   boost::json::object metadata, Cause cause) {
    auto begun = co_await begin_change(id);
    if (!begun) co_return fail(std::move(begun.error()));
    // The names and types compared here never change.
    if (!has_form_of(metadata, begun->metadata)) co_return fail(errors::feature_flag_invalid_metadata);
    const TimePoint now = clock_.now();
    PrivilegedTransaction change(by, now);
    FeatureFlagRepository::add_metadata(change, id, metadata, by.user(), now);
    Audit::add_by(change, by, ActivityAction::admin_feature_flag_update, cause, now, facts_of(*begun, metadata));
    co_return co_await commit(std::move(change));
}

}  // namespace consentry
