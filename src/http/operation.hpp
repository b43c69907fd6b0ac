// An endpoint, as declared: everything that the router, the OpenAPI document, the permission table and the tests need
// to know about it stands here, once.
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

// What a handler's return value became.
struct Reply {
    std::string data;          // JSON text; empty: the envelope carries no data
    std::string metadata;      // more members of the envelope's metadata, each with a leading comma
    std::string content_type;  // not empty: `data` is the whole body, without envelope
    std::string cache_control;
    std::string content_encoding;         // of `data` as it stands
    std::string content_security_policy;  // empty: that of an inert document
    std::string etag;                     // quoted; empty: none
    std::string extra_headers;            // complete lines
    bool no_content = false;              // 204
    NextPiece stream;                     // makes the body in the place of `data`
};

// Who may call: told by the guard type of the handler's first parameter.
struct Access {
    std::string name = "public";           // in the permission table: public, user, admin ...
    std::string security_scheme;           // of the OpenAPI document; empty for public
    std::string demand;                    // the same in sentences, with which the description begins; may be empty
    std::vector<const ErrorKind*> errors;  // what the guard may answer
};

class OperationHandler {
public:
    virtual ~OperationHandler() = default;
    virtual boost::asio::awaitable<Result<Reply>> run(RequestContext& context) = 0;
};

// Which API key an operation wants.
enum class ApiKeyDemand {
    as_configured,  // one of type default, where AUTH_API_KEY_REQUIRED says so
    none,           // never
    system,         // always, of type system
};

// A header of successful answers, for the document.
struct AnswerHeader {
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
    bool any_method = false;         // methods without a name here too
    std::vector<std::string> paths;  // without prefix and version; the first one is the documented one
    bool outside_prefix = false;     // at the root: /docs, /.well-known
    bool unversioned = false;        // no /v1 form
    bool rest_of_path = false;       // the placeholder at the end stands for all that follows, slashes and nothing too
    bool raw = false;                // the answer is not an envelope
    bool no_content = false;
    std::string raw_content_type;
    bool has_etag = false;  // and so answers 304
    Access access;
    std::vector<const ErrorKind*> errors;  // its own, beyond those of every endpoint
    bool takes_body = false;
    bool takes_upload = false;                 // a file, see http/upload.hpp
    bool takes_file_body = false;              // the same, of any kind
    bool ignores_input = false;                // a query or body that is not declared is somebody else's: not looked at
    std::vector<AnswerHeader> answer_headers;  // beyond those of every answer
    ApiKeyDemand api_key = ApiKeyDemand::as_configured;
    std::string feature_flag;   // "flag" or "flag.metadataKey" that must be on; empty: none
    bool compressible = false;  // its answers hold no secret beside what the caller sent (BREACH), and may be large
    // Sides of the DTOs for the document; empty where there is none.
    std::function<boost::json::object(Components&)> describe_body;
    std::function<boost::json::object(Components&)> describe_query;
    std::function<boost::json::object(Components&)> describe_path;
    std::function<boost::json::object(Components&)> describe_data;
    std::function<boost::json::object(Components&)> describe_metadata;  // beyond those of every answer
    std::unique_ptr<OperationHandler> handler;
    std::array<std::string_view, language_names.size()> messages;  // filled by the pipeline
};

}  // namespace consentry::http
