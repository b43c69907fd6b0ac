#include "features/system/documentation.hpp"

#include <array>
#include <span>

#include "base/bytes.hpp"
#include "base/embedded.hpp"
#include "base/gzip.hpp"
#include "crypto/digest.hpp"
#include "features/system/dto.hpp"
#include "http/steps/content_coding.hpp"
#include "storage/database.hpp"

namespace consentry {

std::span<const EmbeddedFile> documentation_files();  // assets/docs

namespace {

constexpr const char* json_type = "application/json; charset=utf-8";

// The page may load only its own resources and talk only to this service. It never makes elements out of text.
constexpr std::string_view page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

struct Part {
    std::string_view id;
    std::string_view path;
    std::string_view file;
    std::string_view summary;
};
constexpr std::array parts{
    Part{"documentationStyle", "/docs/assets/docs.css", "docs.css", "Style sheet of the documentation page"},
    Part{"documentationProgram", "/docs/assets/docs.js", "docs.js", "Script of the documentation page"},
    Part{"documentationReader", "/docs/assets/document.js", "document.js",
         "Script that reads and searches the OpenAPI document"},
    Part{"documentationRequests", "/docs/assets/requests.js", "requests.js", "Script that makes requests and samples"},
    Part{"documentationViews", "/docs/assets/views.js", "views.js", "Script that shows operations and schemas"},
};

std::string_view type_of(std::string_view file) {
    if (file.ends_with(".css")) return "text/css";
    if (file.ends_with(".js")) return "text/javascript";
    if (file.ends_with(".svg")) return "image/svg+xml";
    return "text/html";
}

storage::awaitable<Result<http::Raw>> give(http::Raw answer) { co_return answer; }

}  // namespace

const ServedFile::Packed& ServedFile::packed() const {
    std::call_once(packed_once_, [this] {
        packed_.bytes = gzip(plain_, Effort::least);
        packed_.tag = to_hex(BytesView(crypto::sha256(packed_.bytes)).first(16));
    });
    return packed_;
}

http::Raw ServedFile::answer_to(const http::Request& request) const {
    const bool gzip = http::accepts_gzip(request);
    const auto& [bytes, tag] = packed();
    http::Raw out{.content_type = content_type_,
                  .body = gzip ? bytes : plain_,
                  // Clients revalidate each time and usually get 304, so an upgrade shows at once.
                  .cache_control = "no-cache"};
    // Two representations, two strong tags (RFC 9110 section 8.8.3.3).
    out.etag = "\"" + tag + (gzip ? "-gzip\"" : "\"");
    if (gzip) out.content_encoding = "gzip";
    out.vary.accept_encoding = true;
    return out;
}

Documentation::Documentation() {
    for (const EmbeddedFile& file : documentation_files())
        files_[std::string(file.name)] =
            std::make_unique<ServedFile>(std::string(type_of(file.name)) + "; charset=utf-8", std::string(file.bytes));
}

Documentation::Written::Written(ApiDocument text)
    : one_path_each(json_type, std::move(text.one_path_each)), with_aliases(json_type, std::move(text.with_aliases)) {}

const ServedFile& Documentation::document(Paths paths) const {
    std::call_once(written_once_, [this] { written_ = std::make_unique<const Written>(write_document_()); });
    return paths == Paths::all ? written_->with_aliases : written_->one_path_each;
}

void add_documentation_endpoints(http::Router& router, Documentation& documentation) {
    router.get("/docs")
        .also_at("/docs/")
        .outside_prefix()
        .without_api_key()
        .id("documentationPage")
        .tag("documentation")
        .says("Show the API documentation page")
        .describes("With `APP_ENV=production`, /docs and everything below it answer 404 unless `DOC_ENABLE=true`.")
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
        .says("Get the OpenAPI document")
        .describes(
            "OpenAPI 3.1, one path per operation; `x-aliases` lists the other paths and methods. With `aliases=true` "
            "each alias is an operation of its own; Consentry also writes that document to generated/swagger.json at "
            "each start.")
        .answers_with("application/json")
        .with_etag()
        .handled_by([&documentation](const http::RequestContext& context, http::FromQuery<DocumentationQuery> wanted) {
            using enum Documentation::Paths;
            return give(
                documentation.document(wanted->aliases.value_or(false) ? all : one_each).answer_to(context.request));
        });

    for (const Part& part : parts)
        router.get(part.path)
            .outside_prefix()
            .without_api_key()
            .id(part.id)
            .tag("documentation")
            .says(part.summary)
            .describes("Embedded in the program; the page at /docs loads nothing from other hosts.")
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
        .says("Get the service icon")
        .describes("An SVG image despite the name; browsers rely on the content type.")
        .answers_with("image/svg+xml")
        .with_etag()
        .handled_by([&documentation](const http::RequestContext& context) {
            return give(documentation.file("favicon.svg").answer_to(context.request));
        });
}

}  // namespace consentry
