// The accounts, second factors and sessions that the measured service finds in its data folder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/services.hpp"

namespace consentry::bench {

inline constexpr const char* password = "Velvet-Harbor-42";

constexpr std::size_t refresh_chains = 64;
constexpr std::size_t sessions_per_stranger = 10;

struct Crowd {
    std::size_t readers = 200;   // accounts with one session each
    std::size_t refreshers = 1;  // the same, for a chain of refreshes
    std::size_t strangers =
        2000;  // accounts with `sessions_per_stranger` sessions each, whose tokens have not been used yet
    std::size_t logins = 4000;     // accounts without a session: enough that none is asked for twice at once
    std::size_t guarded = 20'000;  // accounts with the second factor on
};

struct Guarded {
    std::string email;
    Bytes secret;  // of the authenticator app
};

struct People {
    std::vector<TokenPair> readers;
    std::vector<TokenPair> refreshers;
    std::vector<TokenPair> strangers;
    std::vector<std::string> logins;  // addresses; `password` is right for all
    std::vector<Guarded> guarded;     // as well; their hash is the cheapest, as it is not what is measured with them
};

// Through the service's own code, on a folder that no other process uses. `clock` is the one of `services`.
People make_people(Services& services, ManualClock& clock, const Crowd& crowd);

}  // namespace consentry::bench
