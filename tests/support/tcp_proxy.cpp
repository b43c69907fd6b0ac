#include "tests/support/tcp_proxy.hpp"

#include <algorithm>
#include <future>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace consentry::tests {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

enum class Mode { pass, delay, hang, mute, refuse, cut_after, hang_after, mute_when };
enum class Direction { requests, answers };

struct Link {
    tcp::socket client;
    tcp::socket target;
    std::optional<std::size_t> bytes_left{};  // cut_after_answer_bytes(), hang_after_request_bytes()
    std::string last_bytes{};                 // mute_when: a possible prefix of the pattern
    bool loses_answer = false;                // mute_when: the pattern has passed
    bool half_closed = false;                 // one side has closed its sending direction
};
using LinkPointer = std::shared_ptr<Link>;

// With `abortive`, sends RST and discards data in transit.
void close(tcp::socket& socket, bool abortive) {
    boost::system::error_code ignored;
    if (abortive && socket.is_open()) socket.set_option(asio::socket_base::linger(true, 0), ignored);
    socket.close(ignored);
}

}  // namespace

// Confined to its own thread; in() runs calls there.
struct TcpProxy::Impl {
    explicit Impl(std::uint16_t target_port) : target(asio::ip::address_v4::loopback(), target_port) {
        // Bound but not listening: reserves the port while links are refused.
        port_keeper.open(tcp::v4());
        port_keeper.set_option(asio::socket_base::reuse_address(true));
        port_keeper.bind({asio::ip::address_v4::loopback(), 0});
        listen();
        thread = std::jthread([this] { context.run(); });
    }
    ~Impl() {
        in([this] {
            acceptor.close();
            reset_links();
            context.stop();
        });
        thread.join();
    }

    template <class Work>
    std::invoke_result_t<Work&> in(Work work) {
        std::packaged_task<std::invoke_result_t<Work&>()> task(std::move(work));
        auto result = task.get_future();
        asio::post(context, std::move(task));
        return result.get();
    }

    void change(Mode next) {
        mode = next;
        for (const LinkPointer& link : links) {
            link->bytes_left.reset();
            link->last_bytes.clear();
            link->loses_answer = false;
        }
        for (asio::steady_timer* timer : waiting) timer->cancel();
        if (mode == Mode::refuse) {
            acceptor.close();
            reset_links();
        } else if (!acceptor.is_open()) {
            listen();
        }
    }

    void reset_links() {
        for (const LinkPointer& link : std::exchange(links, {})) {
            close(link->client, true);
            close(link->target, true);
        }
    }

    // The pumps of the answers keep the sockets of the targets until these answer or close.
    void reset_clients() {
        for (const LinkPointer& link : std::exchange(links, {})) {
            close(link->client, true);
            boost::system::error_code ignored;
            link->target.shutdown(tcp::socket::shutdown_send, ignored);
        }
    }

    void listen() {
        acceptor.open(tcp::v4());
        acceptor.set_option(asio::socket_base::reuse_address(true));
        acceptor.bind(port_keeper.local_endpoint());
        acceptor.listen();
        asio::co_spawn(context, accept(), asio::detached);
    }

    awaitable<void> accept() {
        for (;;) {
            auto [error, socket] = co_await acceptor.async_accept(as_result);
            if (error) co_return;  // closed
            ++accepted;
            auto link = std::make_shared<Link>(std::move(socket), tcp::socket(context));
            links.insert(link);
            asio::co_spawn(context, connect(link), asio::detached);
        }
    }

    awaitable<void> connect(LinkPointer link) {
        co_await held_back(*link, Direction::requests);
        if (!links.contains(link)) co_return;
        const auto [error] = co_await link->target.async_connect(target, as_result);
        if (error || !links.contains(link)) {
            end(link, true);
            co_return;
        }
        link->client.set_option(tcp::no_delay(true));
        link->target.set_option(tcp::no_delay(true));
        asio::co_spawn(context, pump(link, Direction::requests), asio::detached);
        asio::co_spawn(context, pump(link, Direction::answers), asio::detached);
    }

