// X-Forwarded-For: the client is the peer itself or a hop that a listed proxy reported. No other peer can choose its
// address (LIM-2).
#include "base/text.hpp"
#include "http/steps/client_address.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    static const http::Networks proxies = http::Networks::parse({"10.0.0.0/8", "::1"}).value();
    const std::string_view value = fuzz::text_of(data, size);
    http::Request request;
    request.headers = {{"X-Forwarded-For", value}};

    request.peer = boost::asio::ip::make_address("192.0.2.1");
    fuzz::require(http::client_of(request, proxies).address == request.peer, "a stranger is who it is");

    request.peer = boost::asio::ip::make_address("10.0.0.1");
    const http::Address address = http::client_of(request, proxies).address;
    fuzz::require(http::canonical(address) == address, "one spelling per address");
    if (address == request.peer) return 0;
    bool named = false;
    for (std::string_view rest = value; !named;) {
        const std::size_t comma = rest.find(',');
        const auto hop = http::parse_address(trim(rest.substr(0, comma)));
        named = hop && http::canonical(*hop) == address;
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    fuzz::require(named, "or one of the hops");
    return 0;
}
