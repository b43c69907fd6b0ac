#include "net/http_client.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"
#include "net/libcurl.hpp"

namespace consentry::net {
namespace {

// Target of libcurl's callbacks, which must not throw through C code.
struct Reception {
    HttpResponse response;
    std::size_t bytes_left;
    const std::stop_token& stop;
};

bool takes(Reception& reception, std::size_t bytes) {
    if (bytes > reception.bytes_left) return false;
    reception.bytes_left -= bytes;
    return true;
}

std::size_t on_body(const char* data, std::size_t, std::size_t size, void* user) noexcept {
    auto& reception = *static_cast<Reception*>(user);
    if (!takes(reception, size)) return 0;
    reception.response.body.append(data, size);
    return size;
}

std::size_t on_header(const char* data, std::size_t, std::size_t size, void* user) noexcept {
    auto& reception = *static_cast<Reception*>(user);
    if (!takes(reception, size)) return 0;
    std::string_view line(data, size);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("HTTP/")) {
        reception.response.headers.clear();  // earlier headers belonged to a 100 Continue
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
        reception.response.headers.emplace_back(to_lower_ascii(line.substr(0, colon)), trim(line.substr(colon + 1)));
    }
    return size;
}

int on_fetch_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
    return static_cast<const Reception*>(user)->stop.stop_requested() ? 1 : 0;
}

TextList header_list(const HttpRequest& request) {
    TextList list;
    const auto add = [&](const std::string& line) {
        curl_slist* longer = libcurl().slist_append(list.get(), line.c_str());
        if (longer == nullptr) throw std::bad_alloc();
        (void)list.release();
        list.reset(longer);
    };
    for (const auto& [name, value] : request.headers) add(std::string(name).append(": ").append(value));
    add("Expect:");  // sends the body without waiting for 100 Continue, which some servers never send
    return list;
}

}  // namespace

std::optional<std::string_view> HttpResponse::header(std::string_view lower_case_name) const {
    for (const auto& [name, value] : headers)
        if (name == lower_case_name) return value;
    return std::nullopt;
}

struct HttpClient::Impl {
    Options options;
    EasyHandle handle;
};

HttpClient::HttpClient(Options options) : impl_(std::make_unique<Impl>()) {
    impl_->options = std::move(options);
    impl_->handle.reset(libcurl().easy_init());
    if (!impl_->handle) throw std::bad_alloc();
}
HttpClient::~HttpClient() = default;

HttpResponse HttpClient::fetch(const HttpRequest& request, const std::stop_token& stop) {
    CURL* const curl = impl_->handle.get();
    const Options& options = impl_->options;
    libcurl().easy_reset(curl);  // keeps connections and the session cache
    Reception reception{{}, request.answer_bytes_max, stop};
    std::array<char, CURL_ERROR_SIZE> text{};
    const TextList headers = header_list(request);

    bool fit = true;
    const auto set = [&](CURLoption option, auto value) {
        fit = fit && libcurl().easy_setopt(curl, option, value) == CURLE_OK;
    };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, options.plain_http ? "https,http" : "https");
    if (options.is_direct) set(CURLOPT_PROXY, "");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set_tls_options(set, options.ca_file);
    set(CURLOPT_PATH_AS_IS, 1L);  // a signed URL must be sent exactly as signed
    set(CURLOPT_USERAGENT, options.user_agent.c_str());
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.method == "HEAD") {
        set(CURLOPT_NOBODY, 1L);
    } else if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        set(CURLOPT_POSTFIELDS, request.body.c_str());
    }
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(request.timeout, milliseconds{5'000}).count()));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, text.data());
    set(CURLOPT_WRITEFUNCTION, &on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&reception));
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&reception));
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &on_fetch_progress);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(&reception));
    if (!fit) throw std::invalid_argument("not a request that libcurl can make");

    const CURLcode code = libcurl().easy_perform(curl);
    if (code == CURLE_WRITE_ERROR)
        throw Unavailable("the response is larger than " + std::to_string(request.answer_bytes_max) + " bytes");
    if (code != CURLE_OK) throw Unavailable(text[0] != '\0' ? text.data() : libcurl().easy_strerror(code));
    long status = 0;
    libcurl().easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    reception.response.status = static_cast<unsigned>(status);
    return std::move(reception.response);
}

}  // namespace consentry::net
