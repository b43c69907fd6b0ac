#include "pages/repeated_forms.hpp"

#include "base/bytes.hpp"
#include "crypto/digest.hpp"

namespace consentry {

std::string RepeatedForms::key_of(std::string_view path, std::span<const http::NamedText> fields) {
    // The lengths keep two forms apart whose texts are the same one after the other.
    std::string form(path);
    for (const http::NamedText& field : fields)
        for (const std::string& text : {field.name, field.value})
            form.append("\n").append(std::to_string(text.size())).append(":").append(text);
    return to_base64url(crypto::sha256(form));
}

awaitable<RepeatedForms::Turn> RepeatedForms::begin(std::string key) {
    for (;;) {
        std::shared_ptr<Entry> entry;
        {
            const std::lock_guard lock(mutex_);
            forget_old();
            if (const auto found = entries_.find(key); found != entries_.end())
                entry = found->second;
            else if (entries_.size() < kept_max)
                entries_.emplace(key, std::make_shared<Entry>());
            else
                co_return Turn(std::nullopt);
        }
        if (!entry) co_return Turn(*this, std::move(key));
        // If it could not be answered, one of those that wait is the next to try.
        if (auto reply = co_await wait_for(std::move(entry))) co_return Turn(std::move(reply));
    }
}

awaitable<RepeatedForms::Earlier> RepeatedForms::find(const std::string& key) {
    std::shared_ptr<Entry> entry;
    {
        const std::lock_guard lock(mutex_);
        forget_old();
        if (const auto found = entries_.find(key); found != entries_.end()) entry = found->second;
    }
    if (!entry) co_return std::nullopt;
    co_return co_await wait_for(std::move(entry));
}

awaitable<RepeatedForms::Earlier> RepeatedForms::wait_for(std::shared_ptr<Entry> entry) {
    co_return co_await handoff<Earlier>([&](Promise<Earlier> promise) {
        std::unique_lock lock(mutex_);
        if (!entry->is_over) {
            entry->waiting.push_back(std::move(promise));
            return;
        }
        Earlier reply = entry->reply;
        lock.unlock();
        promise.set_value(std::move(reply));
    });
}

void RepeatedForms::end(const std::string& key, Earlier reply) {
    std::vector<Promise<Earlier>> waiting;
    // A stream can be sent once. An outage may be over for who waits.
    if (reply && (reply->stream || reply->status >= 500)) reply.reset();
    {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(key);
        Entry& entry = *found->second;
        waiting = std::move(entry.waiting);
        entry.is_over = true;
        if (reply && reply->status < 400) {
            entry.reply = reply;
            kept_.emplace_back(clock_.lock_time() + kept_for, key);
        } else {
            entries_.erase(found);
        }
    }
    for (auto& promise : waiting) promise.set_value(reply);
}

void RepeatedForms::forget_old() {
    while (!kept_.empty() && kept_.front().first <= clock_.lock_time()) {
        entries_.erase(kept_.front().second);
        kept_.pop_front();
    }
}

}  // namespace consentry
