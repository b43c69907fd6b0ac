// Consentry accepts only cursors that it issued within the last day for the same account, list and order (INP-9).
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include "app/app.hpp"
#include "base/bytes.hpp"
#include "tests/support/calls/paging_calls.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;

const std::string old_secret = "the old secret of cursors - long enough";
const std::string new_secret = "the new secret of cursors - long enough";

class INP_9 : public ::testing::Test {
protected:
    static Reader reader_with_four_sessions(Service& its_service) {
        Reader out(its_service);
        for (int i = 1; i <= 3; ++i) out.add_session(its_service.clock().now() - i * 1min);
        return out;
    }
    static std::string cursor_of(const Reader& who, const std::string& query = "perPage=2") {
        const Answer page = who.list(query);
        EXPECT_TRUE(page.boolean("metadata.hasNext")) << page.body;
        return page.text("metadata.nextCursor");
    }
    std::string cursor(const std::string& query = "perPage=2") const { return cursor_of(reader, query); }
    static std::string name_for(const Reader& who, const std::string& cursor, const std::string& more = {}) {
        const Answer answer = who.list("perPage=2&cursor=" + cursor + more);
        EXPECT_EQ(answer.status, 422U) << answer.body;
        return answer.code_name();
    }
    std::string name_for(const std::string& text, const std::string& more = {}) const {
        return name_for(reader, text, more);
    }

    Service& service = suite_service();
    Reader reader = reader_with_four_sessions(service);
};

TEST_F(INP_9, ACursorLeadsToTheNextPage) {
    const Answer first = reader.list("perPage=2");
    const Answer next = reader.list("perPage=2&cursor=" + first.text("metadata.nextCursor"));
    EXPECT_EQ(next.status, 200U) << next.body;
    auto ids = ids_of(first);
    for (const auto& id : ids_of(next)) ids.push_back(id);
    EXPECT_EQ(ids, ids_of(reader.list()));
    EXPECT_FALSE(next.boolean("metadata.hasNext"));
    EXPECT_FALSE(next.has("metadata.nextCursor"));
    const Answer rest = reader.list("perPage=50&cursor=" + cursor());
    EXPECT_EQ(ids_of(rest), ids_of(next)) << "the number of items may change on the way";
}

TEST_F(INP_9, ABlankCursorIsNone) {
    for (const char* blank : {"", "+", "%20%20"})
        EXPECT_EQ(ids_of(reader.list("cursor=" + std::string(blank))).size(), 4U) << blank;
}

TEST_F(INP_9, EveryFlippedBitIsNoticed) {
    Bytes bytes = from_base64url(cursor()).value();
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        const auto mask = static_cast<std::uint8_t>(1 << bit % 8);
        bytes[bit / 8] ^= mask;
        ASSERT_EQ(name_for(to_base64url(bytes)), "invalidCursorFormat") << "bit " << bit;
        bytes[bit / 8] ^= mask;
    }
    EXPECT_EQ(reader.list("perPage=2&cursor=" + to_base64url(bytes)).status, 200U);
}

TEST_F(INP_9, EveryCutAndEveryAdditionIsNoticed) {
    const std::string whole = cursor();
    for (std::size_t length = 1; length < whole.size(); ++length)
        ASSERT_EQ(name_for(whole.substr(0, length)), "invalidCursorFormat") << length;
    for (const char* more : {"A", "AA", "AAAA", "_"}) EXPECT_EQ(name_for(whole + more), "invalidCursorFormat") << more;
    EXPECT_EQ(name_for(whole.substr(1) + whole[0]), "invalidCursorFormat");
}

