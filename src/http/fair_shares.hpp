// A budget shared by the clients' networks: connections, or memory for bodies and for answers that wait for their
// clients (WEB-3, WEB-4, FLT-5).
//
// While the budget lasts, every request for a part is granted. Once it is used up, other holders are evicted to make
// room, in this order:
//
// - If the largest network holds more than the asking network would hold, it gives up the part that has been idle
//   longest, or else the part that has been receiving from its client longest.
// - Otherwise, the asking network gives up its own longest-idle part.
// - Otherwise, the longest-idle part of all, unless its network holds less than the asking network would hold.
//
// A part in state `working` is never evicted. A body that is being received is evicted only if its network still holds
// at least as much afterwards as the asking network would hold. If no part qualifies, the budget is full and the
// request is refused.
//
// All proxies that speak for many clients count as one network, which is never evicted for being the largest.
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

// Thread-safe, except for the members of Holder.
class FairShares {
    struct Network;
    using Hook = boost::intrusive::set_member_hook<boost::intrusive::link_mode<boost::intrusive::safe_link>>;

public:
    using Ticks = std::int64_t;  // of one monotonic clock
    enum class Standing : std::uint8_t { idle, receiving, working };

    // A potential holder of a part. Its owner reports its standing, which costs one relaxed store, and must call
    // leave() before destroying it.
    class Holder {
    public:
        Holder() = default;
        Holder(const Holder&) = delete;
        Holder& operator=(const Holder&) = delete;
        void stands(Standing standing) { standing_.store(standing, std::memory_order_relaxed); }
        std::size_t part() const { return part_; }
        // Records a request: restarts the time for which this holder counts as idle or receiving.
        void seen(Ticks now) { since_.store(now, std::memory_order_relaxed); }

    protected:
        ~Holder() = default;

    private:
        friend class FairShares;
        // The holder has lost its part to another one and must release the resource soon. Called on any thread, with
        // the lock of FairShares held.
        virtual void give_way() noexcept = 0;

        std::atomic<Ticks> since_{0};
        std::atomic<Standing> standing_{Standing::idle};
        // The members below belong to FairShares.
        Ticks sorted_by_ = 0;  // since_ at the last look
        std::size_t part_ = 0;
        Network* network_ = nullptr;  // null: holds nothing
        Hook of_network_;
        Hook of_all_;
    };

    explicit FairShares(std::size_t whole) : whole_(whole) {}
    ~FairShares();
    FairShares(const FairShares&) = delete;
    FairShares& operator=(const FairShares&) = delete;

    // Assigns `part` of the budget to `holder`, evicting others if necessary. Until those have let go, actual use
    // briefly exceeds the budget. Returns false if the budget is full. A `network` of nullopt stands for the proxies.
    bool enter(Holder& holder, std::optional<ClientNetwork> network, std::size_t part, Ticks now);
    // Raises the holder's part to `part` in the same way. Returns false if the budget is full or the holder has been
    // evicted; a part it still has stays unchanged.
    bool grow(Holder& holder, std::size_t part, Ticks now);
    // Reduces the holder's part to `part`.
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
        const std::optional<ClientNetwork> key;  // nullopt: the proxies
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
    std::atomic<std::size_t> held_{0};  // written under the lock, as are all members below
    std::atomic<std::size_t> held_most_{0};
    std::atomic<std::uint64_t> gave_way_{0};
    std::atomic<std::uint64_t> refused_{0};
    std::mutex mutex_;
    std::unordered_map<ClientNetwork, Network> networks_;
    Network proxies_{std::nullopt};
    Networks by_size_;  // without the proxies
    Holders<&Holder::of_all_> all_;
};

}  // namespace consentry::http
