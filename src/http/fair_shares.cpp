#include "http/fair_shares.hpp"

#include <algorithm>
#include <vector>

namespace consentry::http {
namespace {

// Bounds the holders examined per eviction; the next search continues where this one ended.
constexpr std::size_t looks_max = 256;

}  // namespace

FairShares::~FairShares() = default;

bool FairShares::enter(Holder& holder, std::optional<ClientNetwork> network, std::size_t part, Ticks now) {
    const std::lock_guard lock(mutex_);
    Network* asking = &proxies_;
    if (network) {
        const auto [found, is_new] = networks_.try_emplace(*network, *network);
        asking = &found->second;
        if (is_new) by_size_.insert(*asking);
    }
    const bool is_in = take(holder, *asking, part, now);
    if (!is_in) forget_if_empty(*asking);
    return is_in;
}

bool FairShares::grow(Holder& holder, std::size_t part, Ticks now) {
    const std::lock_guard lock(mutex_);
    if (holder.network_ == nullptr) return false;
    Network& network = *holder.network_;
    const std::size_t before = holder.part_;
    remove(holder);
    if (take(holder, network, part, now)) return true;
    add(holder, network, before);
    return false;
}

bool FairShares::take(Holder& holder, Network& network, std::size_t part, Ticks now) {
    struct Leaving {
        Holder* holder;
        Network* network;
    };
    std::vector<Leaving> leaving;
    while (held() + part > whole_) {
        Holder* const one = part > whole_ ? nullptr : choose(network, part, now);
        if (one == nullptr) {
            for (const Leaving& each : leaving) add(*each.holder, *each.network, each.holder->part_);
            refused_.fetch_add(1, std::memory_order_relaxed);
            return false;
        }
        leaving.push_back({one, one->network_});
        remove(*one);
    }
    add(holder, network, part);
    for (const Leaving& each : leaving) {
        each.holder->give_way();
        gave_way_.fetch_add(1, std::memory_order_relaxed);
    }
    // Each network once, because forgetting ends it, and several of these parts may have been of one.
    std::ranges::sort(leaving, {}, &Leaving::network);
    const auto repeated = std::ranges::unique(leaving, {}, &Leaving::network);
    leaving.erase(repeated.begin(), repeated.end());
    for (const Leaving& each : leaving) forget_if_empty(*each.network);
    held_most_.store(std::max(held_most(), held()), std::memory_order_relaxed);
    return true;
}

void FairShares::shrink(Holder& holder, std::size_t part) {
    const std::lock_guard lock(mutex_);
    if (holder.network_ == nullptr || holder.part_ <= part) return;
    const std::size_t less = holder.part_ - part;
    holder.part_ = part;
    resize(*holder.network_, holder.network_->held - less);
    held_.fetch_sub(less, std::memory_order_relaxed);
}

void FairShares::leave(Holder& holder) {
    const std::lock_guard lock(mutex_);
    if (holder.network_ == nullptr) return;
    Network& network = *holder.network_;
    remove(holder);
    forget_if_empty(network);
}

void FairShares::add(Holder& holder, Network& network, std::size_t part) {
    holder.network_ = &network;
    holder.part_ = part;
    holder.sorted_by_ = holder.since_.load(std::memory_order_relaxed);
    network.holders.insert(holder);
    all_.insert(holder);
    resize(network, network.held + part);
    held_.fetch_add(part, std::memory_order_relaxed);
}

void FairShares::remove(Holder& holder) {
    Network& network = *holder.network_;
    network.holders.erase(network.holders.iterator_to(holder));
    all_.erase(all_.iterator_to(holder));
    resize(network, network.held - holder.part_);
    held_.fetch_sub(holder.part_, std::memory_order_relaxed);
    holder.network_ = nullptr;
}

void FairShares::resize(Network& network, std::size_t held) {
    if (network.key) by_size_.erase(by_size_.iterator_to(network));
    network.held = held;
    if (network.key) by_size_.insert(network);
}

void FairShares::forget_if_empty(Network& network) {
    if (!network.key || !network.holders.empty()) return;
    by_size_.erase(by_size_.iterator_to(network));
    const ClientNetwork key = *network.key;
    networks_.erase(key);
}

void FairShares::sort_in(Holder& holder, Ticks at) {
    auto& holders = holder.network_->holders;
    holders.erase(holders.iterator_to(holder));
    all_.erase(all_.iterator_to(holder));
    holder.sorted_by_ = at;
    holders.insert(holder);
    all_.insert(holder);
}

// Holders are sorted by the time of their last look. Those seen since then are re-sorted, and those of another standing
// move to the end. So the first one that stays at the front has waited longest.
template <class Set, class Eligible>
FairShares::Holder* FairShares::longest(Set& holders, Standing standing, Ticks now, Eligible eligible) {
    const std::size_t looks = std::min(looks_max, 2 * holders.size());
    auto at = holders.begin();
    for (std::size_t i = 0; i < looks && at != holders.end(); ++i) {
        Holder& one = *at;
        const Ticks since = one.since_.load(std::memory_order_relaxed);
        if (one.standing_.load(std::memory_order_relaxed) != standing) {
            sort_in(one, now);
        } else if (since > one.sorted_by_) {
            sort_in(one, since);
        } else if (eligible(one)) {
            return &one;
        } else {
            ++at;
            continue;
        }
        at = holders.begin();
    }
    return nullptr;
}

FairShares::Holder* FairShares::choose(Network& asking, std::size_t part, Ticks now) {
    const std::size_t would_hold = asking.held + part;
    const auto anything = [](const Holder&) { return true; };
    if (!by_size_.empty()) {
        Network& largest = *by_size_.rbegin();
        if (&largest != &asking && largest.held > would_hold) {
            if (Holder* idle = longest(largest.holders, Standing::idle, now, anything)) return idle;
            const auto fair = [&](const Holder& one) { return largest.held - one.part_ >= would_hold; };
            if (Holder* receiving = longest(largest.holders, Standing::receiving, now, fair)) return receiving;
        }
    }
    if (Holder* own = longest(asking.holders, Standing::idle, now, anything)) return own;
    return longest(all_, Standing::idle, now,
                   [&](const Holder& one) { return !one.network_->key || one.network_->held >= would_hold; });
}

}  // namespace consentry::http
