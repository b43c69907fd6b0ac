// Waits for a condition that becomes true after a while.
#pragma once

#include <chrono>
#include <concepts>
#include <thread>

namespace consentry::tests {

// Returns false if the condition is still false at the deadline.
inline bool eventually(std::predicate auto condition, std::chrono::milliseconds deadline = std::chrono::seconds{20}) {
    const auto end = std::chrono::steady_clock::now() + deadline;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
    return true;
}

}  // namespace consentry::tests
