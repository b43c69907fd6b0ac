// Request and response types of files.
#pragma once

#include <optional>
#include <string>

#include "http/schema/fields.hpp"

namespace consentry {

struct FilePath {
    std::optional<std::string> key;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("key", &FilePath::key, "File key; may contain slashes")};
    }
};

// The query of a signed address. The raw query is what counts, see storage::OwnAddresses; the members only document it
// in the API document.
struct FileAddressQuery {
    std::optional<std::string> expires;
    std::optional<std::string> type;
    std::optional<std::string> size;
    std::optional<std::string> signature;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("expires", &FileAddressQuery::expires, "Expiry time, in seconds since 1970"),
                          field("type", &FileAddressQuery::type, "Required `Content-Type` of an upload"),
                          field("size", &FileAddressQuery::size, "Required number of bytes of an upload"),
                          field("signature", &FileAddressQuery::signature, "Signature of method and URL")};
    }
};

}  // namespace consentry
