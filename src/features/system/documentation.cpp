#include "features/system/documentation.hpp"

#include <array>
#include <span>

#include "base/bytes.hpp"
#include "base/embedded.hpp"
#include "crypto/digest.hpp"
#include "http/steps/content_coding.hpp"
#include "storage/database.hpp"

namespace consentry {

std::span<const EmbeddedFile> documentation_files();  // assets/docs

namespace {

constexpr std::string_view document_name = "json";
constexpr std::size_t plain_bytes_max = std::size_t{8} << 20;

// The page may load its own parts and talk to this service, and nothing else. Swagger UI's icons are data: addresses.
constexpr std::string_view page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct Part {
    std::string_view id;
    std::string_view path;
    std::string_view file;
    std::string_view summary;
};
constexpr std::array parts{
    Part{"documentationStyle", "/docs/assets/swagger-ui.css", "swagger-ui.css.gz", "The style of the page at /docs"},
    Part{"documentationProgram", "/docs/assets/swagger-ui-bundle.js", "swagger-ui-bundle.js.gz",
         "The program of the page at /docs"},
    Part{"documentationStart", "/docs/assets/init.js", "init.js", "Starts the program of the page at /docs"},
};

std::string_view type_of(std::string_view file) {
    if (file.ends_with(".gz")) file.remove_suffix(3);
    if (file.ends_with(".css")) return "text/css";
    if (file.ends_with(".js")) return "text/javascript";
    if (file.ends_with(".svg")) return "image/svg+xml";
    return "text/html";
}

storage::awaitable<Result<http::Raw>> give(http::Raw answer) { co_return answer; }

}  // namespace

ServedFile::ServedFile(std::string content_type, std::string_view packed, std::string plain)
    : content_type_(std::move(content_type)), packed_(packed), plain_(std::move(plain)) {
    if (packed_.empty()) {
        own_ = http::gzip(plain_);
        packed_ = own_;
        std::call_once(unpacked_, [] {});
    }
    tag_ = to_hex(BytesView(crypto::sha256(packed_)).first(16));
}

std::unique_ptr<ServedFile> ServedFile::of_packed(std::string content_type, std::string_view packed) {
    return std::unique_ptr<ServedFile>(new ServedFile(std::move(content_type), packed, {}));
}
std::unique_ptr<ServedFile> ServedFile::of_plain(std::string content_type, std::string plain) {
    return std::unique_ptr<ServedFile>(new ServedFile(std::move(content_type), {}, std::move(plain)));
}

const std::string& ServedFile::plain() const {
    std::call_once(unpacked_, [this] { plain_ = http::gunzip(packed_, plain_bytes_max); });
    return plain_;
}

http::Raw ServedFile::answer_to(const http::Request& request) const {
    const bool packed = http::accepts_gzip(request);
    http::Raw out{.content_type = content_type_,
                  .body = packed ? std::string(packed_) : plain(),
                  // Asked for anew each time and mostly answered with 304: an upgrade shows at once.
                  .cache_control = "no-cache"};
    // Two representations, two strong tags (RFC 9110 section 8.8.3.3).
    out.etag = "\"" + tag_ + (packed ? "-gzip\"" : "\"");
    if (packed) out.content_encoding = "gzip";
    return out;
}

Documentation::Documentation() {
    for (const EmbeddedFile& file : documentation_files()) {
        const std::string type = std::string(type_of(file.name)) + "; charset=utf-8";
        files_[std::string(file.name)] = file.name.ends_with(".gz")
                                             ? ServedFile::of_packed(type, file.bytes)
                                             : ServedFile::of_plain(type, std::string(file.bytes));
    }
    set_document({});
}

void Documentation::set_document(std::string json) {
    files_[std::string(document_name)] = ServedFile::of_plain("application/json; charset=utf-8", std::move(json));
}

const std::string& Documentation::document() const { return file(document_name).plain(); }

void add_documentation_endpoints(http::Router& router, Documentation& documentation) {
    router.get("/docs")
        .also_at("/docs/")
        .outside_prefix()
        .without_api_key()
        .id("documentationPage")
        .tag("documentation")
        .says("This document as a page, to read and to try")
        .describes("Closed in production unless DOC_ENABLE opens it, as is everything below /docs.")
        .answers_with("text/html")
        .with_etag()
        .handled_by([&documentation](const http::RequestContext& context) {
            http::Raw page = documentation.file("index.html").answer_to(context.request);
            page.content_security_policy = page_policy;
            return give(std::move(page));
        });

    router.get("/docs/json")
        .outside_prefix()
        .without_api_key()
        .id("documentation")
        .tag("documentation")
        .says("This document")
        .describes("OpenAPI 3.1. The same text is written to generated/swagger.json at each start.")
        .answers_with("application/json")
        .with_etag()
        .handled_by([&documentation](const http::RequestContext& context) {
            return give(documentation.file(document_name).answer_to(context.request));
        });

    for (const Part& part : parts)
        router.get(part.path)
            .outside_prefix()
            .without_api_key()
            .id(part.id)
            .tag("documentation")
            .says(part.summary)
            .describes("A part of the page at /docs, served from the program itself.")
            .answers_with(type_of(part.file))
            .with_etag()
            .handled_by([&file = documentation.file(part.file)](const http::RequestContext& context) {
                return give(file.answer_to(context.request));
            });
}

void add_favicon_endpoint(http::Router& router, Documentation& documentation) {
    router.get("/favicon.ico")
        .outside_prefix()
        .without_api_key()
        .id("favicon")
        .tag("documentation")
        .says("The service's icon")
        .describes("An SVG in spite of its name: browsers go by the type.")
        .answers_with("image/svg+xml")
        .with_etag()
        .handled_by([&documentation](const http::RequestContext& context) {
            return give(documentation.file("favicon.svg").answer_to(context.request));
        });
}

}  // namespace consentry
