// Tests how the import reads tables, both ordinary and hostile ones.
#include <random>
#include <sstream>

#include <gmock/gmock.h>

#include "base/errors.hpp"
#include "features/administration/import/csv_source.hpp"
#include "features/administration/user_export.hpp"

namespace consentry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<CsvRecord> records_of(const std::string& text) {
    std::istringstream stream(text);
    CsvReader reader(stream);
    std::vector<CsvRecord> out;
    for (;;) {
        auto record = reader.next();
        if (!record) throw std::runtime_error(std::string(record.error().message_key()));
        if (!*record) return out;
        out.push_back(std::move(**record));
    }
}

// Returns the error that ends the reading, or an empty string.
std::string refusal_of(const std::string& text) {
    std::istringstream stream(text);
    CsvSource source(stream);
    for (;;) {
        auto row = source.next();
        if (!row) {
            EXPECT_TRUE(row.error().is(errors::file_unreadable));
            return std::string(row.error().message_key());
        }
        if (!*row) return "";
    }
}

TEST(Csv, FieldsAreAsRfc4180SaysWithEitherSeparatorAndLineEnd) {
    for (const char* text : {"a;b;c\r\nd;e;f\r\n", "a,b,c\nd,e,f",
                             "\xEF\xBB\xBF"
                             "a;b;c\nd;e;f\n\n\r\n",
                             "\"a\";\"b\";c\n\nd;e;f"}) {
        const auto records = records_of(text);
        ASSERT_EQ(records.size(), 2U) << text;
        EXPECT_THAT(records[0].fields, ElementsAre("a", "b", "c")) << text;
        EXPECT_THAT(records[1].fields, ElementsAre("d", "e", "f")) << text;
    }
    const auto quoted = records_of("a;b\r\n\"x;\"\"y\"\"\r\nz, w\";\"\"\r\n");
    EXPECT_THAT(quoted.at(1).fields, ElementsAre("x;\"y\"\r\nz, w", ""));
    EXPECT_FALSE(quoted.at(1).malformed);
    EXPECT_THAT(records_of("\"a;b\",c\n1,2").at(1).fields, ElementsAre("1", "2")) << "quotes hide a separator";
    EXPECT_THAT(records_of("a;b,c\n1,2;3").at(1).fields, ElementsAre("1,2", "3")) << "the first one counts";
    EXPECT_THAT(records_of("email\nx\n").at(1).fields, ElementsAre("x"));
    EXPECT_THAT(records_of("a;b\n;\n").at(1).fields, ElementsAre("", ""));
    EXPECT_THAT(records_of(""), IsEmpty());
    EXPECT_THAT(records_of("\n\r\n\n"), IsEmpty());
}

TEST(Csv, AMisplacedQuoteBreaksItsRecordAndNoOther) {
    for (const char* broken :
         {"x\"y;z", "\"x\"y;z", "\"x\" ;z", "x\ry;z", "x\xFFy;z", "\xED\xA0\x80;z", "\xC0\x80;z"}) {
        const auto records = records_of(std::string("a;b\n") + broken + "\nc;d\n");
        ASSERT_EQ(records.size(), 3U) << broken;
        EXPECT_TRUE(records[1].malformed) << broken;
        EXPECT_FALSE(records[2].malformed) << broken;
        EXPECT_THAT(records[2].fields, ElementsAre("c", "d")) << broken;
    }
    EXPECT_TRUE(records_of(std::string("a;b\nx\0y;z\n", 10)).at(1).malformed) << "NUL";
}

