// The order in which Argon2 fills its memory, for the implementations of fill.hpp alone.
//
// Everything here is a template over an Engine, which each implementation declares in an unnamed namespace. So every
// function is local to that implementation's object file, and the linker cannot choose the copy that was compiled for a
// processor with AVX-512 for all others. For the same reason nothing here calls the standard library.
//
// An Engine has three static functions:
//
//   compress<accumulate>(previous, reference, out, early)
//       out = G(previous, reference) of RFC 9106 section 3.5, and with `accumulate` also XOR out (version 0x13, passes
//       after the first). Calls early(word) with the first word of the result as soon as that is known.
//   to_own_order(block), to_common_order(block)
//       The order of words in which compress() takes and gives blocks. The first word is the first in both.
#pragma once

#include <cstdint>

#include "crypto/argon2/fill.hpp"

namespace consentry::crypto::argon2 {

template <class Engine>
class Walk {
public:
    explicit Walk(const FillJob& job) : job_(job), segment_blocks_(job.lane_blocks / slices) {}

    void fill() {
        for (std::uint32_t lane = 0; lane < job_.lanes; ++lane) {
            Engine::to_own_order(job_.memory[lane_begin(lane)]);
            Engine::to_own_order(job_.memory[lane_begin(lane) + 1]);
        }
        for (std::uint32_t pass = 0; pass < job_.passes; ++pass)
            for (std::uint32_t slice = 0; slice < slices; ++slice)
                for (std::uint32_t lane = 0; lane < job_.lanes; ++lane) fill_segment(pass, slice, lane);
        for (std::uint32_t lane = 0; lane < job_.lanes; ++lane)
            Engine::to_common_order(job_.memory[lane_begin(lane) + job_.lane_blocks - 1]);
    }

private:
    static constexpr std::uint32_t addresses_per_block = Block::words_count;
    static constexpr std::uint32_t ahead = 2;  // blocks; how early a known reference is fetched

    // Positions count blocks from the beginning of the memory.
    struct Segment {
        std::uint32_t pass;
        std::uint32_t slice;
        std::uint32_t lane;
        std::uint32_t start;   // of the blocks that may be referred to, within a lane
        std::uint32_t behind;  // how many blocks of finished slices may be referred to
        std::uint64_t begin;   // position of the first block of the segment
        std::uint32_t first;   // index of the first block to compute: the first two of a lane exist already
    };

    std::uint64_t lane_begin(std::uint32_t lane) const { return std::uint64_t{lane} * job_.lane_blocks; }

    Segment segment(std::uint32_t pass, std::uint32_t slice, std::uint32_t lane) const {
        // RFC 9106 section 3.4.2: in the first pass all finished slices, later the last three.
        const bool is_first = pass == 0;
        return {.pass = pass,
                .slice = slice,
                .lane = lane,
                .start = is_first || slice == slices - 1 ? 0 : (slice + 1) * segment_blocks_,
                .behind = (is_first ? slice : slices - 1) * segment_blocks_,
                .begin = lane_begin(lane) + std::uint64_t{slice} * segment_blocks_,
                .first = is_first && slice == 0 ? 2U : 0U};
    }

    // The position to which J_1 and J_2, the halves of a word, refer (RFC 9106 section 3.4.2). `index`: of the block to
    // be computed, within the segment.
    std::uint64_t reference(const Segment& at, std::uint64_t word, std::uint32_t index) const {
        const std::uint64_t j1 = word & 0xFFFF'FFFF;
        std::uint32_t lane = at.lane;
        if (job_.lanes > 1 && (at.pass > 0 || at.slice > 0)) lane = static_cast<std::uint32_t>(word >> 32) % job_.lanes;
        // Of its own lane also the blocks of this segment, but not the previous one; of another lane not the last block
        // of the finished slices if this block is the first of its segment.
        const std::uint64_t count =
            lane == at.lane ? std::uint64_t{at.behind} + index - 1 : at.behind - (index == 0 ? 1U : 0U);
        const std::uint64_t x = (j1 * j1) >> 32;
        const std::uint64_t y = (count * x) >> 32;
        std::uint64_t position = at.start + (count - 1 - y);
        if (position >= job_.lane_blocks) position -= job_.lane_blocks;
        return lane_begin(lane) + position;
    }

