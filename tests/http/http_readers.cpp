#include "tests/http/http_readers.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <poll.h>

#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

class Socket {
public:
    explicit Socket(int handle) : handle_(handle) {}
    Socket(Socket&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
    Socket& operator=(Socket&&) = delete;
    ~Socket() {
        if (handle_ >= 0) ::close(handle_);
    }
    int get() const { return handle_; }

private:
    int handle_;
};

Socket connect_to(std::uint16_t port) {
    Socket out{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(out.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("cannot connect to the server under test");
    return out;
}

Socket connect_to(const std::string& path) {
    Socket out{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) throw std::runtime_error("too long for a socket: " + path);
    path.copy(address.sun_path, path.size());
    if (::connect(out.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::runtime_error("cannot connect to " + path);
    return out;
}

// This text occurs nowhere else in the answers.
constexpr std::string_view status_line = "HTTP/1.1 ";

Reading reading_of(std::string_view received) {
    Reading out;
    for (auto at = received.find(status_line); at != std::string_view::npos; at = received.find(status_line)) {
        received.remove_prefix(at + status_line.size());
        unsigned status = 0;
        std::from_chars(received.data(), received.data() + received.size(), status);
        if (status == 100) continue;
        if (out.refusal != 0) out.read_on = true;
        constexpr std::string_view name = "\r\nx-seen: ";
        const auto seen = received.substr(0, received.find(status_line)).find(name);
        if (status == 200 && seen != std::string_view::npos) {
            std::string value{received.substr(seen + name.size())};
            value.resize(value.find('\r'));
            if (!value.contains(' ')) value += " 0";  // nginx reports no length if none was sent
            out.seen.push_back(std::move(value));
        } else {
            out.refusal = status;
        }
    }
    return out;
}

}  // namespace

std::vector<Reading> read_all(const HttpReader& reader, const std::vector<std::string_view>& texts) {
    std::vector<Socket> sockets;
    std::vector<pollfd> waiting;
    std::vector<std::string> received(texts.size());
    for (const std::string_view text : texts) {
        sockets.push_back(std::visit([](const auto& address) { return connect_to(address); }, reader.address));
        waiting.push_back({.fd = sockets.back().get(), .events = POLLIN, .revents = 0});
        // The text fits in the socket buffer. A server that has already closed is not a failure.
        ::send(sockets.back().get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    std::size_t open = texts.size();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (open > 0) {
        if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error(reader.name + " keeps silent");
        ::poll(waiting.data(), waiting.size(), 1000);
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
            std::array<char, 16 * 1024> bytes;
            const ssize_t count = ::recv(waiting[i].fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
            if (count > 0) {
                received[i].append(bytes.data(), static_cast<std::size_t>(count));
            } else if (count == 0 || errno != EAGAIN) {
                waiting[i].fd = -1;
                --open;
            }
        }
    }
    std::vector<Reading> out;
    for (const std::string& text : received) out.push_back(reading_of(text));
    return out;
}

namespace {

std::string script(std::string_view name) { return std::string{CONSENTRY_REAL_SERVERS "/"}.append(name) + ".sh"; }

}  // namespace

OtherReaders::OtherReaders() {
    // The servers run as other users, who must be able to enter the folder.
    std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
    const std::string owner = std::to_string(::getpid());
    for (const char* name : {"nginx", "node"})
        output_of({script(name), "start", "--owner", owner, (folder_ / name).string()});
}

OtherReaders::~OtherReaders() {
    for (const char* name : {"nginx", "node"}) {
        try {
            run_command({script(name), "stop", (folder_ / name).string()});
        } catch (const std::exception&) {
            // The servers end with this process.
        }
    }
}

}  // namespace consentry::tests
