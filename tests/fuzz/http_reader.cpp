// Requests as a connection reads them: they mean the same, regardless of how the network splits the bytes (WEB-1).
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "http/message_reader.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace consentry::fuzz {
namespace {

using http::MessageReader;
using State = MessageReader::State;

// Small limits, so that short inputs can reach each of them.
constexpr http::ReaderLimits limits{
    .head_bytes_max = 600, .target_bytes_max = 120, .json_bytes_max = 300, .text_bytes_max = 400};

bool lies_in(std::string_view part, std::string_view whole) { return whole.find(part) != std::string_view::npos; }

std::string told(const http::Request& request) {
    std::string out;
    const auto add = [&](std::string_view text) { out.append(std::to_string(text.size())).append(":").append(text); };
    add(request.method_text);
    add(request.target);
    add(request.path);
    add(request.query);
    add(request.keep_alive ? "keep" : "close");
    for (const auto& [name, value] : request.headers) {
        add(name);
        add(value);
    }
    add(request.body);
    return out;
}

// Feeds `bytes` to the reader in pieces of at most `piece` bytes. Returns every request, and the refusal at the end, if
// any.
std::vector<std::string> read(std::string_view bytes, std::size_t piece) {
    const std::string_view whole = bytes;
    std::vector<std::string> out;
    MessageReader reader(limits);
    State state = reader.advance();
    for (;;) {
        if (state == State::complete) {
            const http::Request& request = reader.request();
            require(request.body.size() <= limits.text_bytes_max, "the body keeps its limit");
            require(request.target.size() <= limits.target_bytes_max, "the target keeps its limit");
            require(lies_in(request.target, whole), "the target was sent");
            for (const auto& [name, value] : request.headers)
                require(!name.empty() && lies_in(name, whole) && lies_in(value, whole), "the header was sent");
            out.push_back(told(request));
            reader.next();
            state = reader.advance();
        } else if (state == State::refused) {
            out.push_back("refused: " + std::string(reader.refusal().name));
            return out;
        } else if (bytes.empty()) {
            state = reader.end_of_input();
            if (state != State::refused) return out;
        } else {
            const auto space = reader.space();
            require(!space.empty(), "there is room for what is missing");
            const std::size_t count = std::min({piece, bytes.size(), space.size()});
            std::memcpy(space.data(), bytes.data(), count);
            bytes.remove_prefix(count);
            reader.commit(count);
            state = reader.advance();
        }
    }
}

}  // namespace
}  // namespace consentry::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry::fuzz;
    const auto whole = read(text_of(data, size), size + 1);
    require(read(text_of(data, size), 1) == whole, "one byte at a time means the same");
    require(read(text_of(data, size), 7) == whole, "seven bytes at a time mean the same");
    return 0;
}
