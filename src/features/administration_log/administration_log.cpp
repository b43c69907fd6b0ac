#include "features/administration_log/administration_log.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <openssl/crypto.h>

#include "crypto/random.hpp"

namespace consentry {
namespace {

constexpr std::string_view log_name = "administration";
constexpr std::int64_t acts_at_once = 100;

// One secret to keep, and two keys that outsiders cannot connect.
crypto::PrivateKey derived_key(const crypto::PrivateKey& consent_key) {
    Bytes secret = consent_key.ed25519_seed();
    Bytes seed = crypto::hkdf_sha256(secret, "consentry administration log v1", secret.size());
    OPENSSL_cleanse(secret.data(), secret.size());
    auto key = crypto::PrivateKey::from_ed25519_seed(seed);
    OPENSSL_cleanse(seed.data(), seed.size());
    if (!key) throw std::logic_error(key.error());
    return std::move(*key);
}

PublishedLog::Options log_options(const AdministrationLogSettings& settings, const Clock& clock) {
    return PublishedLog::options_of(administration_log_claim(settings),
                                    settings.witness_lines.empty() ? nullptr : &clock);
}

std::optional<ShownAccount> shown(const SubjectTag& tag, const std::map<Bytes, TaggedAccount>& accounts) {
    if (tag == no_tag) return std::nullopt;
    ShownAccount out{.id = {}, .email = {}, .tag = to_hex(tag)};
    const auto found = accounts.find(Bytes(tag.begin(), tag.end()));
    if (found == accounts.end()) return out;
    out.id = found->second.id;
    // In place of the address of a deleted account.
    if (!found->second.email.starts_with("deleted:")) out.email = found->second.email;
    return out;
}

}  // namespace

LogPlace administration_log_place() {
    return {.name = log_name, .area = storage::Area::private_area, .folder = "administration-log"};
}

LogClaim administration_log_claim(const AdministrationLogSettings& settings) {
    return {.place = administration_log_place(),
            .origin = settings.origin + std::string(administration_log_suffix),
            .origin_is_given = settings.origin_is_given,
            .key = derived_key(settings.consent_key)};
}

AdministrationLog::AdministrationLog(storage::Database& database, storage::ObjectStore& store, const Clock& clock,
                                     AdministrationLogSettings settings)
    : database_(database),
      store_(store),
      clock_(clock),
      repository_(database),
      entries_(database, log_name),
      acts_(database),
      settings_(std::move(settings)),
      key_(derived_key(settings_.consent_key)),
      published_(database, store, key_, log_options(settings_, clock)) {}

awaitable<void> AdministrationLog::take_in_all() {
    for (bool more = true; more;) more = co_await take_in();
}

awaitable<void> AdministrationLog::work() {
    co_await take_in_all();
    co_await published_.work();
}

// The tags of all accounts that these acts name. Adds those that an account does not have yet to the transaction,
// which fails there if another one has added it meanwhile.
awaitable<std::map<UserId, SubjectTag>> AdministrationLog::tags_of(std::vector<Act> acts,
                                                                   storage::Transaction& transaction) {
    std::vector<UserId> users;
    for (const Act& act : acts)
        for (const auto& user : {act.actor, act.subject})
            if (user) users.push_back(*user);
    std::ranges::sort(users);
    const auto [rest, end] = std::ranges::unique(users);
    users.erase(rest, end);
    std::map<UserId, SubjectTag> out;
    const auto known = co_await repository_.accounts(users);
    for (const TaggedAccount& account : known) out[account.id] = stored_tag(account.tag);
    for (const UserId user : users) {
        if (out.contains(user)) continue;
        const auto made = crypto::random_array<SubjectTag>();
        SubjectRepository::add_insert(transaction, user, made);
        out[user] = made;
    }
    co_return out;
}

// Returns whether more acts may wait. If another process takes in the same acts, one of the two transactions fails;
// what the other one has left is then taken in next time.
awaitable<bool> AdministrationLog::take_in() {
    const auto acts = co_await acts_.list_pending(acts_at_once);
    if (acts.empty()) co_return false;
    storage::Transaction transaction;
    const auto tags = co_await tags_of(acts, transaction);
    const TimePoint now = clock_.now();
    for (const Act& act : acts) {
        const auto salt = crypto::random_array<AddendumSalt>();
        ActEntry entry{.code = act.code, .is_late = now - act.at > merge_delay};
        entry.time = std::chrono::floor<std::chrono::seconds>(act.at);
        if (act.actor) entry.actor = tags.at(*act.actor);
        if (act.subject) entry.subject = tags.at(*act.subject);
        entry.addendum = crypto::sha256(addendum_text(act, salt));
        ActRepository::add_logged(transaction, act.id);
        AdministrationLogRepository::add_entry(transaction, act.id, format_entry(entry), salt);
    }
    const auto outcome = co_await database_.commit(std::move(transaction));
    co_return outcome.committed&& std::ssize(acts) == acts_at_once;
}

awaitable<std::int64_t> AdministrationLog::size() {
    const auto state = co_await entries_.find_state();
    co_return state ? state->size : 0;
}

awaitable<std::map<Bytes, TaggedAccount>> AdministrationLog::accounts_of(const std::vector<ActEntry>& entries) {
    std::vector<Bytes> tags;
    for (const ActEntry& entry : entries)
        for (const SubjectTag& tag : {entry.actor, entry.subject})
            if (tag != no_tag) tags.emplace_back(tag.begin(), tag.end());
    std::ranges::sort(tags);
    const auto [rest, end] = std::ranges::unique(tags);
    tags.erase(rest, end);
    auto found = co_await repository_.accounts(tags);
    std::map<Bytes, TaggedAccount> out;
    for (TaggedAccount& account : found) out.emplace(account.tag, std::move(account));
    co_return out;
}

awaitable<std::vector<ShownAct>> AdministrationLog::show(std::int64_t from, std::int64_t to) {
    const auto stored = co_await entries_.existing(from, to);
    std::vector<ActEntry> read;
    for (const StoredEntry& one : stored)
        if (const auto entry = parse_act_entry(one.entry)) read.push_back(*entry);
    const auto accounts = co_await accounts_of(read);
    std::vector<ShownAct> out;
    for (const StoredEntry& one : stored) {
        const auto entry = parse_act_entry(one.entry);
        ShownAct act{.position = one.position};
        if (entry) {
            act.code = entry->code;
            act.time = entry->time;
            act.is_late = entry->is_late;
            act.actor = shown(entry->actor, accounts);
            act.subject = shown(entry->subject, accounts);
        } else {
            act.damage = entry.error();
        }
        out.push_back(std::move(act));
    }
    co_return out;
}

}  // namespace consentry