TEST(Csv, NoRecordGrowsBeyondItsBound) {
    const std::string head = "email;name\n";
    EXPECT_EQ(refusal_of(head + std::string(CsvReader::record_bytes_max, 'x') + "\n"), "file.error.rowTooLong");
    EXPECT_EQ(refusal_of(head + "\"" + std::string(CsvReader::record_bytes_max, '\n') + "\"\n"),
              "file.error.rowTooLong");
    EXPECT_EQ(refusal_of(head + std::string(CsvReader::fields_max + 1, ';')), "file.error.rowTooLong");
    EXPECT_EQ(refusal_of(head + "a@example.org;\"never closed\n\n"), "file.error.quoteOpen");
    EXPECT_EQ(refusal_of(head + "a@example.org;" + std::string(60'000, 'x') + "\n"), "");
    // No row is at fault.
    EXPECT_EQ(refusal_of("email;" + std::string(CsvReader::record_bytes_max, 'x') + "\n"),
              "file.error.headerUnreadable");
    EXPECT_EQ(refusal_of("email;\"name\na@example.org;Ada\n"), "file.error.headerUnreadable");
}

// A stream without end that counts the bytes read from it.
class Endless : public std::streambuf {
public:
    std::uint64_t given() const { return given_; }

protected:
    std::streamsize xsgetn(char* into, std::streamsize count) override {
        std::fill_n(into, count, 'x');
        given_ += static_cast<std::uint64_t>(count);
        return count;
    }
    int_type underflow() override { return 'x'; }
    int_type uflow() override { return ++given_, 'x'; }

private:
    std::uint64_t given_ = 0;
};

TEST(Csv, ALineWithoutEndIsGivenUpEarly) {
    Endless bytes;
    std::istream stream(&bytes);
    CsvSource source(stream);
    EXPECT_FALSE(source.next().has_value());
    EXPECT_LE(bytes.given(), 4 * CsvReader::record_bytes_max);
}

TEST(Csv, ColumnsAreKnownByNameAndThereOnce) {
    EXPECT_EQ(refusal_of("email;mobile\na@example.org;1\n"), "file.error.columnUnknown");
    EXPECT_EQ(refusal_of("Email\na@example.org\n"), "file.error.columnUnknown");
    EXPECT_EQ(refusal_of("email;name;email\n"), "file.error.columnTwice");
    EXPECT_EQ(refusal_of("name;role\nAda;user\n"), "file.error.columnMissing");
    EXPECT_EQ(refusal_of(""), "file.error.columnMissing");
    std::istringstream stream("name, email\nAda,a@example.org\nx\n,b@example.org\n");
    CsvSource source(stream);
    const auto first = source.next().value().value();
    EXPECT_EQ(first.email, "a@example.org");
    EXPECT_EQ(first.name, "Ada");
    EXPECT_EQ(first.number, 0);
    const auto second = source.next().value().value();
    ASSERT_EQ(second.broken.size(), 1U);
    EXPECT_EQ(second.broken[0].key, "isRow");
    const auto third = source.next().value().value();
    EXPECT_EQ(third.name, std::nullopt) << "nothing is no name";
    EXPECT_EQ(third.number, 2);
    EXPECT_EQ(source.next().value(), std::nullopt);
}

// Every column, and every beginning that a spreadsheet runs, behind any number of quotes.
TEST(Csv, WhatIsWrittenIsReadAsItWas) {
    constexpr std::string_view alphabet = "''=+-@\t\r;,\"\n aé";
    std::minstd_rand random(41);
    for (int i = 0; i < 20'000; ++i) {
        std::string value;
        for (auto left = random() % 6; left > 0; --left) {
            const std::size_t at = random() % (alphabet.size() - 1);
            value += at < alphabet.size() - 2 ? std::string(1, alphabet[at]) : std::string(alphabet.substr(at));
        }
        const std::string field = csv_field(value);
        EXPECT_FALSE(!field.empty() && std::string_view("=+-@\t\r").contains(field.front())) << field;
        std::istringstream stream("email;name\n" + field + ';' + field + '\n');
        CsvSource source(stream);
        const auto row = source.next();
        ASSERT_TRUE(row && *row) << field;
        EXPECT_EQ((*row)->email.value_or(""), value) << field;
        EXPECT_EQ((*row)->name.value_or(""), value) << field;
    }
}

}  // namespace
}  // namespace consentry
