// A growable byte buffer for one connection's input or output. Growing does not zero memory that the next read
// overwrites. release() wipes the content before another connection reuses the buffer (WEB-8). Growing moves the bytes
// and invalidates all views.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include <string.h>

namespace consentry::http {

class ByteBuffer {
public:
    char* data() { return bytes_.get(); }
    const char* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    std::string_view view() const { return {bytes_.get(), size_}; }

    // The free space behind the content, for reading into. commit() turns the bytes read into content.
    std::span<char> space() { return {bytes_.get() + size_, capacity_ - size_}; }
    void commit(std::size_t count) {
        size_ += count;
        used_ = std::max(used_, size_);
    }

    void reserve(std::size_t wanted) {
        if (wanted <= capacity_) return;
        auto larger = std::make_unique_for_overwrite<char[]>(wanted);
        if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
        wipe();
        bytes_ = std::move(larger);
        capacity_ = wanted;
    }
    // At least doubles the capacity, so that appending stays linear, up to the limit `most`.
    void grow(std::size_t wanted, std::size_t most) {
        if (wanted > capacity_) reserve(std::max(wanted, std::min(most, capacity_ * 2)));
    }
    void drop_front(std::size_t count) {
        size_ -= count;
        if (count > 0 && size_ > 0) std::memmove(bytes_.get(), bytes_.get() + count, size_);
    }
    void truncate(std::size_t size) { size_ = size; }

    // Wipes and empties the buffer. Frees the memory if the capacity exceeds `keep`.
    void release(std::size_t keep) {
        wipe();
        size_ = used_ = 0;
        if (capacity_ > keep) {
            bytes_.reset();
            capacity_ = 0;
        }
    }

private:
    void wipe() {
        if (used_ > 0) ::explicit_bzero(bytes_.get(), used_);
    }

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    std::size_t used_ = 0;  // high-water mark of the content: wipe() covers the bytes left behind by dropping
};

}  // namespace consentry::http
