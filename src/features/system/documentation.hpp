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
    ServedFile(std::string content_type, std::string plain)
        : content_type_(std::move(content_type)), plain_(std::move(plain)) {}

    http::Raw answer_to(const http::Request& request) const;
    const std::string& plain() const { return plain_; }

private:
    // The gzip stream and its tag. Computed at the first request, because many processes never serve the file.
    struct Packed {
        std::string bytes;
        std::string tag;
    };
    const Packed& packed() const;

    const std::string content_type_;
    const std::string plain_;
    mutable std::once_flag packed_once_;
    mutable Packed packed_;
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
