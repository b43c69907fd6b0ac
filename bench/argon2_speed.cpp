// How many passwords a second each implementation of Argon2id hashes, on one thread and on two, beside libsodium:
//
//   consentry_bench_argon2 [rounds]
//
// The implementations take turns in short rounds, so that a busy neighbor on the machine slows all alike; the median
// of the rounds counts.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sodium.h>

#include "base/bytes.hpp"
#include "crypto/argon2/arena.hpp"
#include "crypto/argon2/argon2.hpp"

namespace {

using namespace consentry;
namespace argon2 = crypto::argon2;
using SteadyClock = std::chrono::steady_clock;

constexpr argon2::Parameters parameters{.memory_kib = 19'456, .passes = 2};  // the service's default
constexpr std::size_t blocks = parameters.memory_kib;
constexpr auto round_time = std::chrono::milliseconds(250);
// A pass writes each block and reads another one, and all but the first also read what they overwrite.
constexpr double bytes_per_hash = 1024.0 * blocks * (2 * parameters.passes + parameters.passes - 1);

struct Contestant {
    std::string name;
    std::function<void()> hash;
    bool keeps_arena = false;
    std::vector<double> one_thread = {};  // hashes a second, of each round
    std::vector<double> two_threads = {};
};

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// Calls until the round is over; returns calls per second.
double round_of(const Contestant& contestant) {
    if (contestant.keeps_arena) argon2::keep_arena(blocks);
    contestant.hash();  // maps and touches the memory
    const auto begin = SteadyClock::now();
    std::size_t calls = 0;
    while (SteadyClock::now() - begin < round_time) {
        contestant.hash();
        ++calls;
    }
    const std::chrono::duration<double> taken = SteadyClock::now() - begin;
    argon2::keep_arena(0);
    return static_cast<double>(calls) / taken.count();
}

double round_of_threads(const Contestant& contestant, std::size_t count) {
    std::vector<double> results(count);
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (double& result : results) threads.emplace_back([&] { result = round_of(contestant); });
    for (std::thread& thread : threads) thread.join();
    double sum = 0;
    for (const double result : results) sum += result;
    return sum;
}

void hash_with_libsodium() {
    const unsigned char salt[crypto_pwhash_SALTBYTES] = {};
    unsigned char tag[32];
    constexpr std::string_view password = "correct horse battery staple";
    if (crypto_pwhash(tag, sizeof(tag), password.data(), password.size(), salt, parameters.passes, 1024 * blocks,
                      crypto_pwhash_ALG_ARGON2ID13) != 0)
        std::abort();
}

void hash_with(argon2::Fill fill) {
    const std::uint8_t salt[16] = {};
    std::uint8_t tag[32];
    if (!argon2::hash_raw({.password = as_bytes("correct horse battery staple"), .salt = salt}, parameters, tag, fill))
        std::abort();
}

// What the memory yields without any computation: copies between two parts of an arena as large as that of a hash.
double copied_bytes_per_second() {
    auto arena = argon2::Arena::map(blocks);
    if (!arena) return 0;
    const std::span<argon2::Block> all = arena->use(blocks);
    std::memset(all.data(), 1, all.size_bytes());
    const auto half = all.size() / 2;
    const auto begin = SteadyClock::now();
    double bytes = 0;
    while (SteadyClock::now() - begin < round_time) {
        std::memcpy(all.data() + half, all.data(), half * sizeof(argon2::Block));
        std::memcpy(all.data(), all.data() + half, half * sizeof(argon2::Block));
        bytes += 4.0 * static_cast<double>(half * sizeof(argon2::Block));  // read and written
    }
    return bytes / std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

double wiped_milliseconds() {
    auto arena = argon2::Arena::map(blocks);
    if (!arena) return 0;
    std::vector<double> values;
    for (int i = 0; i < 9; ++i) {
        std::memset(arena->use(blocks).data(), 1, blocks * sizeof(argon2::Block));
        const auto begin = SteadyClock::now();
        arena->wipe();
        values.push_back(std::chrono::duration<double, std::milli>(SteadyClock::now() - begin).count());
    }
    return median(values);
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    if (sodium_init() < 0) return 1;
    std::vector<Contestant> contestants{{.name = "libsodium", .hash = hash_with_libsodium}};
    const auto implementations = argon2::fill_implementations();
    for (const argon2::FillImplementation& one : implementations)
        contestants.push_back({.name = one.name, .hash = [&one] { hash_with(one.fill); }, .keeps_arena = true});
    contestants.push_back({.name = fmt::format("{}, wiped", implementations.front().name),
                           .hash =
                               [&] {
                                   hash_with(implementations.front().fill);
                                   argon2::wipe_arena();
                               },
                           .keeps_arena = true});
    for (int round = 0; round < rounds; ++round)
        for (Contestant& contestant : contestants) {
            contestant.one_thread.push_back(round_of_threads(contestant, 1));
            contestant.two_threads.push_back(round_of_threads(contestant, 2));
        }
    const double base_one = median(contestants.front().one_thread);
    const double base_two = median(contestants.front().two_threads);
    fmt::print("Argon2id, m={} KiB, t={}, p=1, median of {} rounds\n\n", parameters.memory_kib, parameters.passes,
               rounds);
    fmt::print("{:18} {:>9} {:>7} {:>8} {:>10} {:>7}\n", "hashes per second", "1 thread", "", "GB/s", "2 threads", "");
    for (const Contestant& contestant : contestants) {
        const double one = median(contestant.one_thread);
        const double two = median(contestant.two_threads);
        fmt::print("{:18} {:9.1f} {:6.2f}x {:8.1f} {:10.1f} {:6.2f}x\n", contestant.name, one, one / base_one,
                   one * bytes_per_hash / 1e9, two, two / base_two);
    }
    fmt::print("\ncopying within such a memory: {:.1f} GB/s; wiping it: {:.2f} ms\n", copied_bytes_per_second() / 1e9,
               wiped_milliseconds());
    return 0;
}
