// How a channel gets its connection, and what becomes of its jobs when it loses it.
#include <functional>
#include <new>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>

#include "base/error.hpp"
#include "base/unwatched.hpp"
#include "storage/postgres/channel.hpp"

namespace consentry::storage::postgres {
namespace {

// libpq closes its descriptor when it loses the connection, before the channel hears of it. Another thread may then
// have opened a file of the same number, which the executor would take for the socket. Throws if no descriptor or no
// memory is left.
asio::posix::stream_descriptor copy_of(int socket, const asio::any_io_executor& executor) {
    const int copy = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) throw std::runtime_error("no file descriptor is left");
    try {
        return {executor, copy};
    } catch (...) {
        ::close(copy);
        throw;
    }
}

}  // namespace

// Ends with the coroutine, which ends without an exception if there is no memory for its next wait. If the server is
// down, that is a failure, too: if it were not reported, the channel would never connect again.
class Channel::Attempt {
public:
    explicit Attempt(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) { channel_->connecting_ = true; }
    Attempt(Attempt&&) noexcept = default;
    Attempt& operator=(Attempt&&) = delete;
    ~Attempt() { end(channel_ && channel_->health_->is_up() ? &Health::succeeded : &Health::failed); }
    void end(void (Health::*how)()) {
        const auto channel = std::exchange(channel_, nullptr);
        if (!channel) return;  // has ended before
        channel->connecting_ = false;
        std::invoke(how, *channel->health_);
    }

private:
    std::shared_ptr<Channel> channel_;
};

bool Channel::begin_connecting() {
    if (!health_->may_connect()) return false;
    try {
        asio::co_spawn(executor_, connect(Attempt(shared_from_this())), unwatched("connecting to PostgreSQL"));
    } catch (const std::bad_alloc&) {
    }
    return connecting_;
}

asio::awaitable<void> Channel::connect(Attempt attempt) {
    const auto self = shared_from_this();
    std::string failure;
    try {
        auto connection = co_await connectors_->run([options = options_, health = health_] {
            return Connection::open(*options, Connection::Use::serving, health->host);
        });
        attempt.end(&Health::succeeded);
        adopt(std::move(connection));
        co_return;
    } catch (const std::exception& error) {
        failure = error.what();
    }
    attempt.end(&Health::failed);
    refuse_waiting(failure);
}

void Channel::adopt(std::unique_ptr<Connection> connection) {
    PGconn* raw = connection->raw();
    if (PQsetnonblocking(raw, 1) != 0 || PQenterPipelineMode(raw) != 1) {
        refuse_waiting("no pipeline mode");
        return;
    }
    std::string failure;
    try {
        statements_ = {};
        socket_.emplace(copy_of(PQsocket(raw), executor_));
    } catch (const std::exception& error) {
        failure = error.what();
    }
    if (!socket_) {
        refuse_waiting(failure);
        return;
    }
    heard_at_ = Steady::now();
    connection_ = std::move(connection);
    send_waiting();
    watch();
}

void Channel::lose(const std::string& why, bool silent) {
    socket_.reset();
    connection_.reset();
    slots_.clear();
    const std::string text = "postgres: " + (why.empty() ? "connection lost" : why);
    for (Job& job : std::exchange(in_flight_, {})) {
        if (job.is_over) continue;
        if (job.error) {  // the server reported an error, so nothing was committed
            answer(std::move(job));
        } else if (job.writes) {
            job.done({.error = std::make_exception_ptr(OutcomeUnknown(text))});
        } else if (silent || job.repeats > 0) {
            job.done({.error = std::make_exception_ptr(Unavailable(text))});
        } else {
            job.begin_again();
            waiting_.push_back(std::move(job));
        }
    }
    if (!waiting_.empty() && !connecting_ && !begin_connecting()) refuse_waiting(why);
    watch();
}

void Channel::give_up(const std::string& why) {
    if (connection_) lose(why, true);
    if (!health_->is_up()) refuse_waiting(why);
}

void Channel::refuse_waiting(const std::string& why) {
    const auto error = std::make_exception_ptr(Unavailable("postgres: " + why));
    for (Job& job : std::exchange(waiting_, {})) job.done({.error = error});
    watch();
}

}  // namespace consentry::storage::postgres
