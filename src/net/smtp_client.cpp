#include "net/smtp_client.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "net/libcurl.hpp"

namespace consentry::net {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// State of libcurl's callbacks, which must not throw through C code.
struct Dispatch {
    std::string_view rest;
    bool begun = false;       // the server replied 354 and is reading the mail
    SteadyTime deadline{};    // until the server has the whole mail
    bool is_late = false;     // it did not
    std::string status = {};  // enhanced status of the last refusal, if any
    const std::stop_token& stop;
    milliseconds parting;
    std::optional<SteadyTime> asked_to_stop = {};
};

std::size_t on_read(char* out, std::size_t size, std::size_t count, void* user) noexcept {
    auto& dispatch = *static_cast<Dispatch*>(user);
    dispatch.begun = true;
    const std::size_t bytes = std::min(size * count, dispatch.rest.size());
    std::memcpy(out, dispatch.rest.data(), bytes);
    dispatch.rest.remove_prefix(bytes);
    return bytes;
}

// Extracts "5.1.1" (RFC 3463) from "550 5.1.1 ..."; returns an empty string for a line without one.
std::string enhanced_status(std::string_view line) {
    if (line.size() < 9 || line[0] != line[4]) return {};
    const std::string_view status = line.substr(4, line.substr(4).find_first_of(" \r\n"));
    const bool fits = status.size() <= 9 && std::ranges::count(status, '.') == 2 &&
                      std::ranges::all_of(status, [](char c) { return c == '.' || is_digit(c); });
    return fits ? std::string(status) : std::string();
}

std::size_t on_answer(const char* data, std::size_t, std::size_t size, void* user) noexcept {
    const std::string_view line(data, size);
    // After a refusal libcurl may send QUIT; the server's positive reply must not overwrite the status.
    if (line.starts_with('4') || line.starts_with('5')) static_cast<Dispatch*>(user)->status = enhanced_status(line);
    return size;
}

// A server that has the whole mail may take longer. Once it is reading one, allow it some time to finish: an aborted
// mail might be sent twice.
int on_mail_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
    auto& dispatch = *static_cast<Dispatch*>(user);
    const auto now = std::chrono::steady_clock::now();
    const bool has_all = dispatch.begun && dispatch.rest.empty();
    dispatch.is_late = !has_all && now > dispatch.deadline;
    if (dispatch.is_late) return 1;
    if (!dispatch.stop.stop_requested()) return 0;
    if (!dispatch.begun) return 1;
    if (!dispatch.asked_to_stop) dispatch.asked_to_stop = now;
    return now - *dispatch.asked_to_stop > dispatch.parting ? 1 : 0;
}

