#include "net/libcurl.hpp"

#include <stdexcept>

namespace consentry::net {

Libcurl::Libcurl() {
    if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw std::runtime_error("libcurl cannot be set up");
}

const Libcurl& libcurl() {
    static const Libcurl loaded;
    return loaded;
}

}  // namespace consentry::net
