// Lines on their way to a slow place (a file, a pipe) by a thread of its own, so that whoever writes them never waits
// and never fails (LOG-5).
//
// What waits is bounded: when the place cannot keep up, the oldest lines make room. Lost lines are counted, told of on
// standard error when a time of trouble begins, and by a line of their own in the place itself once it works again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace consentry {

// Used by the writer's thread alone.
class LineTarget {
public:
    virtual ~LineTarget() = default;
    // Whole lines with their ends. Returns how many bytes of them are written; the others are lost.
    virtual std::size_t write(std::string_view lines) noexcept = 0;
    // Why lines were lost, for people: "logs/api.log: No space left on device".
    virtual std::string trouble() const = 0;
    // The line, without its end, that tells of `count` lost ones.
    virtual std::string loss_note(std::uint64_t count) const = 0;
};

class LineWriter {
public:
    struct Options {
        std::string name;  // of the thread, and of the lines in messages; 15 characters at most (Linux)
        std::size_t waiting_bytes_max = std::size_t{4} << 20;
        milliseconds gather{0};  // how long a first line may wait for others, to be written with them
    };
    LineWriter(Options options, std::unique_ptr<LineTarget> target);
    ~LineWriter();  // writes what waits
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;

    // A line without its end, and without line ends in it. Thread-safe.
    void append(std::string_view line) noexcept;

    std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

private:
    struct Chunk {
        std::string bytes;
        std::uint64_t lines = 0;
    };
    void work();
    void add_chunk(std::size_t bytes);
    bool is_due() const { return stopping_ || chunks_.size() > 1; }

    const Options options_;
    const std::unique_ptr<LineTarget> target_;
    std::atomic<std::uint64_t> lost_{0};
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<Chunk> chunks_;  // waiting
    std::size_t waiting_bytes_ = 0;
    std::uint64_t untold_ = 0;  // lost, and not yet told of in the place itself
    std::vector<Chunk> spares_;
    bool stopping_ = false;
    bool in_trouble_ = false;  // the thread's own
    std::thread thread_;
};

}  // namespace consentry
