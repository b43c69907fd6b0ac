// The declaration of an endpoint: the single source for the router, the OpenAPI document, the permission table and the
// tests.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include "base/error.hpp"
#include "http/context.hpp"
#include "http/response.hpp"
#include "http/schema/describe.hpp"

namespace consentry::http {

// A handler's return value in the form that the pipeline writes.
struct Reply {
    std::string data;          // JSON text; empty: the envelope carries no data
    std::string metadata;      // further members of the envelope's metadata, each with a leading comma
    std::string content_type;  // if not empty, `data` is the whole body, without envelope
    std::string cache_control;
    std::string content_encoding;         // the coding already applied to `data`
    std::string content_security_policy;  // empty: the policy of an inert document
    std::string etag;                     // of `data` as the whole body, quoted; empty: none
    Vary vary;                            // besides what the pipeline knows: origin and compression
    std::string extra_headers;            // complete lines
    bool no_content = false;              // 204
    unsigned status = 0;                  // 0: that of the operation
    NextPiece stream;                     // produces the body instead of `data`
    // What was refused, if a page tells of it in its own words or leads elsewhere with it. Observers see it like the
    // error of an envelope.
    const ErrorKind* refusal = nullptr;
    bool changed_nothing = false;  // although requests of this operation do, for observers
};

// The access rule of an endpoint, derived from the guard type of its handler's first parameter.
struct Access {
    std::string name = "public";           // as in the permission table: public, user, admin ...
    std::string security_scheme;           // in the OpenAPI document; empty for public
    std::string optional_scheme = {};      // of a public operation: the token that it takes, if one is sent
    std::string demand;                    // the rule in prose, which opens the description; may be empty
    std::vector<const ErrorKind*> errors;  // the errors that the guard may answer
};

class OperationHandler {
public:
    virtual ~OperationHandler() = default;
    virtual boost::asio::awaitable<Result<Reply>> run(RequestContext& context) = 0;
};

// Which API key an operation requires.
enum class ApiKeyDemand {
    as_configured,  // one of type default if AUTH_API_KEY_REQUIRED is on
    none,           // never
    system,         // always, of type system
};

// What requests of an operation do, for observers.
enum class Effect {
    of_method,  // a change, unless the method is safe
    nothing,
    exporting,  // hands out much data, and changes nothing
};

// A header of requests, or of successful answers, for the OpenAPI document.
struct HeaderNote {
    std::string_view name;
    std::string_view description;
};

struct Operation {
    std::string id;  // OpenAPI operationId
    std::string summary;
    std::string description;
    std::string tag;
    std::string message_key;
    unsigned success_status = 200;
    Method method = Method::get;
    std::vector<Method> other_methods;
    bool any_method = false;         // also matches methods without a name of their own
    std::vector<std::string> paths;  // without prefix and version; the first is the documented one
    bool outside_prefix = false;     // at the root: /docs, /.well-known
    bool unversioned = false;        // documented without /v1, with which it answers as well
    bool rest_of_path = false;  // the last placeholder matches the rest of the path, including slashes; may be empty
    bool is_page = false;       // HTML for people: not part of the API, and never readable for other origins
    // A proxy may hand the answer to a browser at the host of an application, for which this service sets no rules.
    // Instead of an error, the browser gets a page or is sent to one.
    bool at_guarded_host = false;
    bool raw = false;  // the answer is not an envelope
    bool no_content = false;
    std::string raw_content_type;
    bool has_etag = false;  // may therefore answer 304
    Access access;
    std::vector<const ErrorKind*> errors;  // its own, in addition to those of every endpoint
    bool takes_body = false;
    bool takes_upload = false;     // a file, see http/upload.hpp
    bool takes_file_body = false;  // like takes_upload, but of any media type
    bool ignores_input = false;    // undeclared queries and bodies are meant for another party and are not checked
    std::vector<HeaderNote> request_headers;  // in addition to those that every operation reads
    std::vector<HeaderNote> answer_headers;   // in addition to those of every answer
    ApiKeyDemand api_key = ApiKeyDemand::as_configured;
    Effect effect = Effect::of_method;
    std::string feature_flag;   // "flag" or "flag.metadataKey" that must be on; empty: none
    bool compressible = false;  // its answers mix no secret with input of the caller (BREACH), and may be large
    // Generators of the DTO schemas for the OpenAPI document; empty if there is no such DTO.
    std::function<boost::json::object(Components&)> describe_body;
    std::function<boost::json::object(Components&)> describe_query;
    std::function<boost::json::object(Components&)> describe_path;
    std::function<boost::json::object(Components&)> describe_data;
    std::function<boost::json::object(Components&)> describe_metadata;  // in addition to those of every answer
    std::unique_ptr<OperationHandler> handler;
    std::array<std::string_view, language_names.size()> messages;  // filled by the pipeline
};

}  // namespace consentry::http
