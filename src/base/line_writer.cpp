#include "base/line_writer.hpp"

#include <algorithm>
#include <utility>

#include <pthread.h>

#include "base/standard_error.hpp"

namespace consentry {
namespace {

constexpr std::size_t chunk_bytes =
    256 * 1024;                        // written at once; each chunk wakes the thread, which costs as much as a line
constexpr std::size_t spares_max = 2;  // empty chunks kept for reuse

}  // namespace

LineWriter::LineWriter(Options options, std::unique_ptr<LineTarget> target)
    : options_(std::move(options)), target_(std::move(target)), thread_([this] { work(); }) {}

LineWriter::~LineWriter() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    ready_.notify_one();
    thread_.join();
}

void LineWriter::append(std::string_view line) noexcept {
    bool wake = false;
    try {
        const std::lock_guard lock(mutex_);
        // The thread sleeps while the queue is empty, and gathers lines until a second chunk begins.
        wake = chunks_.empty();
        if (chunks_.empty() || chunks_.back().bytes.size() + line.size() >= chunk_bytes) {
            wake = wake || chunks_.size() == 1;
            add_chunk(line.size());
        }
        chunks_.back().bytes.append(line).push_back('\n');
        ++chunks_.back().lines;
        waiting_bytes_ += line.size() + 1;
    } catch (...) {  // out of memory
        lost_.fetch_add(1, std::memory_order_relaxed);
    }
    if (wake) ready_.notify_one();
}

void LineWriter::add_chunk(std::size_t bytes) {
    while (!chunks_.empty() && waiting_bytes_ + bytes > options_.waiting_bytes_max) {
        untold_ += chunks_.front().lines;
        lost_.fetch_add(chunks_.front().lines, std::memory_order_relaxed);
        waiting_bytes_ -= chunks_.front().bytes.size();
        chunks_.pop_front();
    }
    if (spares_.empty()) {
        chunks_.emplace_back().bytes.reserve(chunk_bytes);
    } else {
        chunks_.push_back(std::move(spares_.back()));
        spares_.pop_back();
    }
}

void LineWriter::work() {
    pthread_setname_np(pthread_self(), options_.name.c_str());
    std::unique_lock lock(mutex_);
    for (;;) {
        ready_.wait(lock, [this] { return stopping_ || !chunks_.empty(); });
        if (options_.gather.count() > 0) ready_.wait_for(lock, options_.gather, [this] { return is_due(); });
        if (chunks_.empty()) {
            if (stopping_) return;
            continue;
        }
        Chunk chunk = std::move(chunks_.front());
        chunks_.pop_front();
        waiting_bytes_ -= chunk.bytes.size();
        // On shutdown, a failing target must not delay the process once per chunk.
        if (stopping_ && in_trouble_) {
            lost_.fetch_add(chunk.lines, std::memory_order_relaxed);
            continue;
        }
        const std::uint64_t told = std::exchange(untold_, 0);
        lock.unlock();
        if (told > 0) chunk.bytes.insert(0, target_->loss_note(told) + '\n');
        const std::size_t written = target_->write(chunk.bytes);
        const bool failed = written < chunk.bytes.size();
        if (failed && !in_trouble_) say("{}: losing lines: {}\n", options_.name, target_->trouble());
        in_trouble_ = failed;
        std::uint64_t missing = 0;
        std::uint64_t still_untold = 0;
        if (failed) {
            missing = static_cast<std::uint64_t>(
                std::count(chunk.bytes.begin() + static_cast<std::ptrdiff_t>(written), chunk.bytes.end(), '\n'));
            if (told > 0 && missing > chunk.lines) {  // the lost note is not one of the chunk's lines
                still_untold = told;
                missing = chunk.lines;
            }
            lost_.fetch_add(missing, std::memory_order_relaxed);
        }
        chunk.bytes.clear();
        chunk.lines = 0;
        lock.lock();
        untold_ += missing + still_untold;
        if (spares_.size() < spares_max) spares_.push_back(std::move(chunk));
    }
}

}  // namespace consentry
