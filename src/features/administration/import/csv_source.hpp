// Accounts in a table: one line of column names, then one account per line.
//
//     email;name;username;role;status;isVerified;language;passwordHash;createdAt;googleSubject;appleSubject
//
// Only email is needed. The separator, ';' or ',', is the one of the first line.
#pragma once

#include <istream>
#include <vector>

#include "features/administration/import/csv_reader.hpp"
#include "features/administration/import/source.hpp"

namespace consentry {

class CsvSource final : public ImportSource {
public:
    // The stream outlives it. `bytes`: how many it will give, where that is known.
    explicit CsvSource(std::istream& stream, std::optional<std::uint64_t> bytes = std::nullopt)
        : reader_(stream), bytes_(bytes) {}

    Result<std::optional<ImportRow>> next() override;
    std::optional<double> progress() override;

private:
    using Column = std::optional<std::string> ImportRow::*;
    Result<void> read_header();

    CsvReader reader_;
    std::optional<std::uint64_t> bytes_;
    std::vector<Column> columns_;  // empty before the header was read
    std::int64_t row_ = 0;
};

}  // namespace consentry
