// Redacted values in a log line: any bytes become JSON on one line, and values of secret names are removed (LOG-1,
// LOG-2).
#include "base/redaction.hpp"

#include <algorithm>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/bytes.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

void require_one_line_of_json(const std::string& line) {
    using consentry::fuzz::require;
    require(std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }), "one line");
    boost::json::error_code error;
    boost::json::parse(line, error);
    require(!error, "JSON");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view text = fuzz::text_of(data, size);
    std::string line;
    append_log_string(line, text);
    require_one_line_of_json(line);
    line.clear();
    append_log_text(line, text);
    require_one_line_of_json(line);
    line.clear();
    append_redacted_json(line, text);
    require_one_line_of_json(line);
    line.clear();
    append_log_string(line, redact_path(text) + redact_query(text));
    require_one_line_of_json(line);

    // A secret of at least eight bytes, next to other values.
    if (size < 8) return 0;
    const std::string secret = to_hex(BytesView(data, size));
    const boost::json::object body{{"a", boost::json::array{secret.size(), true}}, {"Access_Token", secret}};
    line.clear();
    append_redacted_json(line, boost::json::serialize(body));
    require_one_line_of_json(line);
    fuzz::require(!line.contains(secret), "what stands under a secret name is left out");
    return 0;
}
