// Counts the steps of logins by their end, for the metrics.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace consentry {

// Thread-safe.
class LoginCounts {
public:
    enum class Step : std::uint8_t { password, two_factor, two_factor_setup };
    // A success of the set-up enables the second factor; any other one starts a session. A challenge asks for the
    // second factor.
    enum class End : std::uint8_t { success, challenge, refused, locked };
    static constexpr std::array<std::string_view, 3> steps{"password", "two_factor", "two_factor_setup"};
    static constexpr std::array<std::string_view, 4> ends{"success", "challenge", "refused", "locked"};

    void count(Step step, End end) {
        counts_.at(static_cast<std::size_t>(step))
            .at(static_cast<std::size_t>(end))
            .fetch_add(1, std::memory_order_relaxed);
    }
    // Of the elements of `steps` and `ends` at these places.
    std::uint64_t read(std::size_t step, std::size_t end) const {
        return counts_.at(step).at(end).load(std::memory_order_relaxed);
    }

private:
    std::array<std::array<std::atomic<std::uint64_t>, ends.size()>, steps.size()> counts_{};
};

}  // namespace consentry
