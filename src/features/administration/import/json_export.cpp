#include "features/administration/import/json_export.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>

#include "base/email_address.hpp"
#include "base/errors.hpp"
#include "base/json_values.hpp"
#include "base/locales.hpp"
#include "base/text.hpp"
#include "crypto/password_hash.hpp"
#include "features/administration/import/checks.hpp"

namespace consentry {
namespace {

constexpr std::size_t line_bytes_max = std::size_t{1} << 20;
// The parser's own limit is 32. Users choose how deep their metadata is, and one user could otherwise stop the import
// of all. Each level takes less than 2 KiB of the stack.
constexpr std::size_t depth_max = 512;

json::parse_options deep() {
    json::parse_options out;
    out.max_depth = depth_max;
    return out;
}

std::unexpected<Error> not_this_export() {
    return std::unexpected(Error{errors::file_unreadable}.with_message("file.error.notThisExport"));
}

Violation about(std::string_view key, std::string_view property, json::object placeholders = {}) {
    placeholders["property"] = property;
    return {std::string(key), std::string(property), std::move(placeholders)};
}

ImportRow row_of(const json::value& value, std::int64_t number, const ObjectToRow& convert) {
    ImportRow row{.number = number};
    if (value.is_object())
        convert(value.get_object(), row);
    else
        row.broken.push_back(about("isExportedUser", "user"));
    return row;
}

class JsonDocument final : public ImportSource {
public:
    JsonDocument(std::istream& stream, ObjectToRow convert, CheckOfArray check)
        : stream_(stream), convert_(std::move(convert)), check_(std::move(check)) {}

    Result<std::optional<ImportRow>> next() override {
        if (!users_) {
            if (auto done = read(); !done) return std::unexpected(std::move(done.error()));
        }
        if (at_ == users_->size()) return std::nullopt;
        json::value& user = (*users_)[at_];
        ImportRow row = row_of(user, static_cast<std::int64_t>(at_++), convert_);
        user = nullptr;
        return std::optional(std::move(row));
    }
    std::optional<double> progress() override {
        if (!users_ || users_->empty()) return std::nullopt;
        return static_cast<double>(at_) / static_cast<double>(users_->size());
    }

private:
    Result<void> read() {
        json::stream_parser parser({}, deep());
        // Nothing is read into the last byte. The parser marks a pause with its own address: if text ended where the
        // parser begins, which the compiler may place behind the buffer, it would take the end of the text for a pause.
        std::array<char, 65'537> buffer{};
        boost::system::error_code error;
        while (stream_.read(buffer.data(), buffer.size() - 1), stream_.gcount() > 0)
            if (parser.write(buffer.data(), static_cast<std::size_t>(stream_.gcount()), error); error)
                return not_this_export();
        if (parser.finish(error); error) return not_this_export();
        json::value document = parser.release();
        json::value* users = &document;
        if (json::object* object = document.if_object()) users = object->if_contains("users");
        if (users == nullptr || !users->is_array()) return not_this_export();
        if (auto fits = check_(users->get_array()); !fits) return fits;
        users_ = std::move(users->get_array());
        return {};
    }

    std::istream& stream_;
    ObjectToRow convert_;
    CheckOfArray check_;
    std::optional<json::array> users_;
    std::size_t at_ = 0;
};

// Reads the next line that is not empty; returns false at the end. Of a line that is_too_long(), it keeps no more.
bool next_line(std::istream& stream, std::string& line) {
    for (;;) {
        line.clear();
        char byte = 0;
        while (stream.get(byte) && byte != '\n')
            if (line.size() <= line_bytes_max) line += byte;
        if (stream.bad()) throw std::runtime_error("the file could not be read to the end");
        if (!trim(line).empty() && line != "\r") return true;
        if (!stream) return false;
    }
}

bool is_too_long(const std::string& line) { return line.size() > line_bytes_max; }

class JsonLines final : public ImportSource {
public:
    JsonLines(std::istream& stream, ObjectToRow convert) : stream_(stream), convert_(std::move(convert)) {}

