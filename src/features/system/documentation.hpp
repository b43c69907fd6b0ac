// /docs: a page for reading the API document and trying requests, served entirely from the program.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "http/endpoint.hpp"

namespace consentry {

// An immutable file, available plain and gzip-compressed.
class ServedFile {
public:
    // `packed` is a gzip stream, and must outlive the file.
    static std::unique_ptr<ServedFile> of_packed(std::string content_type, std::string_view packed);
    static std::unique_ptr<ServedFile> of_plain(std::string content_type, std::string plain);

    http::Raw answer_to(const http::Request& request) const;
    const std::string& plain() const;

private:
    ServedFile(std::string content_type, std::string_view packed, std::string plain);

    // The gzip stream and its tag. Computed at the first request, because many processes never serve the file.
    struct Packed {
        std::string_view bytes;
        std::string tag;
    };
    const Packed& packed() const;

    std::string content_type_;
    mutable std::once_flag packed_once_;
    mutable std::string own_;  // backs `packed_` if the stream is not part of the program
    mutable Packed packed_;
    mutable std::once_flag unpacked_;
    mutable std::string plain_;
};

class Documentation {
public:
    Documentation();

    // Sets the OpenAPI document, in one variant with a path per operation and one with aliases. Call once the router is
    // complete.
    void set_document(std::string one_path_each, std::string with_aliases);
    // The variant with aliases; empty if none is set.
    const std::string& document() const;
    const ServedFile& file(std::string_view name) const { return *files_.find(name)->second; }

private:
    std::map<std::string, std::unique_ptr<ServedFile>, std::less<>> files_;
};

// Adds the page, its resources and the document. `documentation` must outlive the router.
void add_documentation_endpoints(http::Router& router, Documentation& documentation);
void add_favicon_endpoint(http::Router& router, Documentation& documentation);

}  // namespace consentry
