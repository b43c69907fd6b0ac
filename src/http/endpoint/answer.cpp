#include "http/endpoint/answer.hpp"

namespace consentry::http::detail {

Reply to_reply(Done answer) {
    Reply reply;
    reply.extra_headers = std::move(answer.extra_headers);
    return reply;
}

Reply to_reply(NoContent) {
    Reply reply;
    reply.no_content = true;
    return reply;
}

Reply to_reply(Raw answer) {
    Reply reply;
    reply.data = std::move(answer.body);
    reply.content_type = std::move(answer.content_type);
    reply.cache_control = std::move(answer.cache_control);
    reply.etag = std::move(answer.etag);
    reply.content_encoding = std::move(answer.content_encoding);
    reply.content_security_policy = std::move(answer.content_security_policy);
    reply.vary = answer.vary;
    return reply;
}

Reply to_reply(Stream answer) {
    Reply reply;
    reply.content_type = std::move(answer.content_type);
    reply.extra_headers = "Content-Disposition: attachment; filename=" + answer.file_name + "\r\n";
    reply.stream = std::move(answer.next);
    if (answer.length) reply.extra_headers += "Content-Length: " + std::to_string(*answer.length) + "\r\n";
    return reply;
}

}  // namespace consentry::http::detail
