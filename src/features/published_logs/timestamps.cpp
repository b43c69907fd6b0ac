#include "features/published_logs/timestamps.hpp"

#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crypto/timestamp.hpp"
#include "features/published_logs/stamp_objects.hpp"

namespace consentry {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds interval = 1h;
constexpr milliseconds retry_after = 5min;
// After an outage, entries wait to be published. A stamp on the state before them would make verifiers call them
// backdated: they allow 60 seconds (consent_proof/entry_doubts.cpp).
constexpr milliseconds unpublished_max = 30s;
constexpr std::string_view answer_type = "application/timestamp-reply";

}  // namespace

awaitable<std::optional<std::string>> PublishedLog::begin_stamp(TimePoint now, TimePoint limit, TimePoint settled) {
    return repository_.begin_stamp(now, limit, settled);
}

awaitable<void> PublishedLog::keep_stamp(std::uint64_t size, std::string answer) {
    co_await store_.put(options_.area, key_of(stamp_name(size)), std::move(answer), std::string(answer_type));
    co_await repository_.keep_stamp(static_cast<std::int64_t>(size));
}

awaitable<void> PublishedLog::redate_stamp(TimePoint began, TimePoint instead) {
    return repository_.redate_stamp(began, instead);
}

awaitable<std::optional<std::string>> PublishedLog::stamp(std::uint64_t size) {
    auto object = co_await store_.get(options_.area, key_of(stamp_name(size)), stamp_bytes_max);
    if (!object) co_return std::nullopt;
    co_return std::move(object->bytes);
}

// Verifiers refuse a bundle with a damaged timestamp, but not one without.
awaitable<NewestStamp> PublishedLog::newest_stamp(tlog::Checkpoint checkpoint) {
    const LogState known = co_await state();
    const auto size = static_cast<std::uint64_t>(known.stamped_size);
    if (size == 0 || size > checkpoint.size) co_return NewestStamp{};
    auto answer = co_await stamp(size);
    if (answer) {
        auto stamped = co_await prove_former(size, checkpoint);
        std::string text = tlog::format_checkpoint({checkpoint.origin, size, stamped.root});
        if (crypto::verify_timestamp(as_bytes(*answer), crypto::sha256(text), {}))
            co_return NewestStamp{.stamp = StampedCheckpoint{.size = size,
                                                             .text = std::move(text),
                                                             .answer = std::move(*answer),
                                                             .consistency = std::move(stamped.consistency)},
                                  .lost = {}};
    }
    std::string key = key_of(stamp_name(size));
    if (lost_stamp_.exchange(size) != size)
        spdlog::warn("{} was lost or altered: bundles and exports lack the timestamp", key);
    co_return NewestStamp{.stamp = {}, .lost = std::move(key)};
}

Timestamps::Timestamps(PublishedLog& log, const Clock& clock, std::string url, std::string ca_file)
    : log_(log),
      clock_(clock),
      url_(std::move(url)),
      client_({.ca_file = std::move(ca_file), .plain_http = true}),  // what is sent is public, and what comes is signed
      requests_({.name = "timestamps", .threads = 1}) {}

Timestamps::~Timestamps() { stopping_.request_stop(); }

std::string Timestamps::fetch(const Bytes& query) {
    const net::HttpRequest request{.method = "POST",
                                   .url = url_,
                                   .headers = {{"Content-Type", "application/timestamp-query"}},
                                   .body = std::string(as_text(query)),
                                   .answer_bytes_max = stamp_bytes_max};
    net::HttpResponse response = client_.fetch(request, stopping_.get_token());
    if (response.status != 200) throw std::runtime_error(fmt::format("the authority answers {}", response.status));
    if (const auto checked = crypto::check_timestamp(as_bytes(response.body), query); !checked)
        throw std::runtime_error(checked.error());
    return std::move(response.body);
}

awaitable<void> Timestamps::work() {
    if (log_.signer() == nullptr) co_return;
    const TimePoint now = clock_.now();
    // Of all processes, one asks.
    auto due = co_await log_.begin_stamp(now, now - interval, now - unpublished_max);
    if (!due) {
        co_await repeat_failure();
        co_return;
    }
    Failure failure;
    if (const auto checkpoint = tlog::parse_signed_checkpoint(*due)) failure.size = checkpoint->checkpoint.size;
    try {
        co_await stamp(std::move(*due));
        remember({});
        co_return;
    } catch (const std::exception& error) {
        failure.why = error.what();
    }
    remember(failure);
    co_await log_.redate_stamp(now, now - interval + retry_after);
    throw std::runtime_error(failure.why);
}

awaitable<void> Timestamps::stamp(std::string checkpoint) {
    const auto opened = tlog::open_checkpoint(checkpoint, log_.signer()->verifier());
    if (!opened) throw LogRefused("The database's log is damaged: " + opened.error());
    Bytes query = crypto::timestamp_query(crypto::sha256(opened->note.text));
    std::string answer = co_await requests_.run([this, query = std::move(query)] { return fetch(query); });
    co_await log_.keep_stamp(opened->checkpoint.size, std::move(answer));
}

// An outage goes on while nothing is asked: the task must not look well for the minutes until the next attempt.
awaitable<void> Timestamps::repeat_failure() {
    const auto last = last_failure();
    if (!last) co_return;
    const LogState known = co_await log_.state();
    if (std::cmp_less(known.stamped_size, last->size)) throw std::runtime_error(last->why);
    remember({});  // another instance has asked
}

std::optional<Timestamps::Failure> Timestamps::last_failure() const {
    const std::scoped_lock lock(mutex_);
    return failure_;
}

void Timestamps::remember(std::optional<Failure> failure) {
    const std::scoped_lock lock(mutex_);
    failure_ = std::move(failure);
}

}  // namespace consentry
