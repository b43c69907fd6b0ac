// Which query parameters a list accepts, and the name of each refusal (INP-8).
#include <gtest/gtest.h>

#include "tests/support/calls/paging_calls.hpp"

namespace consentry::tests {
namespace {

struct Refused {
    std::string query;
    std::string name;
    int code;
};

class INP_8 : public ::testing::Test {
protected:
    void expect_refused(const Refused& refused) const { expect_refused(refused, reader); }
    static void expect_refused(const Refused& refused, const Reader& who) {
        const Answer answer = who.list(refused.query);
        EXPECT_EQ(answer.status, 422U) << refused.query << answer.body;
        EXPECT_EQ(answer.code_name(), refused.name) << refused.query;
        EXPECT_EQ(answer.number("statusCode"), refused.code) << refused.query;
    }

    Service& service = suite_service();
    Reader reader{service};
};

TEST_F(INP_8, ItemsOfAPageAreOneToAHundredInWholeDigits) {
    for (const char* few : {"0", "-1", "-0", "-99999999999999999999"})
        expect_refused({"perPage=" + std::string(few), "perPageCannotBeLessThanOne", 5031});
    for (const std::string& many : {std::string("101"), std::string("1000000000"), std::string("9223372036854775807"),
                                    std::string("9223372036854775808"), "1" + std::string(400, '0')})
        expect_refused({"perPage=" + many, "perPageExceedsMaximum", 5030});
    for (const char* odd : {"1.5", "1.0", "1e2", "0x10", "%201", "1%20",  "%2B1", "+1",  "1_0",    "1e309",
                            "NaN", "",    "-",   "--1",  "ten",  "10abc", "007",  "000", "%D9%A1", "1%00"})
        expect_refused({"perPage=" + std::string(odd), "invalidPerPage", 5022});
    for (const char* fine : {"1", "20", "21", "100"})
        EXPECT_EQ(reader.list("perPage=" + std::string(fine)).status, 200U) << fine;
    EXPECT_EQ(reader.list().number("metadata.perPage"), 20);
}

TEST_F(INP_8, OrderTakesListedFieldsAndTwoDirections) {
    for (const char* fine : {"createdAt:asc", "updatedAt:DESC", "createdAt:Asc&orderBy=updatedAt:desc"})
        EXPECT_EQ(reader.list("orderBy=" + std::string(fine)).status, 200U) << fine;
    for (const char* field : {"id:asc", "created_at:asc", "createdat:asc", "1:asc", ":asc", "",
                              "createdAt,updatedAt:asc", "createdAt%00:asc", "(SELECT%201):asc", "createdAt;drop:asc"})
        expect_refused({"orderBy=" + std::string(field), "orderByNotAllowed", 5020});
    for (const char* direction :
         {"asc;drop", "asc;%20DROP%20TABLE%20users", "", "up", "asc:desc", "asc,desc", "1", "asc%00"})
        expect_refused({"orderBy=createdAt:" + std::string(direction), "orderDirectionNotAllowed", 5035});
    expect_refused({"orderBy=createdAt", "orderDirectionNotAllowed", 5035});
}

TEST_F(INP_8, AFieldOrdersOnceHoweverOftenItIsSaid) {
    expect_refused({"orderBy=createdAt:asc&orderBy=createdAt:desc", "orderByNotAllowed", 5020});
    std::string often = "orderBy=createdAt:asc";
    for (int i = 1; i < 200; ++i) often += "&orderBy=createdAt:asc";
    expect_refused({often, "orderByNotAllowed", 5020});
}

TEST_F(INP_8, TheOtherModesParameterIsToldApart) {
    expect_refused({"page=1", "invalidCursorPaginationParams", 5023});
    expect_refused({"page=", "invalidCursorPaginationParams", 5023});
}

TEST_F(INP_8, OtherNamesAreUnknownAndOneIsSaidOnce) {
    for (const char* name :
         {"search", "orderDirection", "perpage", "PerPage", "order", "filter[type]", "perPage[]", "%00"}) {
        const Answer answer = reader.list(std::string(name) + "=1");
        EXPECT_EQ(answer.status, 422U) << name;
        EXPECT_EQ(answer.code_name(), "validation");
        EXPECT_TRUE(answer.body.contains("whitelistValidation")) << answer.body;
    }
    const Answer twice = reader.list("perPage=1&cursor=&perPage=2&cursor=");
    EXPECT_EQ(twice.code_name(), "validation");
    EXPECT_TRUE(twice.violates("perPage", "isUnique"));
    EXPECT_TRUE(twice.violates("cursor", "isUnique"));
    EXPECT_EQ(reader.list("perPage=0&more=1").code_name(), "validation") << "names come first";
}

TEST_F(INP_8, NothingIsAskedOfTheDatabaseForARefusedQuery) {
    Service own;
    const Reader reader_of_own(own);
    own.sql("ALTER TABLE sessions RENAME COLUMN ip_address TO elsewhere");
    EXPECT_EQ(reader_of_own.list().status, 503U) << "the list itself is out of order";
    expect_refused({"perPage=0", "perPageCannotBeLessThanOne", 5031}, reader_of_own);
    expect_refused({"orderBy=createdAt:asc;drop", "orderDirectionNotAllowed", 5035}, reader_of_own);
    expect_refused({"cursor=AAAA", "invalidCursorFormat", 5025}, reader_of_own);
}

TEST_F(INP_8, TheAnswerSaysWhatWasUnderstood) {
    const Answer plain = reader.list();
    EXPECT_EQ(plain.text("metadata.type"), "cursor");
    EXPECT_FALSE(plain.boolean("metadata.hasNext"));
    EXPECT_FALSE(plain.boolean("metadata.hasPrevious"));
    for (const char* absent :
         {"metadata.nextCursor", "metadata.count", "metadata.page", "metadata.search", "metadata.filters"})
        EXPECT_FALSE(plain.has(absent)) << absent;
    const auto& metadata = plain.json.at("metadata");
    EXPECT_EQ(json::serialize(metadata.at("orderBy")), "[]");
    EXPECT_EQ(json::serialize(metadata.at("availableSearch")), "[]");
    EXPECT_EQ(json::serialize(metadata.at("availableOrderBy")), R"(["createdAt","updatedAt"])");
    const Answer ordered = reader.list("orderBy=updatedAt:DESC&orderBy=createdAt:asc");
    EXPECT_EQ(json::serialize(ordered.json.at("metadata").at("orderBy")),
              R"([{"updatedAt":"desc"},{"createdAt":"asc"}])");
}

}  // namespace
}  // namespace consentry::tests
