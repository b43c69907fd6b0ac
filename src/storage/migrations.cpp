#include "storage/migrations.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/text.hpp"

namespace consentry::storage {

std::span<const EmbeddedFile> migration_files();  // consentry_embed()

namespace {

int number_of(std::string_view name) {
    const auto number = parse_number<int>(name.substr(0, name.find('_')));
    if (!number) throw std::runtime_error(fmt::format("migration {}: the name must begin with <number>_", name));
    return *number;
}

std::vector<std::string_view> statements_of(const EmbeddedFile& file) {
    std::vector<std::string_view> out;
    std::string_view rest = file.bytes;
    std::size_t begin = 0;     // of the statement
    bool has_content = false;  // more than comments and blank lines
    for (std::size_t at = 0; at < rest.size();) {
        const std::size_t end = std::min(rest.find('\n', at), rest.size());
        std::string_view line = trim(rest.substr(at, end - at));
        if (line.ends_with('\r')) line = trim(line.substr(0, line.size() - 1));
        at = end + 1;
        if (line.empty() || line.starts_with("--")) continue;
        has_content = true;
        if (!line.ends_with(';')) continue;
        out.push_back(rest.substr(begin, end - begin));
        begin = std::min(at, rest.size());
        has_content = false;
    }
    if (has_content)
        throw std::runtime_error(fmt::format("migration {}: missing ';' after the last statement", file.name));
    return out;
}

}  // namespace

bool is_for(std::string_view statement, std::string_view engine) {
    constexpr std::string_view mark = "-- Only for ";
    const auto at = statement.find(mark);
    return at == std::string_view::npos || statement.substr(at + mark.size()).starts_with(engine);
}

std::vector<std::string_view> created_tables(std::span<const Migration> migrations, std::string_view engine) {
    constexpr std::string_view words = "CREATE TABLE ";
    std::vector<std::string_view> out;
    for (const Migration& migration : migrations) {
        for (std::string_view rest : migration.statements) {
            if (!is_for(rest, engine)) continue;
            std::string_view line;
            do {
                line = trim(take_part(rest, '\n'));
            } while (!rest.empty() && (line.empty() || line.starts_with("--")));
            if (!line.starts_with(words)) continue;
            line.remove_prefix(words.size());
            out.push_back(line.substr(0, line.find_first_of(" (")));
        }
    }
    return out;
}

std::vector<Migration> parse_migrations(std::span<const EmbeddedFile> files) {
    std::vector<Migration> out;
    for (const auto& file : files) out.push_back({number_of(file.name), file.name, statements_of(file)});
    std::ranges::sort(out, {}, &Migration::number);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (const int expected = static_cast<int>(i) + 1; out[i].number != expected)
            throw std::runtime_error(fmt::format("migration {}: expected number {}", out[i].name, expected));
    }
    return out;
}

const std::vector<Migration>& migrations() {
    static const std::vector<Migration> parsed = parse_migrations(migration_files());
    return parsed;
}

}  // namespace consentry::storage
