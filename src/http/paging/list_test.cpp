#include "http/paging/list.hpp"

#include <gtest/gtest.h>

#include "http/endpoint.hpp"

namespace consentry::http {

enum class Color { red, green, blue };

}  // namespace consentry::http

template <>
struct consentry::EnumNames<consentry::http::Color> {
    using Color = consentry::http::Color;
    static constexpr std::array names{std::pair{Color::red, std::string_view{"red"}},
                                      std::pair{Color::green, std::string_view{"green"}},
                                      std::pair{Color::blue, std::string_view{"blue"}}};
};

namespace consentry::http {
namespace {

struct PaintListing {
    std::optional<std::vector<Color>> colors;
    std::optional<bool> is_dry;
    std::optional<TimePoint> since;
    static constexpr auto paging = Paging::offset;
    static constexpr auto filters() {
        return std::tuple{filter("color", &PaintListing::colors, "p.color", "Any of these"),
                          filter("isDry", &PaintListing::is_dry, "(p.dried_at IS NOT NULL)", "Dry ones"),
                          filter("since", &PaintListing::since, "p.created_at", "Made then or later",
                                 ListCondition::Comparison::at_least)};
    }
    static constexpr std::array sortable{Sortable{"createdAt", "p.created_at"},
                                         Sortable{"name", "p.name", SortedAs::text}};
    static constexpr std::array searchable{Searchable{"name", "p.name"}, Searchable{"note", "p.note"}};
    static constexpr std::string_view id_column = "p.id";
    static constexpr std::string_view default_column = "p.created_at";
};

struct BrushListing {
    std::optional<UserId> owner;
    std::optional<std::string> maker;
    std::optional<Color> color;
    static constexpr auto paging = Paging::cursor;
    static constexpr auto filters() {
        return std::tuple{filter("owner", &BrushListing::owner, "owner_id", "Of them"),
                          filter("maker", &BrushListing::maker, "maker", "By them"),
                          filter("color", &BrushListing::color, "color", "Of it")};
    }
};

// Does not encrypt, and records the arguments of open().
struct OpenSeal final : CursorSeal {
    std::string seal(std::string_view content, std::string_view, std::string_view) const override {
        return std::string(next.empty() ? content : next);
    }
    Result<std::string> open(std::string_view cursor, std::string_view owner,
                             std::string_view conditions) const override {
        seen_owner = owner;
        seen_conditions = conditions;
        return std::string(cursor);
    }
    std::string next;
    mutable std::string seen_owner;
    mutable std::string seen_conditions;
};

struct Asked {
    explicit Asked() { operation.id = "listThings"; }
    template <class L>
    Result<List<L>> list(std::string_view query) {
        List<L> out;
        Report report;
        const auto texts = parse_query(query).value();
        auto read = out.read(texts, operation, context, &seal, report);
        violations = report.take();
        if (!read) return fail(std::move(read.error()));
        return out;
    }
    template <class L>
    std::string refusal(std::string_view query) {
        const auto read = list<L>(query);
        return read ? "none" : std::string(read.error().kind().name);
    }

