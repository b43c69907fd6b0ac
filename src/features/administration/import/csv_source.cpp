#include "features/administration/import/csv_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "features/administration/formulas.hpp"

namespace consentry {
namespace {

struct KnownColumn {
    std::string_view name;
    std::optional<std::string> ImportRow::* member;
    bool is_credential = false;
};
constexpr std::array<KnownColumn, 11> known_columns{{
    {"email", &ImportRow::email},
    {"name", &ImportRow::name},
    {"username", &ImportRow::username},
    {"role", &ImportRow::role},
    {"status", &ImportRow::status},
    {"isVerified", &ImportRow::is_verified},
    {"language", &ImportRow::language},
    {"passwordHash", &ImportRow::password_hash, true},
    {"createdAt", &ImportRow::created_at},
    {"googleSubject", &ImportRow::google_subject, true},
    {"appleSubject", &ImportRow::apple_subject, true},
}};

std::unexpected<Error> refuse(std::string_view message, std::string column, boost::json::object data = {}) {
    constexpr std::size_t column_bytes_max = 64;
    if (column.size() > column_bytes_max || !code_points(column)) column = "?";
    data["column"] = std::move(column);
    return std::unexpected(Error{errors::file_unreadable, std::move(data)}.with_message(message));
}

std::unexpected<Error> unknown(std::string_view column, bool has_credentials) {
    std::string known;
    for (const KnownColumn& one : known_columns)
        if (has_credentials || !one.is_credential) known.append(known.empty() ? "" : ", ").append(one.name);
    return refuse("file.error.columnUnknown", std::string(column), {{"known", std::move(known)}});
}

}  // namespace

Result<void> CsvSource::read_header() {
    auto header = reader_.next();
    if (!header) return std::unexpected(std::move(header.error()));
    if (!*header) return refuse("file.error.columnMissing", "email");
    const bool has_credentials = credentials_ == Credentials::known;
    for (const std::string& field : (*header)->fields) {
        const std::string_view name = trim(field);
        const auto known = std::ranges::find(known_columns, name, &KnownColumn::name);
        if (known == known_columns.end() || (known->is_credential && !has_credentials))
            return unknown(name, has_credentials);
        if (std::ranges::find(columns_, known->member) != columns_.end())
            return refuse("file.error.columnTwice", std::string(name));
        columns_.push_back(known->member);
    }
    if (std::ranges::find(columns_, &ImportRow::email) == columns_.end())
        return refuse("file.error.columnMissing", "email");
    return {};
}

Result<std::optional<ImportRow>> CsvSource::next() {
    if (columns_.empty()) {
        if (auto header = read_header(); !header) return std::unexpected(std::move(header.error()));
    }
    auto record = reader_.next();
    if (!record) return std::unexpected(std::move(record.error()));
    if (!*record) return std::nullopt;
    ImportRow row;
    row.number = row_++;
    auto& fields = (*record)->fields;
    if ((*record)->malformed || fields.size() != columns_.size()) {
        row.broken.push_back({"isRow", "row", {{"property", "row"}, {"columns", columns_.size()}}});
        return std::optional(std::move(row));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        std::string& field = fields[i];
        if (field.starts_with('\'') && is_formula_behind_quotes(field)) field.erase(0, 1);
        if (!field.empty()) row.*columns_[i] = std::move(field);
    }
    return std::optional(std::move(row));
}

std::optional<double> CsvSource::progress() {
    if (!bytes_ || *bytes_ == 0) return std::nullopt;
    return std::min(1.0, static_cast<double>(reader_.bytes_read()) / static_cast<double>(*bytes_));
}

}  // namespace consentry
