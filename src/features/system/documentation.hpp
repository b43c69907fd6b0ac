// /docs: a page for reading the API document and trying requests, served entirely from the program.
#pragma once

#include <functional>
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

// The OpenAPI document as JSON: with one path per operation, and with all paths.
struct ApiDocument {
    std::string one_path_each;
    std::string with_aliases;
};

class Documentation {
public:
    Documentation();

    // `write` runs once, when the document is first needed, on the thread that needs it: a service listens before then.
    // Call this before the first request, and not again.
    void set_document(std::function<ApiDocument()> write) { write_document_ = std::move(write); }
    enum class Paths { one_each, all };
    // Empty if no document is set.
    const ServedFile& document(Paths paths) const;
    const ServedFile& file(std::string_view name) const { return *files_.find(name)->second; }

private:
    struct Written {
        explicit Written(ApiDocument text);
        ServedFile one_path_each;
        ServedFile with_aliases;
    };

    std::map<std::string, std::unique_ptr<ServedFile>, std::less<>> files_;
    std::function<ApiDocument()> write_document_ = [] { return ApiDocument{}; };
    mutable std::once_flag written_once_;
    mutable std::unique_ptr<const Written> written_;
};

// Adds the page, its resources and the document. `documentation` must outlive the router.
void add_documentation_endpoints(http::Router& router, Documentation& documentation);
void add_favicon_endpoint(http::Router& router, Documentation& documentation);

}  // namespace consentry
