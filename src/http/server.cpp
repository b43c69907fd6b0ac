#include "http/server.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/standard_error.hpp"
#include "base/unwatched.hpp"
#include "http/connection.hpp"
#include "http/io_thread.hpp"
#include "http/listeners.hpp"

namespace consentry::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

constexpr milliseconds accept_pause{50};   // while out of file descriptors or memory
constexpr milliseconds abandon_time{500};  // for canceled handlers to end after stop_timeout

// Short, because all connections whose deadlines fall into one interval end together, and other requests wait for that.
constexpr milliseconds deadline_interval{4};

// One acceptor of one thread.
class Door {
public:
    Door(IoThread& thread, Acceptor acceptor)
        : thread_(thread), acceptor_(std::move(acceptor)), pause_(thread.context) {}

    asio::awaitable<void> run() {
        error_code error;
        for (;;) {
            co_await acceptor_.async_wait(Acceptor::wait_read, asio::redirect_error(asio::use_awaitable, error));
            if (closed_) co_return;
            if (!accept_waiting()) {
                pause_.expires_after(accept_pause);
                co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
            }
            if (closed_) co_return;
        }
    }
    void close() {
        closed_ = true;
        accept_waiting();  // closing the acceptor would reset connections in its backlog
        error_code ignored;
        acceptor_.close(ignored);
        pause_.cancel();
    }

private:
    // Accepts all waiting connections. Returns false if accepting fails for now; waiting for the socket would then spin
    // (FLT-5).
    bool accept_waiting() {
        try {
            return accept_all();
        } catch (const std::exception& error) {  // the kernel goes on to queue connections for this acceptor
            if (!std::exchange(in_trouble_, true)) say("cannot accept connections: {}\n", error.what());
        }
        return false;
    }
    bool accept_all() {
        for (;;) {
            error_code error;
            asio::ip::tcp::endpoint peer;
            Connection::Socket socket(thread_.context);
            acceptor_.accept(socket, peer, error);
            if (!error) {
                Connection::open(thread_, std::move(socket), peer);
                in_trouble_ = false;
                continue;
            }
            if (error == asio::error::would_block || error == asio::error::try_again) return true;
            if (error == asio::error::connection_aborted || error == asio::error::interrupted) continue;
            return false;  // EMFILE, ENFILE, ENOBUFS, ENOMEM
        }
    }

    IoThread& thread_;
    Acceptor acceptor_;
    asio::steady_timer pause_;
    bool in_trouble_ = false;
    bool closed_ = false;
};

}  // namespace

class Server::Impl {
public:
    Impl(ServerOptions options, Application& application) : state_(std::move(options), application) {
        std::size_t count = state_.options.threads;
        if (count == 0) count = std::max(1U, std::thread::hardware_concurrency());
        std::vector<asio::io_context*> contexts;
        for (std::size_t i = 0; i < count; ++i) {
            workers_.push_back(std::make_unique<Worker>(state_));
            contexts.push_back(&workers_.back()->io.context);
        }
        const ServerOptions& own = state_.options;
        Listeners listeners =
            own.sockets.empty() ? open_listeners(own.host, own.port, contexts) : adopt_listeners(own.sockets, contexts);
        port_ = listeners.port;
        for (std::size_t i = 0; i < count; ++i)
            for (Acceptor& acceptor : listeners.of_context[i])
                workers_[i]->doors.emplace_back(workers_[i]->io, std::move(acceptor));
        state_.on_connection_closed = [this] { finish_if_idle(); };
    }
    ~Impl() {
        stop();
        join();
    }

    void start() {
        for (std::size_t i = 0; i < workers_.size(); ++i) {
            Worker& worker = *workers_[i];
            for (Door& door : worker.doors) asio::co_spawn(worker.io.context, door.run(), unwatched("an acceptor"));
            worker.thread = std::thread([&worker, i] {
                pthread_setname_np(pthread_self(), ("http-" + std::to_string(i)).substr(0, 15).c_str());
                run(worker.io.context);
            });
        }
    }
    void stop() {
        if (stopping_.exchange(true)) return;
        for (auto& worker : workers_) asio::post(worker->io.context, [this, &worker = *worker] { close(worker); });
    }
    void join() {
        for (auto& worker : workers_)
            if (worker->thread.joinable()) worker->thread.join();
        joined_ = stopping_.load();
    }

    std::uint16_t port() const { return port_; }
    std::size_t threads() const { return workers_.size(); }
    const ServerState& state() const { return state_; }
    asio::any_io_executor executor() {
        return workers_[next_.fetch_add(1, std::memory_order_relaxed) % workers_.size()]->io.context.get_executor();
    }

private:
    struct Worker {
        explicit Worker(ServerState& state)
            : io(state, deadline_interval), stop_timer(io.context), work(io.context.get_executor()) {}
        IoThread io;
        asio::steady_timer stop_timer;
        asio::executor_work_guard<asio::io_context::executor_type> work;
        std::list<Door> doors;
        std::thread thread;
    };

    static void run(asio::io_context& context) {
        for (;;) {
            try {
                context.run();
                return;
            } catch (const std::exception& error) {
                // From work posted to executor(); connections catch their own exceptions. The thread keeps serving
                // (FLT-6).
                say("uncaught in an I/O thread: {}\n", error.what());
            } catch (...) {
                say("uncaught in an I/O thread\n");
            }
        }
    }

    static void for_each_connection(Worker& worker, void (Connection::*action)()) {
        worker.io.deadlines.for_each([action](Expiring& item) { (static_cast<Connection&>(item).*action)(); });
    }

    void close(Worker& worker) {
        worker.io.stopping = true;
        for (Door& door : worker.doors) door.close();
        for_each_connection(worker, &Connection::stop);
        worker.stop_timer.expires_after(state_.options.stop_timeout);
        worker.stop_timer.async_wait([this, &worker](const error_code& error) {
            if (!error) abandon(worker);
        });
        doors_closed_.fetch_add(1);
        finish_if_idle();
    }
    void abandon(Worker& worker) {
        for_each_connection(worker, &Connection::abandon);
        worker.stop_timer.expires_after(abandon_time);
        worker.stop_timer.async_wait([this](const error_code& error) {
            if (!error) stop_contexts();
        });
    }
    // All threads run until the last connection of the server ends, because its handler may wait for work on another
    // thread.
    void finish_if_idle() {
        if (!joined_ && doors_closed_.load() == workers_.size() && state_.connections.load() == 0) stop_contexts();
    }
    void stop_contexts() {
        for (auto& worker : workers_) worker->io.context.stop();
    }

    ServerState state_;
    std::uint16_t port_ = 0;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> joined_{false};  // contexts may be gone: must not be used any more
    std::atomic<std::size_t> doors_closed_{0};
    std::atomic<std::size_t> next_{0};
    std::vector<std::unique_ptr<Worker>> workers_;
};

Server::Server(ServerOptions options, Application& application)
    : impl_(std::make_unique<Impl>(std::move(options), application)) {}
Server::~Server() = default;

std::uint16_t Server::port() const { return impl_->port(); }
std::size_t Server::threads() const { return impl_->threads(); }
void Server::start() { impl_->start(); }
void Server::stop() { impl_->stop(); }
void Server::join() { impl_->join(); }
std::size_t Server::connections() const { return impl_->state().connections.load(); }
const FairShares& Server::places() const { return impl_->state().places; }
const FairShares& Server::bodies() const { return impl_->state().bodies; }
boost::asio::any_io_executor Server::executor() { return impl_->executor(); }

}  // namespace consentry::http