    awaitable<void> pump(LinkPointer link, Direction direction) {
        const bool answers = direction == Direction::answers;
        tcp::socket& from = answers ? link->target : link->client;
        tcp::socket& to = answers ? link->client : link->target;
        std::vector<char> bytes(65'536);
        while (links.contains(link)) {
            const auto [error, size] = co_await from.async_read_some(asio::buffer(bytes), as_result);
            co_await held_back(*link, direction);
            if (!links.contains(link)) co_return;
            if (answers && link->loses_answer) {
                ++cut;
                end(link, true);
                co_return;
            }
            if (error) {
                half_close(link, direction, error);
                co_return;
            }
            if (!answers) look_for_pattern(*link, {bytes.data(), size});
            const std::size_t passing = take_allowed(*link, direction, size);
            // Decided now: the mode may change during the write, but bytes that are lost stay lost.
            const bool is_cut = answers && mode == Mode::cut_after && link->bytes_left == 0U;
            const auto [failed, written] = co_await asio::async_write(to, asio::buffer(bytes, passing), as_result);
            if (failed) {
                end(link, true);
            } else if (is_cut) {
                ++cut;
                end(link, true);
            }
        }
    }

    // One side has closed its sending direction; the link ends once both have.
    void half_close(const LinkPointer& link, Direction direction, const boost::system::error_code& error) {
        boost::system::error_code failed = error == asio::error::eof ? boost::system::error_code{} : error;
        if (!failed)
            (direction == Direction::answers ? link->client : link->target)
                .shutdown(tcp::socket::shutdown_send, failed);
        if (failed || std::exchange(link->half_closed, true)) end(link, static_cast<bool>(failed));
    }

    void end(const LinkPointer& link, bool abortive) {
        if (links.erase(link) == 0) return;
        close(link->client, abortive);
        // Orderly, because the target may still be reading.
        close(link->target, false);
    }

    void look_for_pattern(Link& link, std::string_view bytes) {
        if (mode != Mode::mute_when) return;
        link.last_bytes += bytes;
        if (link.last_bytes.contains(pattern)) {
            change(Mode::pass);
            link.loses_answer = true;
            return;
        }
        link.last_bytes.erase(0, link.last_bytes.size() - std::min(link.last_bytes.size(), pattern.size() - 1));
    }

    std::size_t take_allowed(Link& link, Direction direction, std::size_t size) const {
        const bool answers = direction == Direction::answers;
        if (mode != (answers ? Mode::cut_after : Mode::hang_after)) return size;
        if (!link.bytes_left) link.bytes_left = bytes;
        const std::size_t allowed = std::min(size, *link.bytes_left);
        *link.bytes_left -= allowed;
        return answers ? allowed : size;
    }

    bool is_held(const Link& link, Direction direction) const {
        if (direction == Direction::answers) return mode == Mode::hang || mode == Mode::mute;
        return mode == Mode::hang || (mode == Mode::hang_after && link.bytes_left == 0U);
    }

    // Completes once data in this direction may be forwarded.
    awaitable<void> held_back(const Link& link, Direction direction) {
        bool delayed = false;
        for (;;) {
            const bool held = is_held(link, direction);
            if (!held && (mode != Mode::delay || delayed)) co_return;
            asio::steady_timer timer(context);
            timer.expires_after(held ? std::chrono::hours{24} : std::chrono::hours{0} + time);
            delayed = !held;
            waiting.insert(&timer);
            co_await timer.async_wait(as_result);  // change() cancels it early
            waiting.erase(&timer);
        }
    }

    asio::io_context context{1};
    // Keeps the context running while links are refused and nothing else is pending.
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    tcp::endpoint target;
    tcp::acceptor port_keeper{context};
    tcp::acceptor acceptor{context};
    std::set<LinkPointer> links;
    std::set<asio::steady_timer*> waiting;
    Mode mode = Mode::pass;
    std::chrono::milliseconds time{};
    std::size_t bytes = 0;
    std::string pattern;
    std::size_t accepted = 0;
    std::size_t cut = 0;
    std::jthread thread;
};

TcpProxy::TcpProxy(std::uint16_t target_port) : impl_(std::make_unique<Impl>(target_port)) {}
TcpProxy::~TcpProxy() = default;

std::uint16_t TcpProxy::port() const { return impl_->port_keeper.local_endpoint().port(); }

std::size_t TcpProxy::accepted() const {
    return impl_->in([this] { return impl_->accepted; });
}
std::size_t TcpProxy::open() const {
    return impl_->in([this] { return impl_->links.size(); });
}
std::size_t TcpProxy::cut() const {
    return impl_->in([this] { return impl_->cut; });
}

void TcpProxy::pass() {
    impl_->in([this] { impl_->change(Mode::pass); });
}
void TcpProxy::hang() {
    impl_->in([this] { impl_->change(Mode::hang); });
}
void TcpProxy::mute() {
    impl_->in([this] { impl_->change(Mode::mute); });
}
void TcpProxy::refuse() {
    impl_->in([this] { impl_->change(Mode::refuse); });
}
void TcpProxy::delay(std::chrono::milliseconds time) {
    impl_->in([this, time] {
        impl_->time = time;
        impl_->change(Mode::delay);
    });
}
void TcpProxy::cut_after_answer_bytes(std::size_t count) {
    impl_->in([this, count] {
        impl_->bytes = count;
        impl_->change(Mode::cut_after);
    });
}
void TcpProxy::hang_after_request_bytes(std::size_t count) {
    impl_->in([this, count] {
        impl_->bytes = count;
        impl_->change(Mode::hang_after);
    });
}
void TcpProxy::mute_when(std::string bytes) {
    impl_->in([this, &bytes] {
        impl_->pattern = std::move(bytes);
        impl_->change(Mode::mute_when);
    });
}
void TcpProxy::reset() {
    impl_->in([this] {
        impl_->change(Mode::pass);
        impl_->reset_links();
    });
}
void TcpProxy::reset_clients() {
    impl_->in([this] {
        impl_->change(Mode::pass);
        impl_->reset_clients();
    });
}

}  // namespace consentry::tests
