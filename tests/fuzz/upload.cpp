// An uploaded file in a form. The first line of the input is the media type, the rest is the body.
#include "http/upload.hpp"

#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view text = fuzz::text_of(data, size);
    const std::size_t line = text.find('\n');
    if (line == std::string_view::npos) return 0;
    http::Request request;
    request.headers = {{"Content-Type", text.substr(0, line)}};
    request.body = text.substr(line + 1);
    const auto file = http::read_upload(request);
    if (!file) return 0;
    fuzz::require(!file->body.empty(), "a file is not empty");
    fuzz::require(file->body.data() >= request.body.data() &&
                      file->body.data() + file->body.size() <= request.body.data() + request.body.size(),
                  "the file lies within the body");
    fuzz::require(file->filename.find_first_of("\r\n\"\\") == std::string::npos, "a name is one line");
    fuzz::require(file->filename.size() + file->body.size() <= size, "reading adds nothing");
    return 0;
}
