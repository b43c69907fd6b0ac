#include "app/config/dotenv.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/ascii.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

constexpr std::uintmax_t file_bytes_max = 1024 * 1024;

bool starts_name(char c) { return is_letter(c) || c == '_'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

class DotenvReader {
public:
    explicit DotenvReader(std::string_view text) : rest_(text) {
        if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // some editors write a byte order mark
    }

    std::expected<Environment, std::vector<DotenvProblem>> read() {
        while (!rest_.empty()) entry();
        if (!problems_.empty()) return std::unexpected(std::move(problems_));
        return std::move(values_);
    }

private:
    void entry() {
        const std::size_t first_line = line_;
        blanks();
        if (rest_.empty() || at_line_end() || rest_.front() == '#') return skip_line();
        std::string_view name = take_name();
        if (name == "export" && (rest_.starts_with(' ') || rest_.starts_with('\t'))) {
            blanks();
            name = take_name();
        }
        blanks();
        if (name.empty() || !rest_.starts_with('=')) {
            problem(first_line, "expected NAME=VALUE, a comment or an empty line");
            return skip_line();
        }
        rest_.remove_prefix(1);
        std::optional<std::string> value = take_value(first_line);
        if (value && value->contains('\0')) problem(first_line, "the value contains a zero byte");
        if (value && !values_.emplace(name, std::move(*value)).second)
            problem(first_line, std::string(name) + " is already set above");
        skip_line();
    }

    std::string_view take_name() {
        std::size_t length = 0;
        if (!rest_.empty() && starts_name(rest_.front()))
            while (length < rest_.size() && continues_name(rest_[length])) ++length;
        const std::string_view name = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return name;
    }

    std::optional<std::string> take_value(std::size_t first_line) {
        const bool follows_blank = rest_.starts_with(' ') || rest_.starts_with('\t');
        blanks();
        if (!rest_.empty() && (rest_.front() == '"' || rest_.front() == '\'')) return take_quoted(first_line);
        std::string_view line = rest_.substr(0, rest_.find('\n'));
        if (line.ends_with('\r')) line.remove_suffix(1);
        // A # belongs to the value unless white space precedes it: passwords and URLs contain it.
        for (std::size_t i = 0; i < line.size(); ++i)
            if (line[i] == '#' && (i == 0 ? follows_blank : line[i - 1] == ' ' || line[i - 1] == '\t'))
                line = line.substr(0, i);
        return std::string(trim(line));
    }

    std::optional<std::string> take_quoted(std::size_t first_line) {
        const char quote = rest_.front();
        rest_.remove_prefix(1);
        std::string value;
        while (!rest_.empty() && rest_.front() != quote) {
            char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '\n') ++line_;
            if (c == '\\' && quote == '"' && !rest_.empty()) {
                c = unescape(rest_.front());
                if (c == '\0') {
                    problem(line_, R"(in double quotes, a backslash must be followed by one of n r t " \ $)");
                    c = rest_.front();
                }
                rest_.remove_prefix(1);
            }
            value += c;
        }
        if (rest_.empty()) {
            problem(first_line, "the quoted value has no closing quote");
            return std::nullopt;
        }
        rest_.remove_prefix(1);
        blanks();
        if (!rest_.empty() && !at_line_end() && rest_.front() != '#') {
            problem(line_, "only a comment may follow a quoted value");
            return std::nullopt;
        }
        return value;
    }

    static char unescape(char c) {
        switch (c) {
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case '"':
            case '\\':
            case '$':
                return c;
            default:
                return '\0';
        }
    }

    bool at_line_end() const { return rest_.starts_with('\n') || rest_.starts_with("\r\n"); }
    void blanks() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
    }
    void skip_line() {
        const std::size_t end = rest_.find('\n');
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        ++line_;
    }
    void problem(std::size_t line, std::string text) { problems_.push_back({line, std::move(text)}); }

    std::string_view rest_;
    std::size_t line_ = 1;
    Environment values_;
    std::vector<DotenvProblem> problems_;
};

std::unexpected<std::vector<DotenvProblem>> unreadable(std::string text) {
    return std::unexpected(std::vector<DotenvProblem>{{0, std::move(text)}});
}

std::unexpected<std::vector<DotenvProblem>> cannot_be_read(const std::error_code& error) {
    std::string text = "cannot be read: " + error.message();
    if (error == std::errc::permission_denied) text += "; run the command as root or as the account of the service";
    return unreadable(std::move(text));
}

}  // namespace

Environment process_environment() {
    Environment variables;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

std::expected<Environment, std::vector<DotenvProblem>> parse_dotenv(std::string_view text) {
    return DotenvReader(text).read();
}

std::expected<LoadedEnvironment, std::vector<DotenvProblem>> load_environment(Environment process,
                                                                              const std::filesystem::path& file) {
    LoadedEnvironment loaded{std::move(process), {}};
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file, error);
    if (status.type() == std::filesystem::file_type::not_found) return loaded;
    if (status.type() == std::filesystem::file_type::directory) error = {EISDIR, std::generic_category()};
    if (error) return cannot_be_read(error);

    std::ifstream stream(file, std::ios::binary);
    if (!stream) return cannot_be_read({errno, std::generic_category()});
    std::string text;
    // Does not rely on the file's size: the file may be a pipe, which has none.
    for (std::istreambuf_iterator<char> at(stream), end; at != end; ++at) {
        text += *at;
        if (text.size() > file_bytes_max) return unreadable("larger than 1 MiB");
    }

    auto values = parse_dotenv(text);
    if (!values) return std::unexpected(std::move(values.error()));
    for (auto& [name, value] : *values)
        if (loaded.values.try_emplace(name, std::move(value)).second) loaded.from_file.insert(name);
    return loaded;
}

}  // namespace consentry