// The sockets that libcurl has open, so that they can be shut down from outside.
class Line {
public:
    void opened(curl_socket_t socket) {
        const std::scoped_lock lock(mutex_);
        sockets_.push_back(socket);
        ++opened_;
    }
    bool is_open() {
        const std::scoped_lock lock(mutex_);
        return !sockets_.empty();
    }
    // How many there have been.
    std::size_t opened() {
        const std::scoped_lock lock(mutex_);
        return opened_;
    }
    // Closes under the lock, because the descriptor may be reused immediately afterwards.
    int close(curl_socket_t socket) {
        const std::scoped_lock lock(mutex_);
        std::erase(sockets_, socket);
        return ::close(socket);
    }
    void hang_up() {
        const std::scoped_lock lock(mutex_);
        for (const curl_socket_t socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    }

private:
    std::mutex mutex_;
    std::vector<curl_socket_t> sockets_;  // two while libcurl tries an address of each family
    std::size_t opened_ = 0;
};

int on_socket(void* user, curl_socket_t socket, curlsocktype) noexcept {
    static_cast<Line*>(user)->opened(socket);
    return CURL_SOCKOPT_OK;
}
int on_close(void* user, curl_socket_t socket) noexcept { return static_cast<Line*>(user)->close(socket); }

// Replies about the connection or the login rather than about a mail (RFC 5321, RFC 4954): with 421 the server closes
// the connection, the others demand a login or a different one.
bool is_about_service(long code) { return code == 421 || code == 530 || code == 534 || code == 535 || code == 538; }

// RFC 3463: the address of the sender has a bad syntax (X.1.7) or a bad domain (X.1.8).
bool is_about_sender(std::string_view status) { return status.ends_with(".1.7") || status.ends_with(".1.8"); }

std::string word(const std::string& address) {
    const bool fit =
        !address.empty() && std::ranges::all_of(address, [](char c) { return is_visible(c) && c != '<' && c != '>'; });
    if (!fit) throw std::invalid_argument("not an address for an envelope");
    return '<' + address + '>';
}

// libcurl quotes certificates and server replies: reduce the text to one short line of ASCII.
std::string told_by_libcurl(std::string_view text) {
    std::string out(text.substr(0, 200));
    for (char& c : out)
        if (!is_printable(c)) c = '?';
    return out;
}

SmtpAnswer answer_of(CURLcode result, long code, const Dispatch& dispatch, std::string_view text) {
    using enum SmtpAnswer::Verdict;
    if (result == CURLE_OK) return {accepted, {}};
    // libcurl uses one code for a refused MAIL, RCPT or DATA, and another for the reply to the mail itself, which it
    // also uses for the greeting.
    const bool about_mail = result == CURLE_SEND_ERROR || (result == CURLE_WEIRD_SERVER_REPLY && dispatch.begun);
    const bool answered = code >= 400 && code < 600;
    const std::string told =
        dispatch.status.empty() ? fmt::format("{}", code) : fmt::format("{} {}", code, dispatch.status);
    if (about_mail && answered && !is_about_service(code)) {
        const bool at_recipient = text.starts_with("RCPT failed");
        // No mail from this sender will be accepted until the operator changes the sender. By default Postfix tells
        // that only at RCPT.
        if (text.starts_with("MAIL failed") || (at_recipient && is_about_sender(dispatch.status)))
            return {no_service, "the server refused the sender: " + told};
        // In the same way, it refuses the client or the relaying (5.7.x, RFC 3463: security or policy). That ends once
        // an operator changes a setting, so the mail must not be lost.
        const bool is_policy = at_recipient && dispatch.status.starts_with("5.7.");
        return {code < 500 || is_policy ? put_off : refused, told};
    }
    const std::string why = told_by_libcurl(text.empty() ? libcurl().easy_strerror(result) : text);
    return {no_service, answered ? fmt::format("{} ({})", why, told) : why};
}

}  // namespace

struct SmtpClient::Impl {
    Options options;
    std::string url;
    Line line;
    EasyHandle handle;
};

// One use of the handle, with the options that all calls share.
class SmtpClient::Call {
public:
    Call(Impl& impl, Dispatch& dispatch) : curl_(impl.handle.get()), limit_(impl.options.timeout), dispatch_(dispatch) {
        const Options& options = impl.options;
        const SmtpServer& server = options.server;
        libcurl().easy_reset(curl_);  // keeps the connection open
        set(CURLOPT_URL, impl.url.c_str());
        set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
        set(CURLOPT_USE_SSL, static_cast<long>(server.tls == SmtpTls::none ? CURLUSESSL_NONE : CURLUSESSL_ALL));
        set_tls_options([this](CURLoption option, auto value) { set(option, value); }, server.ca_file);
        if (!server.user.empty()) {
            set(CURLOPT_USERNAME, server.user.c_str());
            set(CURLOPT_PASSWORD, server.password.c_str());
        }
        set(CURLOPT_HEADERFUNCTION, &on_answer);
        set(CURLOPT_HEADERDATA, static_cast<void*>(&dispatch));
        set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
        // The callback of the progress ends what takes too long before the server has the mail. libcurl by itself waits
        // for 120 s for any reply.
        const milliseconds longest = options.timeout + options.answer_timeout;
        set(CURLOPT_TIMEOUT_MS, static_cast<long>(longest.count()));
        set(CURLOPT_SERVER_RESPONSE_TIMEOUT,
            static_cast<long>(std::chrono::ceil<std::chrono::seconds>(longest).count()));
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_SOCKOPTFUNCTION, &on_socket);
        set(CURLOPT_SOCKOPTDATA, static_cast<void*>(&impl.line));
        set(CURLOPT_CLOSESOCKETFUNCTION, &on_close);
        set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(&impl.line));
        set(CURLOPT_ERRORBUFFER, text_.data());
        set(CURLOPT_NOPROGRESS, 0L);
        set(CURLOPT_XFERINFOFUNCTION, &on_mail_progress);
        set(CURLOPT_XFERINFODATA, static_cast<void*>(&dispatch));
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    void set(CURLoption option, auto value) { fit_ = fit_ && libcurl().easy_setopt(curl_, option, value) == CURLE_OK; }

    SmtpAnswer perform() {
        if (!fit_) throw std::invalid_argument("not a mail that libcurl can send");
        dispatch_.status.clear();
        dispatch_.is_late = false;
        dispatch_.deadline = std::chrono::steady_clock::now() + limit_;
        const CURLcode result = libcurl().easy_perform(curl_);
        // If the server has refused the mail and hangs at QUIT, its refusal counts.
        if (result == CURLE_ABORTED_BY_CALLBACK && dispatch_.is_late)
            return {SmtpAnswer::Verdict::no_service,
                    fmt::format("the server did not respond within {} s", limit_ / std::chrono::seconds{1})};
        long code = 0;
        libcurl().easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &code);
        return answer_of(result, code, dispatch_, text_.data());
    }

