#include "features/consent_log/entry.hpp"

#include <gtest/gtest.h>

namespace consentry {
namespace {

ConsentEntry some_entry() {
    ConsentEntry out{.action = ConsentAction::withdrawn, .is_late = true, .type = PolicyType::marketing};
    out.version = 0x01020304;
    out.language = Language::de;
    out.content.fill(0xC0);
    out.time = std::chrono::sys_seconds{std::chrono::seconds{1'772'357'400}};
    out.subject.fill(0x5B);
    out.addendum.fill(0xAD);
    return out;
}

// Written out by hand: the layout must not change under entries that exist.
TEST(ConsentEntry, HasItsLayoutForEver) {
    std::string expected =
        "01020103"
        "01020304"
        "6465"
        "0000000069a40718";
    for (int i = 0; i < 16; ++i) expected += "5b";
    for (int i = 0; i < 32; ++i) expected += "c0";
    for (int i = 0; i < 32; ++i) expected += "ad";
    const Bytes bytes = format_entry(some_entry());
    EXPECT_EQ(bytes.size(), consent_entry_bytes);
    EXPECT_EQ(to_hex(bytes), expected);
    const auto read = parse_entry(bytes);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, some_entry());
}

TEST(ConsentEntry, NumbersEveryTypeAndActionOnce) {
    for (const auto& [type, name] : EnumNames<PolicyType>::names)
        for (const auto& [action, action_name] : EnumNames<ConsentAction>::names)
            for (const bool is_late : {false, true}) {
                ConsentEntry entry = some_entry();
                entry.type = type;
                entry.action = action;
                entry.is_late = is_late;
                const auto read = parse_entry(format_entry(entry));
                ASSERT_TRUE(read) << name << ' ' << action_name;
                EXPECT_EQ(*read, entry) << name << ' ' << action_name;
            }
}

TEST(ConsentEntry, IsReadInOneSpellingOnly) {
    const Bytes good = format_entry(some_entry());
    const auto refuses = [](Bytes bytes) { return !parse_entry(bytes); };
    EXPECT_TRUE(refuses({}));
    EXPECT_TRUE(refuses(Bytes(good.begin(), good.end() - 1)));
    Bytes longer = good;
    longer.push_back(0);
    EXPECT_TRUE(refuses(longer));
    struct Change {
        std::size_t at;
        std::uint8_t value;
    };
    for (const auto [at, value] : {Change{0, 0}, Change{0, 2}, Change{1, 0}, Change{1, 3}, Change{2, 2}, Change{3, 0},
                                   Change{3, 5}, Change{8, 'D'}, Change{9, 'f'}, Change{10, 0x80}}) {
        Bytes changed = good;
        changed[at] = value;
        EXPECT_TRUE(refuses(changed)) << at << ": " << int{value};
    }
    // Any other change of a byte reads as another entry.
    for (std::size_t at = 4; at < good.size(); ++at) {
        Bytes changed = good;
        changed[at] ^= 1;
        const auto read = parse_entry(changed);
        if (read) {
            EXPECT_NE(*read, some_entry()) << at;
        }
    }
}

TEST(ConsentEntry, AddendumIsOneText) {
    AddendumSalt salt{};
    const auto id = AcceptanceId::parse("01956f3a-7c00-7d21-8a55-0242ac120002").value();
    const auto user = UserId::parse("01956f3a-7c00-7d21-8a55-0242ac120003").value();
    EXPECT_EQ(addendum_text({.acceptance = id, .user = user}, salt),
              R"({"acceptanceId":"01956f3a-7c00-7d21-8a55-0242ac120002","ipAddress":null,)"
              R"("salt":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","sessionId":null,"userAgent":null,)"
              R"("userId":"01956f3a-7c00-7d21-8a55-0242ac120003"})");
    const auto session = SessionId::parse("01956f3a-7c00-7d21-8a55-0242ac120004").value();
    EXPECT_EQ(addendum_text({.acceptance = id,
                             .user = user,
                             .session = session,
                             .ip_address = "2001:db8::1",
                             .user_agent = "a \"quoted\" agent"},
                            salt),
              R"({"acceptanceId":"01956f3a-7c00-7d21-8a55-0242ac120002","ipAddress":"2001:db8::1",)"
              R"("salt":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",)"
              R"("sessionId":"01956f3a-7c00-7d21-8a55-0242ac120004","userAgent":"a \"quoted\" agent",)"
              R"("userId":"01956f3a-7c00-7d21-8a55-0242ac120003"})");
}

ErasureEntry some_erasure() {
    ErasureEntry out{.time = std::chrono::sys_seconds{std::chrono::seconds{1'772'357'400}}};
    out.subject.fill(0x5B);
    return out;
}

PublicationEntry some_publication() {
    PublicationEntry out{.type = PolicyType::privacy, .is_material = false, .is_late = true, .version = 0x01020304};
    out.time = std::chrono::sys_seconds{std::chrono::seconds{1'772'357'400}};
    out.record.fill(0xC0);
    return out;
}

TEST(LogEntry, ErasuresAndPublicationsHaveTheirLayoutForEver) {
    std::string erasure = "020000000069a40718";
    for (int i = 0; i < 16; ++i) erasure += "5b";
    EXPECT_EQ(to_hex(format_entry(some_erasure())), erasure);
    EXPECT_EQ(format_entry(some_erasure()).size(), erasure_entry_bytes);
    std::string publication = "030203010203040000000069a40718";
    for (int i = 0; i < 32; ++i) publication += "c0";
    EXPECT_EQ(to_hex(format_entry(some_publication())), publication);
    EXPECT_EQ(format_entry(some_publication()).size(), publication_entry_bytes);
}

TEST(LogEntry, EachKindIsReadAsWhatItIs) {
    const LogEntry entries[] = {some_entry(), some_erasure(), some_publication()};
    for (const LogEntry& entry : entries) {
        const Bytes bytes = std::visit([](const auto& one) { return format_entry(one); }, entry);
        const auto read = parse_log_entry(bytes);
        ASSERT_TRUE(read) << read.error();
        EXPECT_EQ(*read, entry);
        Bytes longer = bytes;
        longer.push_back(0);
        EXPECT_FALSE(parse_log_entry(longer));
        EXPECT_FALSE(parse_log_entry(BytesView(bytes).first(bytes.size() - 1)));
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            Bytes changed = bytes;
            changed[at] ^= 0x80;
            const auto other = parse_log_entry(changed);
            EXPECT_TRUE(!other || *other != entry) << at;
        }
    }
    EXPECT_FALSE(parse_log_entry({}));
}

TEST(LogEntry, PublicationsTellTheirFlagsApart) {
    for (const bool is_material : {false, true})
        for (const bool is_late : {false, true}) {
            PublicationEntry entry = some_publication();
            entry.is_material = is_material;
            entry.is_late = is_late;
            const auto read = parse_log_entry(format_entry(entry));
            ASSERT_TRUE(read);
            EXPECT_EQ(std::get<PublicationEntry>(*read), entry);
        }
    Bytes unknown = format_entry(some_publication());
    unknown[2] = 4;
    EXPECT_FALSE(parse_log_entry(unknown));
}

}  // namespace
}  // namespace consentry