    Operation operation;
    Request request;
    RequestContext context{.request = request, .now = from_epoch_ms(0)};
    OpenSeal seal;
    std::vector<Violation> violations;
};

TEST(List, WithoutParametersItIsTheNewestTwenty) {
    const auto list = Asked().list<PaintListing>("").value();
    EXPECT_EQ(list.query().limit, 20);
    EXPECT_EQ(list.query().offset, 0);
    EXPECT_EQ(list.query().order, (std::vector<ListOrder>{{"p.created_at", true}}));
    EXPECT_EQ(list.query().id_expression, "p.id");
    EXPECT_TRUE(list.query().conditions.empty());
    EXPECT_FALSE(list.filters().colors);
    EXPECT_EQ(Asked().list<BrushListing>("")->query().order, (std::vector<ListOrder>{{"created_at", true}}));
}

TEST(List, PagesAreCountedFromOneToTwenty) {
    EXPECT_EQ(Asked().list<PaintListing>("page=20&perPage=100")->query().offset, 1'900);
    for (const char* page : {"0", "-1", "-99999999999999999999"})
        EXPECT_EQ(Asked().refusal<PaintListing>(std::string("page=") + page), "pageCannotBeLessThanOne") << page;
    for (const char* page : {"21", "1000000000", "9223372036854775808"})
        EXPECT_EQ(Asked().refusal<PaintListing>(std::string("page=") + page), "pageExceedsMaximum") << page;
    for (const char* page : {"", "1.5", "1e2", "0x1", "%201", "%2B1", "1_0", "NaN", "last"})
        EXPECT_EQ(Asked().refusal<PaintListing>(std::string("page=") + page), "invalidPage") << page;
    EXPECT_EQ(Asked().refusal<PaintListing>("cursor=abc"), "invalidOffsetPaginationParams");
    EXPECT_EQ(Asked().refusal<BrushListing>("page=1"), "invalidCursorPaginationParams");
}

TEST(List, WhatCannotBeSortedIsNot) {
    EXPECT_EQ(Asked().refusal<BrushListing>("orderBy=createdAt:asc"), "orderByNotAllowed");
    EXPECT_EQ(Asked().list<PaintListing>("orderBy=name:ASC&orderBy=createdAt:desc")->query().order,
              (std::vector<ListOrder>{{"p.name", false}, {"p.created_at", true}}));
}

TEST(List, SetsAreTrimmedAndHoldEachValueOnce) {
    const auto list = Asked().list<PaintListing>("color=green,+red+,green").value();
    EXPECT_EQ(list.filters().colors, (std::vector{Color::red, Color::green}));
    ASSERT_EQ(list.query().conditions.size(), 1U);
    const ListCondition& condition = list.query().conditions[0];
    EXPECT_EQ(condition.expression, "p.color");
    EXPECT_EQ(condition.values, (std::vector<ListValue>{std::string("red"), std::string("green")}));
    EXPECT_EQ(condition.values_max, 3U);
    for (const char* odd : {"pink", "red,pink", "red,,green", ",", "RED", "red;green"})
        EXPECT_EQ(Asked().refusal<PaintListing>(std::string("color=") + odd), "filterInvalidValue") << odd;
    const auto refused = Asked().list<PaintListing>("color=pink");
    EXPECT_EQ(refused.error().data().at("filter").as_string(), "color");
}

TEST(List, FiltersOfEveryKind) {
    const auto list = Asked().list<PaintListing>("isDry=false&since=2026-11-20T11:03:07%2B02:00").value();
    EXPECT_EQ(list.filters().is_dry, false);
    EXPECT_EQ(to_iso8601(list.filters().since.value()), "2026-11-20T09:03:07.000Z");
    ASSERT_EQ(list.query().conditions.size(), 2U);
    EXPECT_EQ(list.query().conditions[0].values, (std::vector<ListValue>{false}));
    EXPECT_EQ(list.query().conditions[1].comparison, ListCondition::Comparison::at_least);
    for (const char* odd : {"isDry=1", "isDry=TRUE", "since=2026-11-20", "since=yesterday"})
        EXPECT_EQ(Asked().refusal<PaintListing>(odd), "filterInvalidValue") << odd;

    const std::string id = "01890000-0000-7000-8000-000000000001";
    const auto brushes = Asked().list<BrushListing>("owner=" + id + "&maker=A+%26+B&color=blue").value();
    EXPECT_EQ(brushes.filters().owner->text(), id);
    EXPECT_EQ(brushes.filters().maker, "A & B");
    EXPECT_EQ(brushes.filters().color, Color::blue);
    for (const std::string& odd : {std::string("owner=me"), std::string("maker=%00"), "maker=" + std::string(201, 'a'),
                                   std::string("color=red,blue")})
        EXPECT_EQ(Asked().refusal<BrushListing>(odd), "filterInvalidValue") << odd;
}

TEST(List, AnEmptyFilterIsNone) {
    EXPECT_TRUE(Asked().list<PaintListing>("color=&isDry=+&since=")->query().conditions.empty());
}

TEST(List, SearchIsTrimmedAndBounded) {
    const auto list = Asked().list<PaintListing>("search=+Sea+blue+").value();
    EXPECT_EQ(list.query().search, "Sea blue");
    EXPECT_EQ(list.query().search_expressions, (std::vector<std::string_view>{"p.name", "p.note"}));
    EXPECT_EQ(Asked().list<PaintListing>("search=++")->query().search, "");
    const auto key_of = [](const std::string& query) {
        Asked asked;
        (void)asked.list<PaintListing>(query);
        return asked.violations.empty() ? std::string() : asked.violations[0].key;
    };
    std::string keys;
    for (int i = 0; i < 100; ++i) keys += "%F0%9F%94%91";
    EXPECT_EQ(key_of("search=" + keys), "");
    EXPECT_EQ(key_of("search=" + keys + "a"), "maxLength");
    EXPECT_EQ(key_of("search=a%00b"), "isString");
    Asked asked;
    (void)asked.list<BrushListing>("search=a");
    EXPECT_EQ(asked.violations.at(0).key, "whitelistValidation");
}

TEST(List, ACursorIsBoundToListCallerPathAndConditions) {
    Asked asked;
    const std::string place = "0123456701234567abcdefgh";  // a sort value and an id
    asked.context.caller.user = Uuid::parse("01890000-0000-7000-8000-000000000001");
    asked.context.path_params = {{"shelfId", "7"}};
    const auto list = asked.list<BrushListing>("maker=A&cursor=" + place).value();
    EXPECT_EQ(asked.seal.seen_owner, "listThings\n01890000-0000-7000-8000-000000000001\n7");
    EXPECT_EQ(asked.seal.seen_conditions, "\n{\"maker\":\"A\"}\n");
    EXPECT_EQ(list.query().after->values, (std::vector<std::int64_t>{0x3031323334353637}));
    EXPECT_EQ(asked.refusal<BrushListing>("cursor=short"), "invalidCursorFormat");
}

TEST(List, APositionSurvivesItsCursor) {
    const ListPosition position{{-1, 0, INT64_MAX}, Uuid::v7(from_epoch_ms(1))};
    EXPECT_EQ(from_cursor_content(to_cursor_content(position), 3), position);
    EXPECT_FALSE(from_cursor_content(to_cursor_content(position), 2));
}

std::string page_of(const std::string& query, std::int64_t count) {
    ListSlice<int> slice;
    slice.count = count;
    return Asked().list<PaintListing>(query)->page(slice, [](int) { return std::string(); })->metadata;
}

TEST(List, TheFactsOfAPageByNumber) {
    EXPECT_EQ(page_of("", 0),
              R"(,"type":"offset","perPage":20,"count":0,"page":1,"totalPage":0,"hasNext":false,"hasPrevious":false,)"
              R"("orderBy":[],"availableSearch":["name","note"],"availableOrderBy":["createdAt","name"])");
    const std::string middle = page_of("page=2&perPage=10&search=a%22b&color=red&isDry=true&orderBy=name:asc", 21);
    EXPECT_TRUE(middle.contains(
        R"("count":21,"page":2,"totalPage":3,"nextPage":3,"previousPage":1,"hasNext":true,"hasPrevious":true,)"
        R"("search":"a\"b","filters":{"color":["red"],"isDry":true},"orderBy":[{"name":"asc"}],)"))
        << middle;
    EXPECT_TRUE(page_of("page=3&perPage=10", 21).contains(R"("totalPage":3,"previousPage":2,"hasNext":false)"));
    EXPECT_TRUE(page_of("page=20&perPage=1", 10'000).contains(R"("totalPage":10000,"previousPage":19,"hasNext":false)"))
        << "page 21 cannot be asked for";
}

TEST(List, ACursorThatCannotBeMadeIsTold) {
    Asked asked;
    asked.seal.next = std::string(257, 'A');
    const auto list = asked.list<BrushListing>("").value();
    ListSlice<int> slice{.items = {1}, .has_more = true, .count = {}, .end = ListPosition{{1}, {}}};
    const auto page = list.page(slice, [](int) { return std::string(); });
    EXPECT_EQ(page.error().kind().name, "failedToEncodeCursor");
}

}  // namespace
}  // namespace consentry::http
