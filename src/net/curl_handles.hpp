// libcurl initialization and RAII handles. Private to this folder.
#pragma once

#include <memory>
#include <stdexcept>

#include <curl/curl.h>

namespace consentry::net {

struct EasyDeleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;
using TextList = std::unique_ptr<curl_slist, ListDeleter>;

// Must be called before the first handle is created; thread-safe. Throws std::runtime_error.
inline void set_up_curl() {
    struct Library {
        Library() {
            if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw std::runtime_error("libcurl cannot be set up");
        }
        ~Library() { curl_global_cleanup(); }
    };
    static const Library library;
}

}  // namespace consentry::net
