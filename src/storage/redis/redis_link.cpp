#include "storage/redis/redis_link.hpp"

#include <cerrno>
#include <filesystem>

#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include "base/error_text.hpp"
#include "base/wrong_settings.hpp"
#include "net/system_authorities.hpp"

namespace consentry::storage::redis {
namespace {

using boost::system::error_code;
using boost::system::system_error;

void check_file(const error_code& error, std::string_view parameter, const std::string& file) {
    if (error) throw WrongSettings("redis: " + std::string(parameter) + " cannot be loaded: " + file);
}

std::unique_ptr<asio::ssl::context> make_tls(const RedisOptions& options) {
    if (!options.tls) return nullptr;
    auto out = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(out->native_handle(), TLS1_2_VERSION);
    out->set_verify_mode(asio::ssl::verify_peer);
    error_code error;
    if (options.ca_file.empty()) {
        out->set_default_verify_paths();
        // Only where OpenSSL's own folder is missing, because the file adds to what SSL_CERT_FILE and SSL_CERT_DIR
        // name. If it cannot be read, the handshake says so.
        if (!std::filesystem::exists(X509_get_default_cert_dir()))
            out->load_verify_file(net::system_authorities(), error);
    } else {
        out->load_verify_file(options.ca_file, error);
        check_file(error, "ca_file", options.ca_file);
    }
    if (options.cert_file.empty()) return out;
    out->use_certificate_chain_file(options.cert_file, error);
    check_file(error, "cert_file", options.cert_file);
    out->use_private_key_file(options.key_file, asio::ssl::context::pem, error);
    check_file(error, "key_file", options.key_file);
    return out;
}

// Recognizes the error that a server sends instead of its first reply before it closes the connection.
void check_welcome(const Link& link, const Reply& first) {
    if (first.error_code() == "DENIED")
        throw Misconfigured(link.named("is in protected mode and accepts local clients only"));
    if (first.error() && first.error()->starts_with("ERR max number of clients"))
        throw Unavailable(link.named("has too many clients"));
}

// ERR is permanent, so a retry does not help; other codes describe a temporary state of the server.
[[noreturn]] void refuse(const Link& link, const Reply& reply, std::string_view what) {
    if (reply.error_code() == "ERR") throw Misconfigured(link.named(what));
    throw Unavailable(link.named("answers " + std::string(reply.error_code())));
}

}  // namespace

Settings::Settings(RedisOptions options) : options_(std::move(options)), tls_(make_tls(options_)) {}

Link::Link(const asio::any_io_executor& executor, std::shared_ptr<const Settings> settings, RedisAddress address)
    : settings_(std::move(settings)),
      address_(std::move(address)),
      resolver_(executor),
      stream_(std::in_place_index<0>, executor),
      timer_(executor) {
    if (settings_->tls()) stream_.emplace<1>(executor, *settings_->tls());
}

awaitable<void> Link::open(RedisCredentials credentials, unsigned db) {
    try {
        co_await connect();
        if (settings_->tls()) co_await handshake();
    } catch (const system_error& failure) {
        fail(failure.code());
    }
    co_await introduce(std::move(credentials), db);
}

awaitable<void> Link::connect() {
    error_code not_an_address;
    const auto address = asio::ip::make_address(address_.host, not_an_address);
    if (!not_an_address) {
        co_await socket().async_connect({address, address_.port}, asio::use_awaitable);
    } else {
        const auto found =
            co_await resolver_.async_resolve(address_.host, std::to_string(address_.port), asio::use_awaitable);
        if (closed_) throw system_error(asio::error::operation_aborted);  // a name look-up cannot be interrupted
        co_await asio::async_connect(socket(), found, asio::use_awaitable);
    }
    socket().set_option(asio::ip::tcp::no_delay(true));
}

awaitable<void> Link::handshake() {
    auto& stream = std::get<TlsStream>(stream_);
    SSL* const ssl = stream.native_handle();
    error_code not_an_address;
    asio::ip::make_address(address_.host, not_an_address);
    if (not_an_address) {
        SSL_set_tlsext_host_name(ssl, address_.host.c_str());  // no SNI for addresses (RFC 6066 section 3)
        SSL_set1_host(ssl, address_.host.c_str());
    } else {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), address_.host.c_str());
    }
    co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
}

