#include <gtest/gtest.h>

#include "storage/database.hpp"

namespace consentry::storage {
namespace {

const Rows& sample_rows() {
    static const Rows rows(6,
                           {std::monostate{}, std::int64_t{1}, true, 2.5, std::string("t"), Bytes{7}, std::int64_t{2},
                            std::int64_t{0}, false, 0.0, std::string("x"), Bytes{}},
                           0);
    return rows;
}

TEST(Row, ReadsEachTypeByIndex) {
    ASSERT_EQ(sample_rows().size(), 2u);
    const Row row = sample_rows()[0];
    EXPECT_TRUE(row.is_null(0));
    EXPECT_EQ(row.integer(1), 1);
    EXPECT_TRUE(row.boolean(2));
    EXPECT_EQ(row.real(3), 2.5);
    EXPECT_EQ(row.text(4), "t");
    EXPECT_EQ(row.bytes(5), Bytes{7});
    EXPECT_EQ(sample_rows()[1].text(4), "x");
}

TEST(Row, TakesZeroAndOneAsBooleanAndNoOtherNumber) {
    EXPECT_TRUE(sample_rows()[0].boolean(1));
    EXPECT_FALSE(sample_rows()[1].boolean(1));
    EXPECT_THROW(sample_rows()[1].boolean(0), std::logic_error);
}

TEST(Row, OptionalsAreEmptyForNullOnly) {
    const Row row = sample_rows()[0];
    EXPECT_EQ(row.integer_or_null(0), std::nullopt);
    EXPECT_EQ(row.text_or_null(0), std::nullopt);
    EXPECT_EQ(row.time_or_null(0), std::nullopt);
    EXPECT_EQ(row.integer_or_null(1), 1);
    EXPECT_EQ(row.time_or_null(1), from_epoch_ms(1));
    EXPECT_THROW(row.text_or_null(1), std::logic_error);
}

TEST(Row, DisagreementsAreLogicErrors) {
    const Row row = sample_rows()[0];
    EXPECT_THROW(row.integer(0), std::logic_error);
    EXPECT_THROW(row.text(1), std::logic_error);
    EXPECT_THROW(row.bytes(4), std::logic_error);
    EXPECT_THROW(row.uuid(4), std::logic_error);
    EXPECT_THROW(row.is_null(6), std::logic_error);
}

TEST(Rows, WithoutColumnsAreEmpty) {
    EXPECT_TRUE(Rows{}.empty());
    EXPECT_EQ(Rows(0, {}, 3).affected(), 3);
}

}  // namespace
}  // namespace consentry::storage
