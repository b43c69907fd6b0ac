#include "storage/columns.hpp"

#include <gmock/gmock.h>

namespace consentry::storage {
namespace {

using ::testing::ElementsAre;

struct Lock {
    TimePoint begun;
    std::optional<TimePoint> end;
};

struct Key {
    SessionId id;
    Bytes digest;
};

struct Account {
    UserId id;
    std::string email;
    std::optional<std::string> name;
    bool is_verified = false;
    bool deleted = false;
    std::size_t tags = 0;
    std::optional<Lock> lock;
    Key key;
    std::int64_t attempts = 0;
};

std::size_t count_tags(const std::string& text) {
    return text.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(text, ','));
}

constexpr auto lock_columns = columns<Lock>(column<"locked_at", &Lock::begun>, column<"locked_until", &Lock::end>);
constexpr auto key_columns = columns<Key>(column<"k.id", &Key::id>, column<"k.digest", &Key::digest>);
constexpr auto account_columns =
    columns<Account>(column<"u.id", &Account::id>, column<"email", &Account::email>, column<"name", &Account::name>,
                     column<"is_verified", &Account::is_verified>, column<"deleted_at", &Account::deleted, is_set>,
                     unread<"note">, column<"tags", &Account::tags, count_tags>, part<&Account::lock, lock_columns>,
                     part<&Account::key, key_columns>, column<"COALESCE(attempts, 0)", &Account::attempts>);

const std::string user = "00000000-0000-7000-8000-000000000001";
const std::string session = "00000000-0000-7000-8000-000000000002";

// Two rows with one more column than the table describes. The second row has no lock.
Rows sample() {
    return {13,
            {user,
             std::string("a@b"),
             std::string("Ada"),
             true,
             std::int64_t{5},
             std::int64_t{9},
             std::string("x,y"),
             std::int64_t{1'000},
             std::monostate{},
             session,
             Bytes{7},
             std::int64_t{3},
             std::string("behind"),
             user,
             std::string("c@d"),
             std::monostate{},
             std::int64_t{0},
             std::monostate{},
             std::monostate{},
             std::string(),
             std::monostate{},
             std::monostate{},
             session,
             Bytes{},
             std::int64_t{0},
             std::monostate{}},
            0};
}

TEST(Columns, ListThemselvesInTheirOrder) {
    constexpr std::string_view list =
        "u.id, email, name, is_verified, deleted_at, note, tags, locked_at, locked_until, k.id, k.digest, "
        "COALESCE(attempts, 0)";
    EXPECT_EQ(account_columns.list(), list);
    EXPECT_EQ((sql<"SELECT ", account_columns, " FROM users u">), "SELECT " + std::string(list) + " FROM users u");
}

TEST(Columns, ReadARow) {
    const Account read = account_columns.read(sample()[0]);
    EXPECT_EQ(read.id.text(), user);
    EXPECT_EQ(read.email, "a@b");
    EXPECT_EQ(read.name, "Ada");
    EXPECT_TRUE(read.is_verified);
    EXPECT_TRUE(read.deleted);
    EXPECT_EQ(read.tags, 2u);
    ASSERT_TRUE(read.lock);
    EXPECT_EQ(read.lock->begun, from_epoch_ms(1'000));
    EXPECT_EQ(read.lock->end, std::nullopt);
    EXPECT_EQ(read.key.id.text(), session);
    EXPECT_EQ(read.key.digest, Bytes{7});
    EXPECT_EQ(read.attempts, 3);
}

TEST(Columns, ReadNullsAsNothing) {
    const Account read = account_columns.read(sample()[1]);
    EXPECT_EQ(read.name, std::nullopt);
    EXPECT_FALSE(read.deleted);
    EXPECT_EQ(read.tags, 0u);
    EXPECT_FALSE(read.lock);
}

TEST(Columns, RefuseWhatIsPartlyThere) {
    // An end of a lock without its start.
    const Rows rows(2, {std::monostate{}, std::int64_t{2'000}}, 0);
    struct Holder {
        std::optional<Lock> lock;
    };
    constexpr auto holder_columns = columns<Holder>(part<&Holder::lock, lock_columns>);
    EXPECT_THROW(holder_columns.read(rows[0]), std::logic_error);
    EXPECT_THROW(lock_columns.read(Rows(1, {std::int64_t{1}}, 0)[0]), std::logic_error);
}

TEST(Columns, ReadTheFirstRowOrAll) {
    EXPECT_EQ(account_columns.read_first(Rows{}), std::nullopt);
    EXPECT_EQ(account_columns.read_first(sample())->email, "a@b");
    std::vector<std::string> emails;
    for (const Account& account : account_columns.read_all(sample())) emails.push_back(account.email);
    EXPECT_THAT(emails, ElementsAre("a@b", "c@d"));
    EXPECT_TRUE(account_columns.read_all(Rows{}).empty());
}

}  // namespace
}  // namespace consentry::storage
