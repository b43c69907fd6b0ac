#include "features/published_logs/cosigning.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/host_port.hpp"
#include "base/whole_file.hpp"
#include "base/wrong_settings.hpp"
#include "tlog/witness_protocol.hpp"

namespace consentry {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds first_retry = 1s;
constexpr milliseconds last_retry = 1min;
constexpr std::size_t requests_at_once_max = 16;
constexpr std::size_t signatures_bytes_max = 64 * 1024;  // a few signature lines

std::string_view meaning_of(unsigned status) {
    switch (status) {
        case 403:
            return ": it does not accept the log's signature";
        case 404:
            return ": it does not know the log";
        case 422:
            return ": it does not accept the proof that the log continues the one it knows";
        default:
            return "";
    }
}

bool is_url(std::string_view text) {
    return (text.starts_with("http://") || text.starts_with("https://")) && has_possible_port(text);
}

}  // namespace

// One checkpoint on its way to the witnesses. Used by one thread.
struct Cosigning::Round {
    explicit Round(const asio::any_io_executor& executor) : done(executor) {}

    std::string checkpoint;      // signed by the log alone
    tlog::Note note;             // the same, with the cosignatures so far
    tlog::Checkpoint tree;       // what `checkpoint` says
    TimePoint latest_at;         // when it was the latest checkpoint
    std::vector<bool> cosigned;  // by each witness
    std::size_t open = 0;        // requests under way
    bool is_kept = false;        // the quorum has cosigned it
    std::exception_ptr failure;  // of the database or the object store
    asio::steady_timer done;

    std::int64_t cosignatures() const { return std::ranges::count(cosigned, true); }
};

// A cosignature, or why there is none. Neither: another process is ahead with a later checkpoint.
struct Cosigning::Outcome {
    std::optional<tlog::NoteSignature> signature;
    std::string kind;  // of failure
    std::string why;

    static Outcome failure(std::string kind, std::string why) {
        return {.signature = {}, .kind = std::move(kind), .why = std::move(why)};
    }
};

WitnessPolicy read_witnesses(const std::filesystem::path& file) {
    const auto text = read_whole_file(file);
    if (!text) throw WrongSettings(fmt::format("cannot read {}", file.string()));
    auto policy = tlog::Policy::parse(*text);
    if (!policy) throw WrongSettings(fmt::format("{}: {}", file.string(), policy.error()));
    if (policy->witnesses().empty()) throw WrongSettings(fmt::format("{} names no witness", file.string()));
    for (const tlog::PolicyWitness& witness : policy->witnesses())
        if (!is_url(witness.url))
            throw WrongSettings(
                fmt::format("{}: the line of witness {} must end with its URL, which begins with https:// or http:// "
                            "and has no port or one from 1 to 65535",
                            file.string(), witness.name));
    return {.policy = std::move(*policy), .lines = tlog::verifier_lines(*text)};
}

Cosigning::Witness::Witness(const tlog::PolicyWitness& policy, std::string_view log, const Options& options)
    // An attacker who reads or changes plain HTTP learns only what is public, and cannot forge a cosignature.
    : policy_(policy),
      log_(log),
      timeout_(options.timeout),
      client_({.ca_file = options.ca_file, .plain_http = true}) {}

Cosigning::Reply Cosigning::Witness::post(const std::string& body, const std::stop_token& stop) {
    std::string url = policy_.url;
    if (url.ends_with('/')) url.pop_back();
    const net::HttpRequest request{.method = "POST",
                                   .url = url + "/add-checkpoint",
                                   .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
                                   .body = body,
                                   .timeout = timeout_,
                                   .answer_bytes_max = signatures_bytes_max};
    try {
        return {.response = client_.fetch(request, stop), .silence = {}};
    } catch (const Unavailable& outage) {
        return {.response = {}, .silence = outage.what()};
    }
}

std::uint64_t Cosigning::Witness::known_size() const {
    const std::scoped_lock lock(mutex_);
    return known_size_;
}

void Cosigning::Witness::knows(std::uint64_t size) {
    const std::scoped_lock lock(mutex_);
    known_size_ = size;
}

// A clock that was set back does not prolong the wait.
bool Cosigning::Witness::begins(TimePoint now) {
    const std::scoped_lock lock(mutex_);
    const bool is_due = now >= retry_at_ || now < failed_at_;
    return is_due && !std::exchange(is_busy_, true);
}

void Cosigning::Witness::ended() {
    const std::scoped_lock lock(mutex_);
    is_busy_ = false;
}