TEST_F(INP_9, ACursorHasAFormAndALength) {
    EXPECT_EQ(name_for(std::string(256, 'A')), "invalidCursorFormat");
    EXPECT_EQ(name_for(std::string(257, 'A')), "cursorTooLong");
    EXPECT_EQ(name_for(std::string(7'000, '!')), "cursorTooLong");
    for (const char* odd : {"A%3D", "A%2B", "A%2F", "A.B", "A%20B", "A%00", "%C3%A4", "%27", "A%0A"})
        EXPECT_EQ(name_for(odd), "invalidCursorFormat") << odd;
    EXPECT_EQ(reader.list("cursor=" + std::string(10'000, 'A')).status, 414U);
    try {
        EXPECT_EQ(reader.list("cursor=" + std::string(10'000'000, 'A')).status, 414U);
    } catch (const boost::system::system_error&) {
        // The server closed the connection before the whole request was sent.
    }
    EXPECT_LE(cursor("perPage=1&orderBy=updatedAt:asc&orderBy=createdAt:desc").size(), 256U);
}

TEST_F(INP_9, ACursorTellsNothingAndIsNeverTheSame) {
    const std::string one = cursor();
    const std::string bytes(as_text(from_base64url(one).value()));
    const Answer page = reader.list("perPage=2");
    const auto last = SessionId::parse(ids_of(page).back()).value();
    EXPECT_FALSE(bytes.contains(as_text(last.uuid().bytes())));
    EXPECT_NE(one, page.text("metadata.nextCursor"));
}

TEST_F(INP_9, ACursorIsBoundToItsAccount) {
    const Reader other(service);
    EXPECT_EQ(name_for(other, cursor()), "invalidCursorFormat");
}

TEST_F(INP_9, AnotherOrderIsDistinguishedFromAForgery) {
    const std::string by_default = cursor();
    EXPECT_EQ(name_for(by_default, "&orderBy=createdAt:asc"), "paginationConditionsChanged");
    EXPECT_EQ(name_for(by_default, "&orderBy=updatedAt:desc&orderBy=createdAt:desc"), "paginationConditionsChanged");
    const Answer answer = reader.list("cursor=" + by_default + "&orderBy=updatedAt:desc");
    EXPECT_EQ(answer.number("statusCode"), 5023);
    const std::string ordered = cursor("perPage=2&orderBy=createdAt:asc");
    EXPECT_EQ(name_for(ordered), "paginationConditionsChanged");
    EXPECT_EQ(reader.list("orderBy=createdAt:ASC&cursor=" + ordered).status, 200U) << "the same, written otherwise";
}

TEST_F(INP_9, ACursorIsGoodForADay) {
    const std::string mark = cursor();
    const auto name_later = [&](milliseconds wait) {
        service.pass(wait);
        const auto tokens = service.tokens_of(reader.person());
        return service.get(std::string(session_list) + "?cursor=" + mark, bearer(tokens.access));
    };
    EXPECT_EQ(name_later(24h).status, 200U);
    EXPECT_EQ(name_later(1ms).code_name(), "invalidCursorFormat");
}

TEST_F(INP_9, AFormerSecretOpensAsLongAsItIsListed) {
    Service own({{"APP_ENCRYPTION_SECRET_KEY", old_secret}});
    const Reader reader_of_own = reader_with_four_sessions(own);
    const std::string mark = cursor_of(reader_of_own);
    own.restart({{"APP_ENCRYPTION_SECRET_KEY", new_secret + "," + old_secret}});
    EXPECT_EQ(reader_of_own.list("cursor=" + mark).status, 200U);
    const std::string newer = cursor_of(reader_of_own);
    own.restart({{"APP_ENCRYPTION_SECRET_KEY", new_secret}});
    EXPECT_EQ(name_for(reader_of_own, mark), "invalidCursorFormat");
    EXPECT_EQ(reader_of_own.list("cursor=" + newer).status, 200U);
}

TEST_F(INP_9, AContentThatIsNoPlaceIsRefused) {
    const std::string owner = "listSessions\n" + reader.person().id.text();
    const auto& seal = service.app().services().cursors;
    for (const std::size_t size : {0U, 16U, 23U, 25U, 32U})
        EXPECT_EQ(name_for(seal.seal(std::string(size, 'x'), owner, "\n{}\n")), "invalidCursorFormat") << size;
    EXPECT_EQ(reader.list("cursor=" + seal.seal(std::string(24, 'x'), owner, "\n{}\n")).status, 200U);
    EXPECT_EQ(name_for(seal.seal(std::string(24, 'x'), "otherList\n" + reader.person().id.text(), "\n{}\n")),
              "invalidCursorFormat");
}

TEST(INP_9_Secret, TwoInstallationsShareNone) {
    Service one;
    Service other;
    EXPECT_NE(one.app().services().config.encryption.secrets, other.app().services().config.encryption.secrets);
    const auto kept = one.app().services().config.encryption.secrets;
    one.restart();
    EXPECT_EQ(one.app().services().config.encryption.secrets, kept) << "kept with the data";
}

}  // namespace
}  // namespace consentry::tests
