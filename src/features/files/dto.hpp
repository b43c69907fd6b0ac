// Shapes of files on the wire.
#pragma once

#include <optional>
#include <string>

#include "http/schema/fields.hpp"

namespace consentry {

struct FilePath {
    std::optional<std::string> key;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("key", &FilePath::key, "The name of the file, slashes included")};
    }
};

// An address as it was handed out. What it says counts as it was sent, see storage::OwnAddresses; here it is named for
// whoever reads the API document.
struct FileAddressQuery {
    std::optional<std::string> expires;
    std::optional<std::string> type;
    std::optional<std::string> size;
    std::optional<std::string> signature;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("expires", &FileAddressQuery::expires, "Until when it is good, in seconds since 1970"),
                          field("type", &FileAddressQuery::type, "To write: the Content-Type that must be sent"),
                          field("size", &FileAddressQuery::size, "To write: how many bytes must be sent"),
                          field("signature", &FileAddressQuery::signature, "Of method and address")};
    }
};

}  // namespace consentry
