// Instances are restarted one after another while clients work, and no client notices.
#include <array>
#include <atomic>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include "tests/instances/load_client.hpp"

namespace consentry::tests {
namespace {

// Acts like a proxy in front of two instances: if one refuses a connection, the request goes to the other.
class Proxy {
public:
    explicit Proxy(Fleet& fleet) {
        for (std::size_t i = 0; i < places_.size(); ++i) places_[i].port = fleet.at(i).port();
    }
    // From stops() on, the instance may break connections, until starts() announces its new port.
    void stops(std::size_t instance) { places_.at(instance).stops = true; }
    void is_gone(std::size_t instance) { places_.at(instance).port = 0; }  // no instance listens there
    void starts(std::size_t instance, std::uint16_t port) {
        places_.at(instance).stops = false;
        places_.at(instance).port = port;
    }
    // The number of requests that a stopping instance broke off. They are answered 503, because their outcome is
    // unknown.
    std::size_t broken() const { return broken_; }

    Answer operator()(std::size_t number, const std::function<Answer(const HttpClient&)>& request) {
        const Place& first = places_[number % 2];
        try {
            return request(HttpClient(first.port));
        } catch (const boost::system::system_error& error) {
            if (error.code() != boost::asio::error::connection_refused) {
                if (!first.stops) throw;
                ++broken_;
                Answer answer;
                answer.status = 503;
                answer.headers["retry-after"] = "1";
                return answer;
            }
        }
        return request(HttpClient(places_[(number + 1) % 2].port));
    }

private:
    struct Place {
        std::atomic<std::uint16_t> port = 0;
        std::atomic<bool> stops = false;
    };
    std::array<Place, 2> places_{};
    std::atomic<std::size_t> broken_ = 0;
};

TEST(OPS_1, ARollingRestartIsNotNoticed) {
    SharedFleet fleet(2, {{"SESSION_MAX_PER_USER", "1000"}});
    Proxy proxy(*fleet);
    Load load([&proxy](std::size_t number,
                       const std::function<Answer(const HttpClient&)>& request) { return proxy(number, request); },
              *fleet, 6, 42);
    const Person ada = fleet->make_protected_person();
    std::string challenge = challenge_of(fleet->client(1), ada);
    load.begin();
    load.wait_for(100);
    for (std::size_t round = 0; round < 4; ++round) {
        const std::size_t instance = round % 2;
        proxy.stops(instance);
        EXPECT_EQ(fleet->at(instance).stop().code, 0) << fleet->at(instance).program().err();
        proxy.is_gone(instance);
        load.wait_for(50);
        // Complete a login that began at an instance that has since stopped.
        if (instance == 1) EXPECT_EQ(verify_backup(fleet->client(0), challenge, ada.backup_codes[round]).status, 200U);
        fleet->start(instance);
        proxy.starts(instance, fleet->at(instance).port());
        challenge = challenge_of(fleet->client(1), ada);
        load.wait_for(50);
    }
    load.end();
    // Between the instance's last accept and the closing of its port, the kernel may accept one more connection, which
    // it then resets.
    EXPECT_LE(proxy.broken(), 1U) << "an instance that stops answers whoever is connected";
    EXPECT_EQ(load.unavailable(), proxy.broken());
    load.check([&](const std::string& statement) { return fleet.number(statement); });
}

}  // namespace
}  // namespace consentry::tests
