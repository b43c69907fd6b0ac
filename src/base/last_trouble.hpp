// Why something failed the last time; empty if it worked. Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace consentry {

class LastTrouble {
public:
    void set(std::string why) {
        const std::scoped_lock lock(mutex_);
        why_ = std::move(why);
    }
    void clear() { set({}); }
    std::string text() const {
        const std::scoped_lock lock(mutex_);
        return why_;
    }

private:
    mutable std::mutex mutex_;
    std::string why_;
};

}  // namespace consentry
