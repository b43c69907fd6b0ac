// Reads accounts from a table: a line of column names, then one account per line.
//
//     email;name;username;role;status;isVerified;language;passwordHash;createdAt;googleSubject;appleSubject
//
// Only the column email is required. The first line determines the separator, ';' or ','. A quote
// that an export has put before a formula is removed (features/administration/formulas.hpp).
#pragma once

#include <istream>
#include <vector>

#include "features/administration/import/csv_reader.hpp"
#include "features/administration/import/source.hpp"

namespace consentry {

class CsvSource final : public ImportSource {
public:
    // Whether the columns passwordHash, googleSubject and appleSubject are known.
    enum class Credentials { known, unknown };

    // `stream` must outlive this object. `bytes` is the length of the stream, if known.
    explicit CsvSource(std::istream& stream, std::optional<std::uint64_t> bytes = std::nullopt,
                       Credentials credentials = Credentials::known)
        : reader_(stream), bytes_(bytes), credentials_(credentials) {}

    Result<std::optional<ImportRow>> next() override;
    std::optional<double> progress() override;

private:
    using Column = std::optional<std::string> ImportRow::*;
    Result<void> read_header();

    CsvReader reader_;
    std::optional<std::uint64_t> bytes_;
    Credentials credentials_;
    std::vector<Column> columns_;  // empty until the header has been read
    std::int64_t row_ = 0;
};

}  // namespace consentry
