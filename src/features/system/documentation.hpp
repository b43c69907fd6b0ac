// /docs: a page to read the API document and to try requests, all of it served from inside the program.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "http/endpoint.hpp"

namespace consentry {

// A file that stays the same while the program runs, in both codings that clients may want.
class ServedFile {
public:
    // `packed`: a gzip stream that outlives the file.
    static std::unique_ptr<ServedFile> of_packed(std::string content_type, std::string_view packed);
    static std::unique_ptr<ServedFile> of_plain(std::string content_type, std::string plain);

    http::Raw answer_to(const http::Request& request) const;
    const std::string& plain() const;

private:
    ServedFile(std::string content_type, std::string_view packed, std::string plain);

    // The gzip stream and the tag. Made at the first request: many a start never serves the file.
    struct Packed {
        std::string_view bytes;
        std::string tag;
    };
    const Packed& packed() const;

    std::string content_type_;
    mutable std::once_flag packed_once_;
    mutable std::string own_;  // what `packed_` refers to, where it is not part of the program
    mutable Packed packed_;
    mutable std::once_flag unpacked_;
    mutable std::string plain_;
};

class Documentation {
public:
    Documentation();

    // The OpenAPI document, once the router is finished: with one path per operation, and with aliases too.
    void set_document(std::string one_path_each, std::string with_aliases);
    // With aliases; empty where there is none.
    const std::string& document() const;
    const ServedFile& file(std::string_view name) const { return *files_.find(name)->second; }

private:
    std::map<std::string, std::unique_ptr<ServedFile>, std::less<>> files_;
};

// The page, what it loads, and the document. `documentation` outlives the router.
void add_documentation_endpoints(http::Router& router, Documentation& documentation);
void add_favicon_endpoint(http::Router& router, Documentation& documentation);

}  // namespace consentry
