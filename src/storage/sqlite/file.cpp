#include "storage/sqlite/file.hpp"

#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "base/percent_encoding.hpp"

namespace consentry::storage::sqlite {
namespace {

constexpr int busy_timeout_ms = 5'000;

struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using FileStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

FileStatement prepared(const FileHandle& database, const std::filesystem::path& file, const char* sql) {
    sqlite3_stmt* raw = nullptr;
    const int result = sqlite3_prepare_v2(database.get(), sql, -1, &raw, nullptr);
    FileStatement statement(raw);
    if (result != SQLITE_OK) throw_failure(file, sqlite3_errmsg(database.get()));
    return statement;
}

FileStatement first_row(const FileHandle& database, const std::filesystem::path& file, const char* sql) {
    FileStatement statement = prepared(database, file, sql);
    if (sqlite3_step(statement.get()) != SQLITE_ROW) throw_failure(file, sqlite3_errmsg(database.get()));
    return statement;
}

std::string text_in(const FileStatement& statement) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), 0));
    return text == nullptr ? std::string() : std::string(text);
}

std::string uri_of(const std::filesystem::path& file, std::string_view parameters) {
    std::string out = "file://";
    for (const char c : plain_name(file))
        if (c == '%' || c == '?' || c == '#')
            append_percent_encoded(out, c);
        else
            out.push_back(c);
    return out.append("?").append(parameters);
}

}  // namespace

void CloseFile::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

void throw_failure(const std::filesystem::path& file, std::string_view why) {
    throw std::runtime_error(fmt::format("sqlite {}: {}", file.string(), why));
}

std::string plain_name(const std::filesystem::path& file) { return std::filesystem::absolute(file).string(); }

FileHandle open_file(const std::filesystem::path& file, int flags, std::string_view parameters) {
    const std::string name = parameters.empty() ? plain_name(file) : uri_of(file, parameters);
    const int more_flags = SQLITE_OPEN_NOMUTEX | (parameters.empty() ? 0 : SQLITE_OPEN_URI);
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open_v2(name.c_str(), &raw, flags | more_flags, nullptr);
    FileHandle out(raw);
    if (raw == nullptr) throw std::bad_alloc();
    if (opened != SQLITE_OK) throw_failure(file, sqlite3_errmsg(raw));
    sqlite3_busy_timeout(raw, busy_timeout_ms);
    return out;
}

std::string first_text(const FileHandle& database, const std::filesystem::path& file, const char* sql) {
    return text_in(first_row(database, file, sql));
}

std::vector<std::string> all_texts(const FileHandle& database, const std::filesystem::path& file, const char* sql,
                                   std::span<const std::string> parameters) {
    const FileStatement statement = prepared(database, file, sql);
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (sqlite3_bind_text64(statement.get(), static_cast<int>(i) + 1, parameters[i].data(), parameters[i].size(),
                                SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
            throw_failure(file, sqlite3_errmsg(database.get()));
    std::vector<std::string> out;
    int result = sqlite3_step(statement.get());
    for (; result == SQLITE_ROW; result = sqlite3_step(statement.get())) out.push_back(text_in(statement));
    if (result != SQLITE_DONE) throw_failure(file, sqlite3_errmsg(database.get()));
    return out;
}

std::int64_t first_number(const FileHandle& database, const std::filesystem::path& file, const char* sql) {
    return sqlite3_column_int64(first_row(database, file, sql).get(), 0);
}

}  // namespace consentry::storage::sqlite