    Result<std::optional<ImportRow>> next() override {
        std::string line;
        if (!next_line(stream_, line)) return std::nullopt;
        if (is_too_long(line))
            return std::unexpected(
                Error{errors::file_unreadable, json::object{{"row", row_}}}.with_message("file.error.rowTooLong"));
        boost::system::error_code error;
        const json::value value = parsed(line, error);
        if (error && row_ == 0) return not_this_export();
        return std::optional(row_of(value, row_++, convert_));
    }

private:
    std::istream& stream_;
    ObjectToRow convert_;
    std::int64_t row_ = 0;
};

}  // namespace

std::unique_ptr<ImportSource> json_document(std::istream& stream, ObjectToRow convert, CheckOfArray check) {
    return std::make_unique<JsonDocument>(stream, std::move(convert), std::move(check));
}

std::unique_ptr<ImportSource> json_lines(std::istream& stream, ObjectToRow convert) {
    return std::make_unique<JsonLines>(stream, std::move(convert));
}

json::value parsed(std::string_view text, boost::system::error_code& error) {
    return json::parse(text, error, {}, deep());
}

bool read_lines(std::istream& stream, const std::function<void(const json::object&)>& take) {
    std::string line;
    while (next_line(stream, line)) {
        if (is_too_long(line)) return false;
        boost::system::error_code error;
        const json::value value = parsed(line, error);
        if (error || !value.is_object()) return false;
        take(value.get_object());
    }
    return true;
}

std::optional<std::string> text_of(const json::object& object, std::string_view name) {
    const auto text = text_or_empty(object, name);
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

std::optional<bool> flag_of(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || !value->is_bool()) return std::nullopt;
    return value->get_bool();
}

std::vector<const json::object*> objects_of(const json::object& object, std::string_view name) {
    std::vector<const json::object*> out;
    const json::value* value = object.if_contains(name);
    if (value == nullptr || !value->is_array()) return out;
    for (const json::value& element : value->get_array())
        if (const json::object* found = element.if_object()) out.push_back(found);
    return out;
}

void leave_out(ImportRow& row, std::string_view key) {
    row.notes = {about(key, "user")};
    row.left_out = true;
}

void note_lost_password(ImportRow& row) {
    row.lost_password = true;
    row.notes.push_back(about("isKnownHash", "password"));
}

void note_temporary_password(ImportRow& row) {
    row.lost_password = true;
    row.notes.push_back(about("isPermanentPassword", "password"));
}

void note_unknown_provider(ImportRow& row, std::string_view provider) {
    row.notes.push_back(about("isKnownProvider", "identities", {{"provider", provider}}));
}

void take_subject(std::optional<std::string>& subject, std::optional<std::string> found, std::string_view provider,
                  ImportRow& row) {
    if (!found || found->empty())
        note_unknown_provider(row, provider);
    else if (!subject)
        subject = std::move(found);
    else if (*found != *subject)
        note_unknown_provider(row, std::string(provider) + "|" + *found);
}

std::optional<std::string> joined(const std::optional<std::string>& first, const std::optional<std::string>& last) {
    const std::string both = first.value_or("") + (first && last ? " " : "") + last.value_or("");
    const std::string_view trimmed = trim(both);
    if (trimmed.empty()) return std::nullopt;
    return std::string(trimmed);
}

bool take_address(ImportRow& row, std::optional<std::string> address) {
    if (!address || address->empty())
        leave_out(row, "hasAddress");
    else if (!canonical_email(*address))
        leave_out(row, "hasUsableAddress");
    else
        row.email = std::move(address);
    return row.email.has_value();
}

void take_name(ImportRow& row, const std::optional<std::string>& name) {
    const std::string_view trimmed = name ? trim(*name) : std::string_view();
    if (trimmed.empty()) return;
    if (is_name(trimmed))
        row.name = trimmed;
    else
        row.notes.push_back(about("isUsableName", "name"));
}

std::optional<std::string> language_of(const std::optional<std::string>& locale) {
    if (!locale) return std::nullopt;
    const auto found = find_language(std::string_view(*locale).substr(0, locale->find_first_of("-_")));
    if (!found) return std::nullopt;
    return std::string(name_of(*found));
}

void take_username(ImportRow& row, const std::optional<std::string>& name) {
    if (!name) return;
    std::string lowered = to_lower_ascii(*name);
    if (!is_username(lowered)) return;
    row.username = std::move(lowered);
    row.username_is_optional = true;
}

std::string unpadded(std::string_view base64) {
    return std::string(base64.substr(0, base64.find_last_not_of('=') + 1));
}

void take_hash(ImportRow& row, std::string hash) {
    if (crypto::is_supported_password_hash(hash))
        row.password_hash = std::move(hash);
    else
        note_lost_password(row);
}

}  // namespace consentry