    std::uint64_t position_before(const Segment& at, std::uint32_t index) const {
        const bool is_lane_begin = at.slice == 0 && index == 0;
        return is_lane_begin ? at.begin + (job_.lane_blocks - 1) : at.begin + index - 1;
    }

    static void fetch(const Block& block) {
        const char* lines = reinterpret_cast<const char*>(&block);
        for (unsigned i = 0; i < sizeof(Block); i += 64) __builtin_prefetch(lines + i);
    }

    void fill_segment(std::uint32_t pass, std::uint32_t slice, std::uint32_t lane) const {
        const bool is_blind = job_.type == Type::argon2i || (job_.type == Type::argon2id && pass == 0 && slice < 2);
        const Segment at = segment(pass, slice, lane);
        if (is_blind)
            pass == 0 ? fill_blindly<false>(at) : fill_blindly<true>(at);
        else
            pass == 0 ? fill_seeing<false>(at) : fill_seeing<true>(at);
    }

    // Each reference follows from the first word of the previous block. That word is known before the rest of its
    // block, and fetching begins then.
    template <bool accumulate>
    void fill_seeing(const Segment& at) const {
        const Block* last = job_.memory + position_before(at, at.first);
        const Block* next = job_.memory + reference(at, last->words[0], at.first);
        for (std::uint32_t index = at.first; index < segment_blocks_; ++index) {
            const Block* const current = next;
            Block* const out = job_.memory + at.begin + index;
            Engine::template compress<accumulate>(*last, *current, *out, [&](std::uint64_t word) {
                next = job_.memory + reference(at, word, index + 1);
                fetch(*next);
            });
            last = out;
        }
    }

    // All references of the segment are known beforehand, in blocks of addresses.
    template <bool accumulate>
    void fill_blindly(const Segment& at) const {
        Block input{};
        const std::uint64_t parts[] = {at.pass,     at.lane,
                                       at.slice,    std::uint64_t{job_.lanes} * job_.lane_blocks,
                                       job_.passes, static_cast<std::uint64_t>(job_.type)};
        for (unsigned i = 0; i < 6; ++i) input.words[i] = parts[i];
        // Two blocks of addresses, because fetching looks from one into the next.
        Block addresses[2];
        next_addresses(input, addresses[0]);
        next_addresses(input, addresses[1]);
        const auto referenced = [&](std::uint32_t index) -> const Block& {
            const Block& block = addresses[index / addresses_per_block % 2];
            return job_.memory[reference(at, block.words[index % addresses_per_block], index)];
        };
        const Block* last = job_.memory + position_before(at, at.first);
        for (std::uint32_t index = at.first; index < segment_blocks_; ++index) {
            if (index + ahead < segment_blocks_) fetch(referenced(index + ahead));
            Block* const out = job_.memory + at.begin + index;
            Engine::template compress<accumulate>(*last, referenced(index), *out, [](std::uint64_t) {});
            last = out;
            if (index % addresses_per_block == addresses_per_block - 1)
                next_addresses(input, addresses[index / addresses_per_block % 2]);
        }
    }

    // RFC 9106 section 3.4.1.2: G(0, G(0, input)), with a counter as the seventh word of the input.
    static void next_addresses(Block& input, Block& out) {
        const Block zero{};
        ++input.words[6];
        Block ordered = input;
        Engine::to_own_order(ordered);
        Block once;
        const auto ignore = [](std::uint64_t) {};
        Engine::template compress<false>(zero, ordered, once, ignore);
        Engine::template compress<false>(zero, once, out, ignore);
        Engine::to_common_order(out);
    }

    const FillJob job_;
    const std::uint32_t segment_blocks_;
};

}  // namespace consentry::crypto::argon2