void Cosigning::Witness::succeeded(spdlog::logger& log) {
    const std::scoped_lock lock(mutex_);
    if (!std::exchange(trouble_, {}).empty()) log.info("witness {} cosigns the {} log again", policy_.name, log_);
    failures_ = 0;
    retry_at_ = failed_at_ = {};
}

void Cosigning::Witness::failed(std::string_view kind, const std::string& why, TimePoint now, spdlog::logger& log) {
    const std::scoped_lock lock(mutex_);
    if (trouble_ != kind)
        log.warn("witness {} does not cosign the {} log and will be asked again: {}", policy_.name, log_, why);
    trouble_ = kind;
    failed_at_ = now;
    retry_at_ = now + std::min(first_retry * (1 << std::min(failures_++, 10)), last_retry);
}

Cosigning::Cosigning(PublishedLog& log, const Clock& clock, Options options)
    : log_(log),
      clock_(clock),
      policy_(std::move(options.policy)),
      messages_(spdlog::default_logger()),
      requests_({.name = "witnesses",
                 .threads = std::min(policy_.witnesses().size(), requests_at_once_max),
                 .queue_max = 4 * tlog::policy_definitions_max}) {
    for (const tlog::PolicyWitness& witness : policy_.witnesses())
        witnesses_.push_back(std::make_unique<Witness>(witness, log_.name(), options));
}

Cosigning::~Cosigning() { stopping_.request_stop(); }

void Cosigning::check_log() const {
    if (policy_.logs().empty()) return;
    const std::string own = log_.verifier().text();
    const bool is_named =
        std::ranges::any_of(policy_.logs(), [&](const tlog::PolicyLog& log) { return log.key.text() == own; });
    if (!is_named)
        throw WrongSettings(
            fmt::format("CONSENT_LOG_WITNESSES: the policy does not name this log. Add the line: log {}", own));
}

awaitable<void> Cosigning::work() {
    if (log_.signer() == nullptr) co_return;  // its own task opens it
    check_log();
    const TimePoint now = clock_.now();  // before the state is read: no later checkpoint is older
    LogState known = co_await log_.state();
    if (known.published == 0) co_return;
    const auto executor = co_await asio::this_coro::executor;
    auto round = std::make_shared<Round>(executor);
    round->latest_at = now;
    begin(*round, known);
    std::vector<std::size_t> due;
    for (std::size_t i = 0; i < witnesses_.size(); ++i)
        if (!round->cosigned[i] && witnesses_[i]->begins(now)) due.push_back(i);
    co_await gather(round, std::move(due));
    // Without a quorum to wait for, a checkpoint that no witness has cosigned is as good as any.
    if (known.cosigned_size < known.published && round->cosignatures() == 0) co_await keep(round);
}

// Continues with the cosignatures that are stored already.
void Cosigning::begin(Round& round, const LogState& known) const {
    round.checkpoint = known.checkpoint;
    round.tree = stored_checkpoint(known.checkpoint);
    round.cosigned.assign(witnesses_.size(), false);
    const bool is_cosigned = known.cosigned_size == known.published;
    auto note = tlog::parse_note(is_cosigned ? known.cosigned_checkpoint : known.checkpoint);
    if (!note) throw LogRefused("The database's log is damaged: " + note.error() + ". Restore it from a backup.");
    round.note = std::move(*note);
    for (const tlog::NoteSignature& signature : round.note.signatures)
        for (std::size_t i = 0; i < witnesses_.size(); ++i)
            if (policy_.witnesses()[i].key.made(signature)) round.cosigned[i] = true;
}

awaitable<void> Cosigning::gather(std::shared_ptr<Round> round, std::vector<std::size_t> witnesses) {
    const auto executor = co_await asio::this_coro::executor;
    round->open = witnesses.size();
    for (const std::size_t place : witnesses)
        asio::co_spawn(executor, ask(round, place), [round](const std::exception_ptr& failure) {
            if (failure) round->failure = failure;
            if (--round->open == 0) round->done.cancel();
        });
    round->done.expires_at(std::chrono::steady_clock::time_point::max());
    while (round->open > 0 && !round->is_kept) co_await round->done.async_wait(asio::as_tuple(asio::use_awaitable));
    if (round->failure) std::rethrow_exception(round->failure);
}

awaitable<void> Cosigning::ask(std::shared_ptr<Round> round, std::size_t place) {
    std::exception_ptr failure;
    try {
        co_await ask_one(round, place);
    } catch (...) {
        failure = std::current_exception();
    }
    // Not by a destructor: if the service ends meanwhile, this coroutine is destroyed later than the witness.
    witnesses_[place]->ended();
    if (failure) std::rethrow_exception(failure);
}

