// Forms that a browser sends twice: by a second click, or by loading the answer again. The browser shows the second
// answer only, which would say that the address is taken, or would lack the backup codes. So a form that comes again
// has the answer of the first, and happens once. See docs/decisions/0055-forms-sent-twice.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/handoff.hpp"
#include "http/operation.hpp"

namespace consentry {

class RepeatedForms {
public:
    // `clock` must outlive this object.
    explicit RepeatedForms(const Clock& clock) : clock_(clock) {}

    // How long after its answer a form is known.
    static constexpr std::chrono::seconds kept_for{10};
    // More forms than these are not kept.
    static constexpr std::size_t kept_max = 1'024;

    // What a form is known by. The fields include the token of its page, which no other page has.
    static std::string key_of(std::string_view path, std::span<const http::NamedText> fields);

    // Returns what `answer` returns: an awaitable<Result<http::Reply>>. If the same form is under way, waits for its
    // answer and returns that, even a refusal, so that two clicks count as one failed attempt; if it has succeeded
    // recently, returns it at once. One that comes after a refusal is answered anew, and so is one during an outage.
    template <class Answer>
    awaitable<Result<http::Reply>> once(std::string key, Answer answer) {
        Turn turn = co_await begin(std::move(key));
        if (turn.earlier) co_return std::move(*turn.earlier);
        Result<http::Reply> reply = co_await answer();
        if (reply) turn.end(*reply);
        co_return reply;
    }

    using Earlier = std::optional<http::Reply>;
    // The answer to the same form, if it has been sent before: waits for one that is under way.
    awaitable<Earlier> find(const std::string& key);

private:
    struct Entry {
        Earlier reply;
        bool is_over = false;
        std::vector<Promise<Earlier>> waiting;
    };
    // Releases who waits when it ends, with a reply or without.
    class Turn {
    public:
        explicit Turn(Earlier of_first) : earlier(std::move(of_first)) {}
        Turn(RepeatedForms& forms, std::string key) : forms_(&forms), key_(std::move(key)) {}
        Turn(Turn&& other) noexcept
            : earlier(std::move(other.earlier)),
              forms_(std::exchange(other.forms_, nullptr)),
              key_(std::move(other.key_)) {}
        Turn& operator=(Turn&&) = delete;
        ~Turn() { release({}); }
        void end(const http::Reply& reply) { release(reply); }

        Earlier earlier;

    private:
        void release(Earlier reply) {
            if (auto* forms = std::exchange(forms_, nullptr)) forms->end(key_, std::move(reply));
        }
        RepeatedForms* forms_ = nullptr;
        std::string key_;
    };

    awaitable<Turn> begin(std::string key);
    void end(const std::string& key, Earlier reply);
    awaitable<Earlier> wait_for(std::shared_ptr<Entry> entry);
    void forget_old();

    const Clock& clock_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
    std::deque<std::pair<TimePoint, std::string>> kept_;  // until when, oldest first
};

}  // namespace consentry