private:
    CURL* const curl_;
    const milliseconds limit_;
    Dispatch& dispatch_;
    std::array<char, CURL_ERROR_SIZE> text_{};
    bool fit_ = true;
};

SmtpClient::SmtpClient(Options options) : impl_(std::make_unique<Impl>()) {
    impl_->options = std::move(options);
    const SmtpServer& server = impl_->options.server;
    impl_->url =
        fmt::format("{}://{}:{}/", server.tls == SmtpTls::implicit ? "smtps" : "smtp", server.host, server.port);
    impl_->handle.reset(libcurl().easy_init());
    if (!impl_->handle) throw std::bad_alloc();
}

// libcurl says QUIT and would wait two minutes for the reply of a hanging server.
SmtpClient::~SmtpClient() {
    const std::jthread impatience([this](const std::stop_token& gone) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, gone, impl_->options.parting, [] { return false; });
        impl_->line.hang_up();
    });
    impl_->handle.reset();
}

SmtpAnswer SmtpClient::send(const std::string& from, const std::string& to, std::string_view content,
                            const std::stop_token& stop) {
    Dispatch dispatch{.rest = content, .stop = stop, .parting = impl_->options.parting};
    const std::string sender = word(from);
    const std::string recipient = word(to);
    const TextList recipients(libcurl().slist_append(nullptr, recipient.c_str()));
    if (!recipients) throw std::bad_alloc();
    Call call(*impl_, dispatch);
    call.set(CURLOPT_MAIL_FROM, sender.c_str());
    call.set(CURLOPT_MAIL_RCPT, recipients.get());
    call.set(CURLOPT_UPLOAD, 1L);
    call.set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(content.size()));
    call.set(CURLOPT_READFUNCTION, &on_read);
    call.set(CURLOPT_READDATA, static_cast<void*>(&dispatch));
    const bool was_open = impl_->line.is_open();
    const std::size_t opened = impl_->line.opened();
    SmtpAnswer answer = call.perform();
    // A server may end an idle connection at any time, which says nothing about its service. It has not seen the mail.
    const bool was_kept = was_open && impl_->line.opened() == opened;
    if (answer.verdict != SmtpAnswer::Verdict::no_service || !was_kept || dispatch.begun || stop.stop_requested())
        return answer;
    call.set(CURLOPT_FRESH_CONNECT, 1L);
    return call.perform();
}

SmtpAnswer SmtpClient::greet() {
    const std::stop_token never;
    Dispatch dispatch{.rest = {}, .stop = never, .parting = impl_->options.parting};
    Call call(*impl_, dispatch);
    call.set(CURLOPT_NOBODY, 1L);
    call.set(CURLOPT_CUSTOMREQUEST, "NOOP");
    return call.perform();
}

}  // namespace consentry::net
