// The file .env: parsed values, written back in double quotes, parse to the same values.
#include "app/config/dotenv.hpp"

#include "tests/fuzz/fuzz.hpp"

namespace {

std::string in_quotes(std::string_view value) {
    std::string out = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\' || c == '$') out += '\\';
        out += c;
    }
    return out + "\"";
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view text = fuzz::text_of(data, size);
    const auto values = parse_dotenv(text);
    if (!values) {
        fuzz::require(!values.error().empty(), "a refusal says why");
        for (const DotenvProblem& problem : values.error()) fuzz::require(problem.line >= 1, "and where");
        return 0;
    }
    std::string written;
    for (const auto& [name, value] : *values) {
        fuzz::require(!name.empty() && !value.contains('\0'), "names are not empty, values hold no zero byte");
        written += name + "=" + in_quotes(value) + "\n";
    }
    const auto again = parse_dotenv(written);
    fuzz::require(again && *again == *values, "written and read again it is the same");
    return 0;
}
