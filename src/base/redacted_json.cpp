// Redacts JSON bodies in one pass over the text, writing it out again without its secrets.
#include <array>
#include <cstdint>
#include <string>

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include "base/redaction.hpp"

namespace consentry {
namespace {

constexpr std::size_t body_bytes_max = 16 * 1024;    // parsed on an I/O thread: larger bodies are not parsed
constexpr std::size_t written_bytes_max = 8 * 1024;  // per body
constexpr std::size_t array_elements_max = 10;       // "Logging constants" of the specification
constexpr std::size_t depth_max = 5;                 // the same
constexpr std::size_t key_bytes_max = 128;
constexpr std::size_t text_bytes_max = 1'024;
constexpr std::size_t number_bytes_max = 128;
constexpr std::size_t nested_max = 2;  // JSON in a string of JSON in a string

void append_buffer(std::string& out, std::size_t size) {
    out.append(R"({"buffer":"[BUFFER]","size":)").append(fmt::format_int(size).c_str()).push_back('}');
}

void append_json(std::string& out, std::string_view text, std::size_t nested);

// Appends a name or a string value: nested JSON or free text.
void append_text(std::string& out, std::string_view text, std::size_t nested, std::size_t bytes_max) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[')) {
        std::string inner;
        append_json(inner, text, nested + 1);
        append_log_string(out, inner, written_bytes_max);
    } else {
        append_log_text(out, text, bytes_max);
    }
}

// Writes the parser's events out again, without the secrets. `hidden_` counts the open arrays and objects inside an
// omitted value.
class Sanitizer {
public:
    constexpr static std::size_t max_object_size = std::size_t(-1);
    constexpr static std::size_t max_array_size = std::size_t(-1);
    constexpr static std::size_t max_key_size = std::size_t(-1);
    constexpr static std::size_t max_string_size = std::size_t(-1);
    using error_code = boost::json::error_code;
    using text_view = boost::json::string_view;

    Sanitizer(std::string& out, std::size_t nested) : out_(out), nested_(nested) {}

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code& error) { return open('{', false, error); }
    bool on_array_begin(error_code& error) { return open('[', true, error); }
    bool on_object_end(std::size_t, error_code&) {
        if (left_hidden()) return true;
        out_.push_back('}');
        --depth_;
        return true;
    }
    bool on_array_end(std::size_t count, error_code&) {
        if (left_hidden()) return true;
        if (count > array_elements_max)
            out_.append(R"(,{"truncated":)").append(fmt::format_int(count).c_str()).push_back('}');
        out_.push_back(']');
        --depth_;
        return true;
    }
    bool on_key_part(text_view part, std::size_t, error_code&) {
        parts_.append(part.data(), part.size());
        return true;
    }
    bool on_key(text_view part, std::size_t, error_code&) {
        const std::string_view key = whole(part);
        if (hidden_ == 0) {
            if (frames_[depth_ - 1].elements++ > 0) out_.push_back(',');
            append_text(out_, key, nested_, key_bytes_max);
            out_.push_back(':');
            secret_ = is_secret_name(key);
        }
        parts_.clear();
        return true;
    }
    bool on_string_part(text_view part, std::size_t, error_code&) {
        parts_.append(part.data(), part.size());
        return true;
    }
    bool on_string(text_view part, std::size_t, error_code& error) {
        const std::string_view text = whole(part);
        if (is_shown()) append_text(out_, text, nested_, text_bytes_max);
        parts_.clear();
        return fits(error);
    }
    bool on_number_part(text_view part, error_code&) {
        parts_.append(part.data(), part.size());
        return true;
    }
    bool on_int64(std::int64_t, text_view part, error_code& error) { return number(part, error); }
    bool on_uint64(std::uint64_t, text_view part, error_code& error) { return number(part, error); }
    bool on_double(double, text_view part, error_code& error) { return number(part, error); }
    bool on_bool(bool value, error_code&) {
        if (is_shown()) out_.append(value ? "true" : "false");
        return true;
    }
    bool on_null(error_code&) {
        if (is_shown()) out_.append("null");
        return true;
    }
    bool on_comment_part(text_view, error_code&) { return true; }
    bool on_comment(text_view, error_code&) { return true; }

private:
    struct Frame {
        bool is_array;
        std::size_t elements;
    };

