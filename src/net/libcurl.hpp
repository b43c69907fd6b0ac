// The functions of libcurl that this folder calls, RAII handles, and the options of TLS. Private to this folder.
//
// libcurl is loaded when the first client is made: a service that neither sends mails nor calls other servers never
// maps it, nor GnuTLS and SSH, which come with it.
#pragma once

#include <memory>
#include <string>

#include <curl/curl.h>

#include "base/shared_library.hpp"
#include "net/system_authorities.hpp"

namespace consentry::net {

struct Libcurl {
    Libcurl();
    ~Libcurl() { global_cleanup(); }
    Libcurl(const Libcurl&) = delete;
    Libcurl& operator=(const Libcurl&) = delete;

    SharedLibrary library{"libcurl.so.4", "libcurl4"};
    decltype(&curl_global_init) global_init = library["curl_global_init"];
    decltype(&curl_global_cleanup) global_cleanup = library["curl_global_cleanup"];
    decltype(&curl_easy_init) easy_init = library["curl_easy_init"];
    decltype(&curl_easy_reset) easy_reset = library["curl_easy_reset"];
    decltype(&curl_easy_setopt) easy_setopt = library["curl_easy_setopt"];
    decltype(&curl_easy_perform) easy_perform = library["curl_easy_perform"];
    decltype(&curl_easy_getinfo) easy_getinfo = library["curl_easy_getinfo"];
    decltype(&curl_easy_strerror) easy_strerror = library["curl_easy_strerror"];
    decltype(&curl_easy_cleanup) easy_cleanup = library["curl_easy_cleanup"];
    decltype(&curl_slist_append) slist_append = library["curl_slist_append"];
    decltype(&curl_slist_free_all) slist_free_all = library["curl_slist_free_all"];
};

// Loads the library at the first call, which blocks; thread-safe. Throws std::runtime_error.
const Libcurl& libcurl();

struct EasyDeleter {
    void operator()(CURL* handle) const { libcurl().easy_cleanup(handle); }
};
struct ListDeleter {
    void operator()(curl_slist* list) const { libcurl().slist_free_all(list); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;
using TextList = std::unique_ptr<curl_slist, ListDeleter>;

// Sets the options of TLS, the same for every client: version 1.2 or newer (RFC 9325), and a certificate that names the
// server. An authority of `ca_file` must have signed it; with an empty `ca_file`, one that this machine trusts.
// `set(option, value)` sets one option of a handle.
void set_tls_options(const auto& set, const std::string& ca_file) {
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!ca_file.empty()) {
        set(CURLOPT_CAINFO, ca_file.c_str());
        set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    } else if (const std::string authorities = system_authorities(); !authorities.empty()) {
        set(CURLOPT_CAINFO, authorities.c_str());
    }
}

}  // namespace consentry::net
