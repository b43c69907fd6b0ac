#include "features/consent_log/consent_log.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/errors.hpp"
#include "crypto/jws.hpp"
#include "crypto/random.hpp"
#include "features/consent_log/formats.hpp"
#include "tlog/note.hpp"

namespace consentry {
namespace {

constexpr std::string_view log_name = "consent";
constexpr std::size_t description_bytes_max = 1 << 20;

crypto::Sha256 digest_of(std::string_view hex) {
    if (hex.empty()) return {};
    const auto digest = to_array<crypto::Sha256>(from_hex(hex).value_or(Bytes{}));
    if (!digest) throw std::logic_error("consent log: a content hash is not a SHA-256");
    return *digest;
}

boost::json::object claims_of(AcceptanceId id, const ConsentEntry& entry, BytesView bytes, const std::string& issuer,
                              const std::string& origin) {
    boost::json::object out{{"iss", issuer},
                            {"sub", to_hex(entry.subject)},
                            {"jti", id.text()},
                            {"iat", entry.time.time_since_epoch().count()},
                            {"action", name_of(entry.action)},
                            {"policy", boost::json::object{{"type", name_of(entry.type)},
                                                           {"version", entry.version},
                                                           {"language", name_of(entry.language)},
                                                           {"contentHash", to_hex(entry.content)}}},
                            {"addendumHash", to_hex(entry.addendum)},
                            {"log", origin},
                            {"entryHash", to_hex(tlog::leaf_hash(bytes))},
                            {"mergeDelay", merge_delay.count()}};
    if (entry.is_late) out["late"] = true;
    return out;
}

std::optional<std::string> addendum_of(const OwnEntry& logged) {
    const auto entry = parse_entry(logged.entry);
    const auto salt = logged.salt ? to_array<AddendumSalt>(*logged.salt) : std::nullopt;
    if (!entry || !salt) return std::nullopt;
    std::string text = addendum_text(logged.addendum, *salt);
    if (crypto::sha256(text) != entry->addendum) return std::nullopt;
    return text;
}

// For an entry that is not published yet: nothing but its row shows what it should say.
bool is_about_its_row(const OwnEntry& logged) {
    const auto entry = parse_entry(logged.entry);
    return entry && logged.action == name_of(entry->action) && logged.type == name_of(entry->type) &&
           std::cmp_equal(logged.version, entry->version) && logged.language == name_of(entry->language) &&
           addendum_of(logged);
}

PublishedLog::Options log_options(const ConsentLogSettings& settings, const Clock& clock) {
    return PublishedLog::options_of(consent_log_claim(settings), settings.witness_lines.empty() ? nullptr : &clock);
}

}  // namespace

awaitable<std::vector<ReceiptKey>> unsigned_receipt_keys(storage::Database& database,
                                                         std::optional<tlog::VerifierKey> log) {
    if (!log) {
        const auto state = co_await LogRepository(database, log_name).find_state();
        if (auto key = tlog::VerifierKey::parse(state ? state->verifier_key : "")) log = std::move(*key);
    }
    if (!log) co_return std::vector<ReceiptKey>();
    const auto point = crypto::PublicKey::from_ed25519(log->point()).value();
    auto out = co_await ConsentLogRepository(database).list_receipt_keys();
    std::erase_if(out, [&](const ReceiptKey& key) { return ReceiptKeys::is_signed(key, point); });
    co_return out;
}

LogPlace consent_log_place() { return {.name = log_name, .area = storage::Area::public_area, .folder = "consent-log"}; }

LogClaim consent_log_claim(const ConsentLogSettings& settings) {
    return {.place = consent_log_place(),
            .origin = settings.origin + std::string(consent_log_suffix),
            .origin_is_given = settings.origin_is_given,
            .key = settings.key};
}

ConsentLog::ConsentLog(storage::Database& database, storage::ObjectStore& store, const Clock& clock, KeyRing& keys,
                       WorkerPool& signing, ConsentLogSettings settings, const PublishedLog* administration)
    : repository_(database),
      subjects_(database),
      clock_(clock),
      keys_(keys),
      signing_(signing),
      settings_(std::move(settings)),
      published_(database, store, settings_.key, log_options(settings_, clock_)),
      administration_(administration),
      store_(store),
      receipt_keys_(database, store, clock, settings_.key) {}

awaitable<void> ConsentLog::check() {
    co_await published_.check();
    const auto signing = keys_.keys(TokenKind::access)->signing;
    co_await receipt_keys_.check(*signing);
}

awaitable<void> ConsentLog::open() {
    co_await published_.open();
    co_await receipt_keys_.adopt_former();
}

awaitable<void> ConsentLog::work_on_keys() {
    if (published_.signer() == nullptr) co_return;  // its own task opens it
    const auto signing = keys_.keys(TokenKind::access)->signing;
    co_await receipt_keys_.keep(*signing);
    co_await receipt_keys_.adopt_former();
    if (administration_ == nullptr || administration_->signer() != nullptr) co_await keep_description();
}

awaitable<void> ConsentLog::keep_description() {
    const std::string note = co_await description_note();
    const std::size_t hash = std::hash<std::string>{}(note);
    if (described_ == hash) co_return;
    const auto stored =
        co_await store_.get(storage::Area::public_area, std::string(description_object), description_bytes_max);
    if (!stored || stored->bytes != note)
        co_await store_.put(storage::Area::public_area, std::string(description_object), note,
                            "text/plain; charset=utf-8");
    described_ = hash;
}

awaitable<SubjectTag> ConsentLog::subject_of(UserId user, storage::Transaction& transaction) {
    if (const auto added = SubjectRepository::inserted(transaction, user)) co_return *added;
    const auto known = co_await subjects_.find(user);
    if (known) co_return *known;
    const auto made = crypto::random_array<SubjectTag>();
    SubjectRepository::add_insert(transaction, user, made);
    co_return made;
}

Bytes ConsentLog::add(storage::Transaction& transaction, const ConsentEvent& event, const SubjectTag& subject) {
    const auto salt = crypto::random_array<AddendumSalt>();
    ConsentEntry entry{.action = event.action, .is_late = event.is_late, .type = event.type};
    entry.version = static_cast<std::uint32_t>(event.version);
    entry.language = event.language;
    entry.content = digest_of(event.content_hash);
    entry.time = std::chrono::floor<std::chrono::seconds>(event.at);
    entry.subject = subject;
    entry.addendum = crypto::sha256(addendum_text(event.addendum, salt));
    Bytes bytes = format_entry(entry);
    ConsentLogRepository::add_consent(transaction, event.addendum.acceptance, bytes, salt);
    return bytes;
}

// The description must name the key before a client has a receipt of it.
awaitable<std::string> ConsentLog::receipt(storage::Transaction& transaction, AcceptanceId id, Bytes entry) {
    const auto key = keys_.keys(TokenKind::access)->signing;
    co_await receipt_keys_.add_to(transaction, *key);
    co_return co_await sign(key, id, std::move(entry));
}

awaitable<std::string> ConsentLog::sign(std::shared_ptr<const SigningKey> key, AcceptanceId id, Bytes entry) {
    const auto read = parse_entry(entry);
    if (!read) throw std::runtime_error("the database's log is damaged: " + read.error());
    const std::string origin = co_await published_.origin();
    const std::string payload = boost::json::serialize(claims_of(id, *read, entry, settings_.issuer, origin));
    co_return co_await signing_.run(
        [key, payload] { return crypto::sign_jws(key->key, key->kid, receipt_type, payload); });
}

// What a receipt says again. Throws as PublishedLog::prove() does: an attacker in the database can change an entry and
// its row there, but not what is published.
awaitable<void> ConsentLog::require_genuine(OwnEntry logged) {
    if (logged.position) {
        const auto proof = co_await published_.prove(*logged.position, logged.entry);
        if (proof) co_return;
    }
    if (!is_about_its_row(logged))
        throw Unavailable("an entry of the consent log is not about the acceptance of its id");
}

awaitable<Result<std::string>> ConsentLog::receipt_of(UserId user, AcceptanceId id) {
    auto found = co_await repository_.find_consent(user, id);
    if (!found) co_return fail(errors::term_policy_receipt_not_found);
    co_await require_genuine(*found);
    const auto key = keys_.keys(TokenKind::access)->signing;
    co_await receipt_keys_.keep(*key);
    co_return co_await sign(key, id, std::move(found->entry));
}

awaitable<Result<std::string>> ConsentLog::proof_of(UserId user, AcceptanceId id) {
    const auto found = co_await repository_.find_consent(user, id);
    if (!found) co_return fail(errors::term_policy_receipt_not_found);
    if (!found->position) co_return fail(errors::term_policy_log_pending);
    const auto proof = co_await published_.prove(*found->position, found->entry);
    if (!proof) co_return fail(errors::term_policy_log_pending);
    co_return tlog::format_proof_file(*proof);
}

awaitable<std::vector<OwnRecord>> ConsentLog::records_of(UserId user, AcceptanceId after, std::int64_t count,
                                                         std::string checkpoint) {
    const auto found = co_await repository_.list_consents(user, after, count);
    std::vector<OwnRecord> out;
    if (found.empty()) co_return out;
    const auto key = keys_.keys(TokenKind::access)->signing;
    co_await receipt_keys_.keep(*key);
    for (const OwnEntry& logged : found) {
        std::optional<tlog::ProofFile> proof;
        if (logged.position) proof = co_await published_.prove_in(checkpoint, *logged.position, logged.entry);
        if (!proof) co_await require_genuine(logged);
        const AcceptanceId id = logged.addendum.acceptance;
        OwnRecord record{.acceptance = id,
                         .receipt = co_await sign(key, id, logged.entry),
                         .proof = {},
                         .addendum = addendum_of(logged)};
        if (proof) record.proof = tlog::format_proof_file(*proof);
        out.push_back(std::move(record));
    }
    co_return out;
}

std::string ConsentLog::policy_text() const {
    const tlog::NoteSigner* signer = published_.signer();
    if (signer == nullptr) return {};
    return "log " + signer->verifier().text() + "\n" +
           (settings_.witness_lines.empty() ? "quorum none\n" : settings_.witness_lines);
}

awaitable<boost::json::object> ConsentLog::description() {
    const tlog::NoteSigner* signer = published_.signer();
    if (signer == nullptr) throw Unavailable("the consent log is not open yet");
    const auto signing = keys_.keys(TokenKind::access)->signing;
    co_await receipt_keys_.keep(*signing);
    boost::json::array keys = co_await receipt_keys_.list();
    boost::json::object out{{"origin", signer->verifier().name()},
                            {"verifierKey", signer->verifier().text()},
                            {"mergeDelay", merge_delay.count()},
                            {"receiptKeys", boost::json::object{{"keys", std::move(keys)}}}};
    if (administration_ == nullptr) co_return out;
    const tlog::NoteSigner* other = administration_->signer();
    if (other == nullptr) throw Unavailable("the administration log is not open yet");
    out["administration"] =
        boost::json::object{{"origin", other->verifier().name()}, {"verifierKey", other->verifier().text()}};
    co_return out;
}

awaitable<std::string> ConsentLog::description_note() {
    const auto described = co_await description();
    tlog::Note note{.text = std::string(description_title) + "\n" + boost::json::serialize(described) + "\n",
                    .signatures = {}};
    note.signatures.push_back(published_.signer()->sign(note.text));
    co_return tlog::format_note(note);
}

}  // namespace consentry
