#include "features/administration_log/entry.hpp"

#include <set>

#include <gmock/gmock.h>

namespace consentry {
namespace {

using ::testing::HasSubstr;

ActEntry sample() {
    ActEntry out{.code = 0x0102, .is_late = true, .time = std::chrono::sys_seconds{std::chrono::seconds{0x01020304}}};
    out.actor.fill(0xAA);
    out.subject.fill(0xBB);
    out.addendum.fill(0xCC);
    return out;
}

TEST(ActEntry, HasAFixedLayout) {
    const std::string tags = std::string(32, 'a') + std::string(32, 'b') + std::string(64, 'c');
    EXPECT_EQ(to_hex(format_entry(sample())), "040101020000000001020304" + tags);
    EXPECT_EQ(format_entry(sample()).size(), act_entry_bytes);
    EXPECT_EQ(parse_act_entry(format_entry(sample())), sample());
    EXPECT_THROW(format_entry(ActEntry{}), std::logic_error) << "code 0";
}

TEST(ActEntry, RefusesEverythingElse) {
    const Bytes good = format_entry(sample());
    const auto refused = [&](std::size_t place, std::uint8_t value) {
        Bytes bytes = good;
        bytes[place] = value;
        const auto read = parse_act_entry(bytes);
        return read ? std::string() : read.error();
    };
    EXPECT_THAT(refused(0, 3), HasSubstr("layout"));
    EXPECT_THAT(refused(1, 2), HasSubstr("flags"));
    EXPECT_THAT(refused(4, 0x80), HasSubstr("time"));
    Bytes no_act = good;
    no_act[2] = no_act[3] = 0;
    EXPECT_FALSE(parse_act_entry(no_act));
    for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(parse_act_entry(BytesView(good).first(size)));
    Bytes longer = good;
    longer.push_back(0);
    EXPECT_FALSE(parse_act_entry(longer));
}

TEST(ActEntry, TheAddendumIsAllThatIsKnown) {
    const Act act{.id = ActId::parse("018f0000-0000-7000-8000-000000000001").value(),
                  .code = 2,
                  .actor = UserId::parse("018f0000-0000-7000-8000-000000000002"),
                  .subject = UserId::parse("018f0000-0000-7000-8000-000000000003"),
                  .ip_address = "203.0.113.7",
                  .user_agent = {},
                  .metadata = R"({"from":"active"})",
                  .at = from_epoch_ms(1'700'000'000'123)};
    EXPECT_EQ(addendum_text(act, AddendumSalt{}),
              R"({"actId":"018f0000-0000-7000-8000-000000000001","action":"adminUserUpdateStatus",)"
              R"("actorId":"018f0000-0000-7000-8000-000000000002","at":1700000000123,"ipAddress":"203.0.113.7",)"
              R"("metadata":"{\"from\":\"active\"}","salt":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",)"
              R"("subjectId":"018f0000-0000-7000-8000-000000000003","userAgent":null})");
}

// Entries are forever: a number never gets another meaning. New acts take the next number.
TEST(Acts, HaveStableNumbers) {
    const std::vector<std::pair<std::int64_t, std::string>> pinned{{1, "adminUserCreate"},
                                                                   {2, "adminUserUpdateStatus"},
                                                                   {3, "adminUserUpdateRole"},
                                                                   {4, "adminUserUpdatePassword"},
                                                                   {5, "adminUserResetTwoFactor"},
                                                                   {6, "adminUserExport"},
                                                                   {7, "adminUserImport"},
                                                                   {8, "adminSessionRevoke"},
                                                                   {9, "adminRoleCreate"},
                                                                   {10, "adminRoleUpdate"},
                                                                   {11, "adminRoleDelete"},
                                                                   {12, "adminApiKeyCreate"},
                                                                   {13, "adminApiKeyReset"},
                                                                   {14, "adminApiKeyUpdate"},
                                                                   {15, "adminApiKeyUpdateDate"},
                                                                   {16, "adminApiKeyUpdateStatus"},
                                                                   {17, "adminApiKeyDelete"},
                                                                   {18, "adminTermPolicyCreate"},
                                                                   {19, "adminTermPolicyAddContent"},
                                                                   {20, "adminTermPolicyUpdateContent"},
                                                                   {21, "adminTermPolicyRemoveContent"},
                                                                   {22, "adminTermPolicyPublish"},
                                                                   {23, "adminTermPolicyDelete"},
                                                                   {24, "adminFeatureFlagUpdate"},
                                                                   {25, "adminEpochRaise"},
                                                                   {26, "userChangePassword"},
                                                                   {27, "userResetPassword"},
                                                                   {28, "userEnableTwoFactor"},
                                                                   {29, "userDisableTwoFactor"},
                                                                   {30, "userRegenerateTwoFactorBackupCodes"},
                                                                   {31, "userJoinGoogle"},
                                                                   {32, "userJoinApple"},
                                                                   {33, "userDeleteSelf"},
                                                                   {34, "adminConsentExport"},
                                                                   {35, "adminKeysRotate"},
                                                                   {36, "adminUserUnlock"},
                                                                   {37, "adminUserDelete"},
                                                                   {38, "adminUserUnlinkIdentity"},
                                                                   {39, "adminTermPolicyUpdateProcessing"}};
    ASSERT_EQ(pinned.size(), act_codes.size());
    for (const auto& [code, name] : pinned) EXPECT_EQ(act_name(code), name);
    EXPECT_EQ(act_name(999), "act 999");
}

// No act of an administrator can be forgotten: every action of one has a number.
TEST(Acts, AreAllActionsOfAdministrators) {
    std::set<std::int64_t> codes;
    for (const auto& [action, name] : EnumNames<ActivityAction>::names) {
        if (name.starts_with("admin")) EXPECT_TRUE(act_code(action)) << name;
        if (const auto code = act_code(action)) EXPECT_TRUE(codes.insert(*code).second) << name;
    }
    EXPECT_EQ(codes.size(), act_codes.size());
}

}  // namespace
}  // namespace consentry
