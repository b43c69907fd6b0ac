#include "storage/redis/redis_attempt.hpp"

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "base/numbers.hpp"

namespace consentry::storage::redis {
namespace {

// A sentinel may not know yet that its master was demoted (sentinel clients specification, step 3).
awaitable<void> check_master(Link& link) {
    std::vector<std::vector<std::string_view>> question{{"ROLE"}};
    const std::vector<Reply> replies = co_await link.ask(std::move(question));
    if (replies[0].error_code() == "NOPERM") throw Misconfigured(link.named("the user lacks permission to run ROLE"));
    if (replies[0].at(0).text() != "master")
        throw Unavailable(link.named("not a master, although a sentinel reports it as one"));
}

}  // namespace

Attempt::Attempt(const asio::any_io_executor& executor, std::shared_ptr<const Settings> settings,
                 std::optional<RedisAddress> server, std::size_t first_sentinel)
    : executor_(executor),
      settings_(std::move(settings)),
      server_(std::move(server)),
      first_sentinel_(first_sentinel) {}

awaitable<std::shared_ptr<Link>> Attempt::run(std::shared_ptr<Attempt> self) {
    RedisAddress address;
    if (self->server_) {
        address = *self->server_;
    } else {
        address = co_await self->ask_sentinels();
    }
    const RedisOptions& options = self->settings_->options();
    const std::shared_ptr<Link> link = self->make_link(address);
    link->close_after(self->settings_->long_connect_timeout());
    co_await link->open(options.credentials, options.db);
    if (!self->server_) co_await check_master(*link);
    link->close_after(std::nullopt);
    co_return link;
}

void Attempt::cancel() {
    canceled_ = true;
    if (link_) link_->close();
}

awaitable<RedisAddress> Attempt::ask_sentinels() {
    const std::size_t count = settings_->options().addresses.size();
    std::exception_ptr misconfigured;
    std::exception_ptr unavailable;
    const std::size_t first = first_sentinel_;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t index = (first + i) % count;
        // Advance before asking: if the sentinel does not answer, the whole attempt may time out here.
        first_sentinel_ = (index + 1) % count;
        try {
            RedisAddress master = co_await ask_sentinel(index);
            first_sentinel_ = index;
            co_return master;
        } catch (const Misconfigured&) {
            misconfigured = std::current_exception();
        } catch (const Unavailable&) {
            unavailable = std::current_exception();
        }
    }
    std::rethrow_exception(misconfigured ? misconfigured : unavailable);
}

awaitable<RedisAddress> Attempt::ask_sentinel(std::size_t index) {
    const RedisOptions& options = settings_->options();
    const std::shared_ptr<Link> link = make_link(options.addresses[index]);
    // A silent sentinel leaves time for two others.
    link->close_after(settings_->long_connect_timeout() / 3);
    co_await link->open(options.sentinel_credentials, 0);
    std::vector<std::vector<std::string_view>> question{{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options.master_name}};
    const std::vector<Reply> replies = co_await link->ask(std::move(question));
    link->close();
    const Reply& reply = replies[0];
    if (reply.error_code() == "NOPERM")
        throw Misconfigured(link->named("the user lacks permission to run SENTINEL GET-MASTER-ADDR-BY-NAME"));
    if (reply.error_code() == "ERR") throw Misconfigured(link->named("not a sentinel"));
    if (reply.is_nil()) throw Misconfigured(link->named("knows no master named '" + options.master_name + "'"));
    const auto host = reply.at(0).text();
    const auto port = parse_number<std::uint16_t>(reply.at(1).text().value_or(""));
    RedisAddress out{.host = std::string(host.value_or("")), .port = port.value_or(0)};
    if (out.host.empty() || out.port == 0) throw Unavailable(link->named("reports no master"));
    co_return out;
}

std::shared_ptr<Link> Attempt::make_link(const RedisAddress& address) {
    if (canceled_) throw Unavailable("redis: canceled");
    link_ = std::make_shared<Link>(executor_, settings_, address);
    return link_;
}

}  // namespace consentry::storage::redis