awaitable<void> Link::introduce(RedisCredentials credentials, unsigned db) {
    const std::string number = std::to_string(db);
    const bool with_password = !credentials.password.empty();
    std::vector<std::vector<std::string_view>> commands;
    if (with_password && credentials.user.empty()) commands.push_back({"AUTH", credentials.password});
    if (with_password && !credentials.user.empty())
        commands.push_back({"AUTH", credentials.user, credentials.password});
    if (db != 0) commands.push_back({"SELECT", number});
    commands.push_back({"CLIENT", "SETNAME", "consentry"});

    const std::vector<Reply> replies = co_await ask(std::move(commands));
    check_welcome(*this, replies.front());
    if (with_password && replies.front().error()) {
        if (replies.front().error_code() == "WRONGPASS") throw Misconfigured(named("refuses the user or the password"));
        refuse(*this, replies.front(), "has no password, but the URL contains one");
    }
    if (replies.back().error_code() == "NOAUTH") throw Misconfigured(named("requires a password"));
    const Reply& selected = replies[with_password ? 1 : 0];
    if (db != 0 && selected.error_code() == "NOPERM")
        throw Misconfigured(named("the user lacks permission to run SELECT"));
    if (db != 0 && selected.error()) refuse(*this, selected, "has no database " + number);
    // The result of setting the client name is ignored: the name only helps operators who list the server's clients.
}

awaitable<std::vector<Reply>> Link::ask(std::vector<std::vector<std::string_view>> commands) {
    std::string out;
    for (const auto& words : commands) append_command(out, words);
    std::vector<Reply> replies;
    try {
        co_await std::visit(
            [&](auto& stream) { return asio::async_write(stream, asio::buffer(out), asio::use_awaitable); }, stream_);
        while (replies.size() < commands.size()) {
            const std::size_t count = co_await std::visit(
                [&](auto& stream) { return stream.async_read_some(asio::buffer(input_), asio::use_awaitable); },
                stream_);
            reader_.feed(input(count));
            while (Reply reply = reader_.next()) replies.push_back(std::move(reply));
        }
    } catch (const system_error& failure) {
        fail(failure.code());
    } catch (const Unavailable&) {
        throw Misconfigured(named("does not speak the Redis protocol, or expects TLS"));
    }
    if (replies.size() > commands.size()) throw Unavailable(named("sent an unexpected reply"));
    co_return replies;
}

bool Link::is_stale() {
    // Session tickets, the only data that a TLS server sends unasked, arrived before the first reply.
    char byte = 0;
    return recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

void Link::close() {
    closed_ = true;
    resolver_.cancel();
    error_code ignored;
    socket().close(ignored);
    timer_.cancel();
}

void Link::close_after(std::optional<milliseconds> time) {
    timer_.cancel();
    if (!time) return;
    timer_.expires_after(*time);
    timer_.async_wait([weak = weak_from_this()](const error_code& error) {
        const auto self = weak.lock();
        if (error || !self) return;
        self->timed_out_ = true;
        self->close();
    });
}

std::string Link::named(std::string_view what) const {
    return "redis at " + address_.text() + ": " + std::string(what);
}

Link::Socket& Link::socket() {
    if (auto* plain = std::get_if<Socket>(&stream_)) return *plain;
    return std::get<TlsStream>(stream_).next_layer();
}

void Link::fail(const error_code& error) {
    if (timed_out_) throw Unavailable(named("did not respond in time"));
    if (error == asio::error::eof || error == asio::error::connection_reset ||
        error == asio::ssl::error::stream_truncated)
        throw Unavailable(
            named(settings_->tls() ? "closed the connection" : "closed the connection (does it expect TLS?)"));
    if (error.category() != asio::error::get_ssl_category()) throw Unavailable(named(sentence_of(error)));
    const long verified = SSL_get_verify_result(std::get<TlsStream>(stream_).native_handle());
    if (verified != X509_V_OK)
        throw Misconfigured(named(std::string("certificate not trusted: ") + X509_verify_cert_error_string(verified)));
    throw Misconfigured(named("TLS failed: " + error.message()));
}

}  // namespace consentry::storage::redis