    std::string_view whole(text_view last) {
        if (parts_.empty()) return {last.data(), last.size()};
        parts_.append(last.data(), last.size());
        return parts_;
    }
    // Writes the comma before an array element, and the replacement if the value is a secret. Returns whether the
    // caller should write the value itself.
    bool is_shown() {
        if (hidden_ > 0) return false;
        if (depth_ > 0 && frames_[depth_ - 1].is_array) {
            const std::size_t element = frames_[depth_ - 1].elements++;
            if (element >= array_elements_max) return false;
            if (element > 0) out_.push_back(',');
        }
        if (!secret_) return true;
        secret_ = false;
        out_.append("\"[REDACTED]\"");
        return false;
    }
    bool open(char bracket, bool is_array, error_code& error) {
        if (hidden_ > 0 || !is_shown()) {
            ++hidden_;
        } else if (depth_ == depth_max) {
            out_.append("\"[TRUNCATED]\"");
            ++hidden_;
        } else {
            out_.push_back(bracket);
            frames_[depth_++] = {is_array, 0};
        }
        return fits(error);
    }
    bool left_hidden() {
        if (hidden_ == 0) return false;
        --hidden_;
        return true;
    }
    bool number(text_view part, error_code& error) {
        const std::string_view text = whole(part);
        if (is_shown()) {
            // A cut number may end in "1." or "1e", which is not JSON.
            if (text.size() > number_bytes_max)
                append_log_string(out_, text, number_bytes_max);
            else
                out_.append(text);
        }
        parts_.clear();
        return fits(error);
    }
    bool fits(error_code& error) const {
        if (out_.size() - begin_ <= written_bytes_max) return true;
        error = make_error_code(boost::system::errc::message_size);
        return false;
    }

    std::string& out_;
    const std::size_t begin_ = out_.size();
    const std::size_t nested_;
    std::array<Frame, depth_max> frames_{};
    std::size_t depth_ = 0;
    std::size_t hidden_ = 0;
    bool secret_ = false;
    std::string parts_;
};

void append_json(std::string& out, std::string_view text, std::size_t nested) {
    const std::size_t begin = out.size();
    if (nested <= nested_max && text.size() <= body_bytes_max) {
        boost::json::basic_parser<Sanitizer> parser({}, out, nested);
        boost::json::error_code error;
        const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
        if (!error && read == text.size()) return;
        out.resize(begin);
    }
    append_buffer(out, text.size());
}

// Printable ASCII without escapes. Scans the whole text without an early exit, so that the compiler vectorizes it.
bool is_plain(std::string_view text) {
    bool special = false;
    for (const char c : text) special |= (c < 0x20) | (c == 0x7F) | (c == '\\');
    return !special;
}

}  // namespace

void append_redacted_json(std::string& out, std::string_view body, std::string_view known_end) {
    if (!known_end.empty() && body.size() <= body_bytes_max && body.ends_with(known_end) && is_plain(known_end)) {
        const std::size_t begin = out.size();
        const std::string_view rest = body.substr(0, body.size() - known_end.size());
        boost::json::basic_parser<Sanitizer> parser({}, out, 0U);
        boost::json::error_code error;
        parser.write_some(true, rest.data(), rest.size(), error);
        if (!error) parser.write_some(false, "}", 1, error);
        if (!error) {
            out.pop_back();
            out.append(known_end);
            return;
        }
        out.resize(begin);
    }
    append_json(out, body, 0);
}

}  // namespace consentry
