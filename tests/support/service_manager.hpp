// The socket on which a service manager listens.
#pragma once

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <poll.h>

namespace consentry::tests {

class ServiceManager {
public:
    explicit ServiceManager(const std::filesystem::path& path)
        : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
        path.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
        if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw std::runtime_error("bind");
    }
    ~ServiceManager() { ::close(socket_); }
    ServiceManager(const ServiceManager&) = delete;
    ServiceManager& operator=(const ServiceManager&) = delete;

    // Returns the next notification; "nothing" if none comes.
    std::string next() const {
        pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
        if (::poll(&ready, 1, 20'000) != 1) return "nothing";
        std::array<char, 256> bytes{};
        const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
        return {bytes.data(), static_cast<std::size_t>(count)};
    }
    // How many notifications have come, and takes them.
    int waiting() const {
        int count = 0;
        std::array<char, 256> bytes{};
        while (::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) ++count;
        return count;
    }

private:
    const int socket_;
};

}  // namespace consentry::tests
