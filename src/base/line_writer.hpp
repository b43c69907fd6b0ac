// Writes lines to a slow target (a file, a pipe) on a dedicated thread, so that callers never block and never fail
// (LOG-5).
//
// The queue is bounded: if the target cannot keep up, the oldest lines are dropped. Dropped lines are counted. They are
// reported on standard error when an outage begins, and by a line in the target itself once it works again.
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

// Used only by the writer's thread.
class LineTarget {
public:
    virtual ~LineTarget() = default;
    // Takes whole lines including their line ends. Returns the number of bytes written; the rest is lost.
    virtual std::size_t write(std::string_view lines) noexcept = 0;
    // Why lines were lost, as text for people: "logs/api.log: No space left on device".
    virtual std::string trouble() const = 0;
    // Returns the line, without its line end, that reports `count` lost lines.
    virtual std::string loss_note(std::uint64_t count) const = 0;
};

class LineWriter {
public:
    struct Options {
        std::string name;  // of the thread, and of the log in messages; at most 15 characters (Linux limit)
        std::size_t waiting_bytes_max = std::size_t{4} << 20;
        milliseconds gather{0};  // how long the first line may wait so that several are written together
    };
    LineWriter(Options options, std::unique_ptr<LineTarget> target);
    ~LineWriter();  // writes all queued lines
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;

    // `line` must not contain line ends. Thread-safe.
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
    std::deque<Chunk> chunks_;  // queued
    std::size_t waiting_bytes_ = 0;
    std::uint64_t untold_ = 0;  // lost lines not yet reported in the target itself
    std::vector<Chunk> spares_;
    bool stopping_ = false;
    bool in_trouble_ = false;  // accessed only by the writer's thread
    std::thread thread_;
};

}  // namespace consentry
