// A budget that the networks of the clients share: connections, or the memory of bodies (WEB-3, WEB-4, FLT-5).
//
// As long as something is left, whoever asks gets it. When all is taken, room is made by those who keep it without
// need:
//
// - A network that holds the most, and more than the one who asks would hold with it, gives way: first what has been
// idle
//   for longest, else what has been waiting for its client for longest.
// - Where nobody holds more, the network that asks gives up what it has itself left idle for longest.
// - Else what has been idle for longest of all, unless its network holds less than the one who asks.
//
// What is being worked on never gives way, nor does a body that is being received give way to a network that would hold
// more than the one which loses it. Where this makes no room, the whole is full, and whoever asks is refused.
//
// Proxies that speak for many clients are one network here, which shares the whole but is never told that it holds too
// much.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <boost/intrusive/set.hpp>

#include "base/client_network.hpp"

namespace consentry::http {

// Thread-safe, but for what is said of a Holder.
class FairShares {
    struct Network;
    using Hook = boost::intrusive::set_member_hook<boost::intrusive::link_mode<boost::intrusive::safe_link>>;

public:
    using Ticks = std::int64_t;  // of one clock that never goes back
    enum class Standing : std::uint8_t { idle, receiving, working };

    // Something that may hold a part. Its owner tells how it stands, at no cost, and takes it out by leave() before it
    // is destroyed.
    class Holder {
    public:
        Holder() = default;
        Holder(const Holder&) = delete;
        Holder& operator=(const Holder&) = delete;
        void stands(Standing standing) { standing_.store(standing, std::memory_order_relaxed); }
        std::size_t part() const { return part_; }
        // A request was seen: what is not working has been idle, or receiving, from here on.
        void seen(Ticks now) { since_.store(now, std::memory_order_relaxed); }

    protected:
        ~Holder() = default;

    private:
        friend class FairShares;
        // Its part has been given to somebody else: let go of what it stands for, soon. Called by any thread, under the
        // lock of the shares.
        virtual void give_way() noexcept = 0;

        std::atomic<Ticks> since_{0};
        std::atomic<Standing> standing_{Standing::idle};
        // The rest is the shares'.
        Ticks sorted_by_ = 0;  // since_, as it was when this was last looked at
        std::size_t part_ = 0;
        Network* network_ = nullptr;  // none: holds nothing
        Hook of_network_;
        Hook of_all_;
    };

    explicit FairShares(std::size_t whole) : whole_(whole) {}
    ~FairShares();
    FairShares(const FairShares&) = delete;
    FairShares& operator=(const FairShares&) = delete;

    // Gives `holder` so much of the whole, if need be by telling others to give way: for the short time until they have
    // let go, more than the whole is in use. False: the whole is full. nullopt stands for the proxies.
    bool enter(Holder& holder, std::optional<ClientNetwork> network, std::size_t part, Ticks now);
    // Makes the part of a holder so large, likewise. False: there is no more, or it has had to give way; what it has
    // stays.
    bool grow(Holder& holder, std::size_t part, Ticks now);
    // Gives back all but so much.
    void shrink(Holder& holder, std::size_t part);
    void leave(Holder& holder);

    std::size_t whole() const { return whole_; }
    std::size_t held() const { return held_.load(std::memory_order_relaxed); }
    std::size_t held_most() const { return held_most_.load(std::memory_order_relaxed); }
    std::uint64_t gave_way() const { return gave_way_.load(std::memory_order_relaxed); }
    std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

private:
    struct Earlier {
        bool operator()(const Holder& left, const Holder& right) const { return left.sorted_by_ < right.sorted_by_; }
    };
    template <Hook Holder::* hook>
    using Holders = boost::intrusive::multiset<Holder, boost::intrusive::member_hook<Holder, Hook, hook>,
                                               boost::intrusive::compare<Earlier>>;
    struct Network {
        explicit Network(std::optional<ClientNetwork> of) : key(of) {}
        const std::optional<ClientNetwork> key;  // none: the proxies
        std::size_t held = 0;
        Holders<&Holder::of_network_> holders;
        Hook by_size;
    };
    struct Smaller {
        bool operator()(const Network& left, const Network& right) const { return left.held < right.held; }
    };
    using Networks =
        boost::intrusive::multiset<Network, boost::intrusive::member_hook<Network, Hook, &Network::by_size>,
                                   boost::intrusive::compare<Smaller>>;

    bool take(Holder& holder, Network& network, std::size_t part, Ticks now);
    void add(Holder& holder, Network& network, std::size_t part);
    void remove(Holder& holder);
    void resize(Network& network, std::size_t held);
    void forget_if_empty(Network& network);
    void sort_in(Holder& holder, Ticks at);
    Holder* choose(Network& asking, std::size_t part, Ticks now);
    template <class Set, class Eligible>
    Holder* longest(Set& holders, Standing standing, Ticks now, Eligible eligible);

    const std::size_t whole_;
    std::atomic<std::size_t> held_{0};  // written under the lock, as all below
    std::atomic<std::size_t> held_most_{0};
    std::atomic<std::uint64_t> gave_way_{0};
    std::atomic<std::uint64_t> refused_{0};
    std::mutex mutex_;
    std::unordered_map<ClientNetwork, Network> networks_;
    Network proxies_{std::nullopt};
    Networks by_size_;  // all but the proxies
    Holders<&Holder::of_all_> all_;
};

}  // namespace consentry::http
