#include "features/administration/import/csv_reader.hpp"

#include <stdexcept>

#include "base/errors.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

constexpr int end_of_file = -1;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_text(const std::string& field) { return !field.contains('\0') && code_points(field).has_value(); }

}  // namespace

bool CsvReader::fill() {
    if (at_ < end_) return true;
    constexpr std::size_t piece = 65'536;
    buffer_.resize(piece);
    stream_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    if (stream_.bad()) throw std::runtime_error("the table could not be read to the end");
    at_ = 0;
    end_ = static_cast<std::size_t>(stream_.gcount());
    return end_ > 0;
}

int CsvReader::peek() { return fill() ? static_cast<unsigned char>(buffer_[at_]) : end_of_file; }

int CsvReader::get() {
    const int byte = peek();
    if (byte == end_of_file) return byte;
    ++at_;
    ++bytes_;
    return byte;
}

// Picks the separator that comes first in the header line, outside of quotes.
void CsvReader::find_separator() {
    separator_ = ';';
    if (!fill()) return;
    if (std::string_view(buffer_.data(), end_).starts_with(byte_order_mark)) at_ = byte_order_mark.size();
    bool quoted = false;
    for (std::size_t i = at_; i < end_; ++i) {
        const char c = buffer_[i];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '\n') return;
        if (c != ';' && c != ',') continue;
        separator_ = c;
        return;
    }
}

Result<std::optional<CsvRecord>> CsvReader::next() {
    if (separator_ == 0) find_separator();
    while (peek() == '\n' || peek() == '\r') get();
    if (peek() == end_of_file) return std::nullopt;

    const auto refuse = [&](std::string_view message) {
        if (records_ == 0)
            return std::unexpected(Error{errors::file_unreadable}.with_message("file.error.headerUnreadable"));
        return std::unexpected(
            Error{errors::file_unreadable, boost::json::object{{"row", records_ - 1}}}.with_message(message));
    };
    enum class Place { start, plain, quoted, behind_quote };
    CsvRecord record;
    std::string field;
    Place place = Place::start;
    std::size_t size = 0;
    const auto end_field = [&] {
        record.malformed = record.malformed || !is_text(field);
        record.fields.push_back(std::move(field));
        field.clear();
        place = Place::start;
    };
    for (;;) {
        if (++size > limit_ || record.fields.size() >= fields_max) return refuse("file.error.rowTooLong");
        const int byte = get();
        if (place == Place::quoted) {
            if (byte == end_of_file) return refuse("file.error.quoteOpen");
            if (byte != '"') {
                field += static_cast<char>(byte);
            } else if (peek() == '"') {
                get();
                field += '"';
            } else {
                place = Place::behind_quote;
            }
            continue;
        }
        if (byte == end_of_file || byte == '\n' || (byte == '\r' && peek() == '\n')) {
            end_field();
            ++records_;
            return std::optional(std::move(record));
        }
        if (byte == separator_) {
            end_field();
        } else if (byte == '"' && place == Place::start) {
            place = Place::quoted;
        } else {
            record.malformed = record.malformed || byte == '"' || byte == '\r' || place == Place::behind_quote;
            if (place == Place::start) place = Place::plain;
            field += static_cast<char>(byte);
        }
    }
}

}  // namespace consentry
