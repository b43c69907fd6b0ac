// Tests that an allocation that fails costs one caller of a shared connection its answer, and no other caller.
#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "storage/postgres/postgres_database.hpp"
#include "storage/redis/redis_node.hpp"
#include "tests/contracts/redis_loop.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/shared_engines.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace {

// How many allocations of this thread succeed until one fails; below zero: all.
thread_local int left = -1;

thread_local bool has_failed = false;

bool is_to_fail() {
    if (left < 0 || left-- > 0) return false;
    return has_failed = true;
}

void* allocate(std::size_t size) {
    if (is_to_fail()) throw std::bad_alloc();
    if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

// Asio takes the memory of what waits from here.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    void* memory = nullptr;
    return is_to_fail() || posix_memalign(&memory, alignment, size) != 0 ? nullptr : memory;
}

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

// Runs all that is due. Like a thread of the service, it survives what a handler throws.
void run_on_and_on(asio::io_context& context) {
    context.restart();
    const auto end = std::chrono::steady_clock::now() + 20s;
    for (;;) {
        try {
            context.run_until(end);
            return;
        } catch (const std::bad_alloc&) {
        }
    }
}

TEST(AllocationFailures, ALookUpThatFailsHoldsUpNoOther) {
    const PostgresSchema schema;
    schema.sql("CREATE TABLE things (id UUID PRIMARY KEY)");
    asio::io_context context{1};
    storage::PostgresDatabase database({.url = schema.patient_url(), .timeout = 10s});
    enum class End { none, found, refused };
    const auto look_up = [&](End& end) -> awaitable<void> {
        try {
            co_await database.look_up("SELECT id FROM things WHERE id = $1", Uuid());
            left = -1;
            end = End::found;
        } catch (const Unavailable&) {
            left = -1;
            end = End::refused;
        } catch (const std::bad_alloc&) {
            left = -1;
            end = End::refused;
        }
    };
    End first = End::none;
    asio::co_spawn(context, look_up(first), asio::detached);
    run_on_and_on(context);
    ASSERT_EQ(first, End::found);
    bool is_last = false;
    for (int at = 0; !is_last; ++at) {
        ASSERT_LT(at, 1'000);
        End one = End::none;
        End other = End::none;
        asio::co_spawn(context, look_up(one), asio::detached);
        asio::post(context, [&] { left = at; });
        asio::co_spawn(context, look_up(other), asio::detached);
        run_on_and_on(context);
        is_last = one == End::found && other == End::found;
        // At most the caller that the memory was for has no answer.
        EXPECT_TRUE(one != End::none || other != End::none) << "allocation " << at;
        left = -1;
        End next = End::none;
        asio::co_spawn(context, look_up(next), asio::detached);
        run_on_and_on(context);
        ASSERT_EQ(next, End::found) << "after allocation " << at;
    }
}

// A database behind a link that fails, and one thread of the service.
class Reconnecting {
public:
    enum class End { none, found, refused };

    // Ends the connections. The service notices with the next look-up, which it refuses.
    void lose() {
        link.refuse();
        while (look_up() == End::found) {
        }
        // A new descriptor then needs memory, rather than that of the former one.
        descriptors_.emplace_back(context_, ::dup(STDERR_FILENO));
    }
    // After the first failure, there is no attempt to connect for 50 ms.
    static void pass_pause() {
        const auto end = std::chrono::steady_clock::now() + 60ms;
        ASSERT_TRUE(eventually([&] { return std::chrono::steady_clock::now() > end; }));
    }
    // The allocation number `failing` of this thread fails; below zero: none.
    End look_up(int failing = -1) {
        has_failed = false;
        End end = End::none;
        asio::co_spawn(context_, look_up_into(end), asio::detached);
        asio::post(context_, [failing] { left = failing; });
        run_on_and_on(context_);
        left = -1;
        return end;
    }
    // Whether a look-up is answered in time by a server that works.
    bool recovers() {
        return eventually([this] { return look_up() == End::found; });
    }

    TcpProxy link{port_of(shared_postgres_url())};

private:
    asio::awaitable<void> look_up_into(End& end) {
        try {
            co_await database_.look_up("SELECT id FROM things WHERE id = $1", Uuid());
            end = End::found;
        } catch (const Unavailable&) {
            end = End::refused;
        } catch (const std::bad_alloc&) {
            end = End::refused;
        }
        left = -1;
    }

    const PostgresSchema schema_;
    const SqlRows made_ = schema_.sql("CREATE TABLE things (id UUID PRIMARY KEY)");
    asio::io_context context_{1};
    std::deque<asio::posix::stream_descriptor> descriptors_;
    storage::PostgresDatabase database_{{.url = with_port(schema_.patient_url(), link.port()), .timeout = 3s}};
};

// Regression: the end of the attempt to connect was not reported, so no other one followed.
TEST(AllocationFailures, AnAttemptToConnectThatFailsIsNotTheLast) {
    Reconnecting service;
    ASSERT_TRUE(service.recovers());
    bool is_last = false;
    for (int at = 0; !is_last; ++at) {
        ASSERT_LT(at, 1'000);
        service.lose();
        service.pass_pause();
        EXPECT_EQ(service.look_up(at), Reconnecting::End::refused) << "allocation " << at;
        is_last = !has_failed;
        service.link.pass();
        ASSERT_TRUE(service.recovers()) << "after allocation " << at;
    }
}

// Regression: the channel had a connection without a socket to wait for, and ended the program.
TEST(AllocationFailures, AConnectionThatCannotBeUsedIsNotKept) {
    Reconnecting service;
    ASSERT_TRUE(service.recovers());
    bool is_last = false;
    for (int at = 0; !is_last; ++at) {
        ASSERT_LT(at, 1'000);
        service.lose();
        service.pass_pause();
        service.link.pass();
        const auto end = service.look_up(at);
        is_last = !has_failed;
        EXPECT_TRUE(end == Reconnecting::End::found || !is_last) << "allocation " << at;
        ASSERT_TRUE(service.recovers()) << "after allocation " << at;
    }
}

TEST(AllocationFailures, ACommandThatFailsGivesNoReplyToAnother) {
    using storage::redis::Node;
    using storage::redis::Waiter;
    asio::io_context context{1};
    const auto options = redis_options(shared_redis_url());
    const auto settings = std::make_shared<storage::redis::Settings>(options);
    const auto node = std::make_shared<Node>(context.get_executor(), settings, options.addresses.front());
    const auto send = [&node](Waiter& waiter, std::string_view text, bool asking) {
        const std::array<std::string_view, 2> words{"ECHO", text};
        node->send(words, waiter, asking);
    };
    // The queue takes memory only now and then.
    for (std::size_t round = 0; round < 100; ++round) {
        bool has_failed = true;
        for (int at = 0; has_failed; ++at) {
            ASSERT_LT(at, 100);
            Waiter before;
            Waiter failed;
            Waiter behind;
            send(before, "before", false);
            const std::string long_text(100 * (round + 1), 'x');
            left = at;
            try {
                send(failed, long_text, round % 2 == 0);
                has_failed = false;
            } catch (const std::bad_alloc&) {
            }
            left = -1;
            send(behind, "behind", false);
            run_on_and_on(context);
            ASSERT_EQ(before.reply.text(), "before") << "round " << round << ", allocation " << at;
            ASSERT_EQ(behind.reply.text(), "behind") << "round " << round << ", allocation " << at;
        }
    }
    node->stop();
}

// Regression: what had not begun to write, read or keep time counted as under way, and no caller waited for the server
// or noticed its silence ever again.
TEST(AllocationFailures, ARedisConnectionThatCannotWaitIsReplaced) {
    using storage::redis::Node;
    using storage::redis::Waiter;
    const auto options = redis_options(shared_redis_url());
    const auto settings = std::make_shared<storage::redis::Settings>(options);
    bool is_last = false;
    for (int at = 0; !is_last; ++at) {
        ASSERT_LT(at, 1'000);
        // Asio keeps memory that it has used: another thread has none yet.
        std::jthread([&] {
            asio::io_context context{1};
            const auto node = std::make_shared<Node>(context.get_executor(), settings, options.addresses.front());
            const auto ask = [&](int failing) {
                Waiter waiter;
                const std::array<std::string_view, 2> words{"ECHO", "again"};
                node->send(words, waiter, false);
                left = failing;
                run_on_and_on(context);
                left = -1;
                EXPECT_TRUE(waiter.is_done()) << "allocation " << at;
                return waiter.end == Waiter::End::answered;
            };
            EXPECT_TRUE(ask(-1));
            has_failed = false;
            ask(at);
            is_last = !has_failed;
            EXPECT_TRUE(eventually([&] { return ask(-1); })) << "after allocation " << at;
            node->stop();
        });
    }
}

}  // namespace
}  // namespace consentry::tests