awaitable<void> Cosigning::ask_one(std::shared_ptr<Round> round, std::size_t place) {
    Witness& witness = *witnesses_[place];
    Outcome outcome = co_await request(round, place);
    if (outcome.signature) {
        witness.succeeded(*messages_);
        witness.knows(round->tree.size);
        round->cosigned[place] = true;
        round->note.signatures.push_back(std::move(*outcome.signature));
        co_await keep(round);
    } else if (!outcome.kind.empty()) {
        witness.failed(outcome.kind, outcome.why, clock_.now(), *messages_);
    }
}

// The first request may be refused because the witness knows another checkpoint than this process remembers; the
// second one continues from that.
awaitable<Cosigning::Outcome> Cosigning::request(std::shared_ptr<Round> round, std::size_t place) {
    Witness& witness = *witnesses_[place];
    std::uint64_t old = std::min(witness.known_size(), round->tree.size);
    for (bool is_first = true;; is_first = false) {
        tlog::AddCheckpoint call{.old_size = old, .proof = {}, .checkpoint = round->checkpoint};
        FormerTree former = co_await log_.prove_former(old, round->tree);
        call.proof = std::move(former.consistency);
        std::string body = tlog::format_add_checkpoint(call);
        const Reply reply = co_await requests_.run(
            [&witness, body = std::move(body), stop = stopping_.get_token()] { return witness.post(body, stop); });
        if (!reply.silence.empty()) co_return Outcome::failure("silence", "it does not respond: " + reply.silence);
        const net::HttpResponse& response = reply.response;
        if (response.status == 200) co_return read_signatures(*round, witness.policy().key, response.body);
        if (response.status != 409)
            co_return Outcome::failure(fmt::format("status {}", response.status),
                                       fmt::format("it answers {}{}", response.status, meaning_of(response.status)));
        const auto size = tlog::parse_tree_size(response.body);
        const bool is_size = response.header("content-type").value_or("").starts_with(tlog::tree_size_media_type);
        if (!size || !is_size)
            co_return Outcome::failure("garbage", "its answer 409 does not name the size that it knows");
        witness.knows(*size);
        const bool leads_on = is_first && *size != old && *size <= round->tree.size;
        if (!leads_on) co_return co_await explain_conflict(round, old, *size);
        old = *size;
    }
}

// Unknown keys may have signed too. A false signature in the witness's name spoils the whole answer.
Cosigning::Outcome Cosigning::read_signatures(const Round& round, const tlog::VerifierKey& key,
                                              std::string_view lines) {
    auto signatures = tlog::parse_signature_lines(lines);
    if (!signatures) return Outcome::failure("garbage", "its answer has no signature lines: " + signatures.error());
    const auto own = [&](const tlog::NoteSignature& signature) { return key.made(signature); };
    const auto first = std::ranges::find_if(*signatures, own);
    if (first == signatures->end())
        return Outcome::failure("stranger", "its cosignature is by a key other than the one that the policy names");
    for (const tlog::NoteSignature& signature : *signatures)
        if (own(signature) && !key.verify(round.note.text, signature.signature))
            return Outcome::failure("false signature", "its cosignature is invalid");
    return {.signature = std::move(*first), .kind = {}, .why = {}};
}

// Another process may have had a later checkpoint cosigned. Otherwise the witness has seen what this log does not
// contain.
awaitable<Cosigning::Outcome> Cosigning::explain_conflict(std::shared_ptr<Round> round, std::uint64_t old,
                                                          std::uint64_t size) {
    if (size == old && size == round->tree.size)
        co_return Outcome::failure("fork", fmt::format("it has cosigned another log of this name with {} entries. "
                                                       "Find out which database is the right one",
                                                       size));
    const LogState known = co_await log_.state();
    if (size > static_cast<std::uint64_t>(known.published))
        co_return Outcome::failure("ahead", fmt::format("it has cosigned {} entries, but the database has published "
                                                        "only {}: is it an old backup?",
                                                        size, known.published));
    if (size == old) co_return Outcome::failure("garbage", "it refuses the size that it names itself");
    co_return Outcome{};
}

awaitable<void> Cosigning::keep(std::shared_ptr<Round> round) {
    if (!policy_.has_quorum(round->cosigned)) co_return;
    // Counts those of former witnesses as well: they stay in the note, and a note with more replaces one with fewer.
    CosignedCheckpoint cosigned{.size = static_cast<std::int64_t>(round->tree.size),
                                .cosignatures = std::ssize(round->note.signatures) - 1,
                                .note = tlog::format_note(round->note),
                                .latest_at = round->latest_at};
    co_await log_.keep_cosigned(std::move(cosigned));
    round->is_kept = true;
    round->done.cancel();
}

}  // namespace consentry
