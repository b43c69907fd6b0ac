#include "crypto/argon2/encoded.hpp"

#include <string>

#include <gtest/gtest.h>

namespace consentry::crypto::argon2 {
namespace {

const std::string salt = "c29tZXNhbHRzb21lc2FsdA";
const std::string tag = "nrbVveCyOJGsLPFme+VHTcq3tyr7ER9/kJoJsVK6sUo";

TEST(Argon2Text, SaysWhatItRead) {
    for (const std::string type : {"argon2d", "argon2i", "argon2id"}) {
        const std::string text = "$" + type + "$v=19$m=4294967295,t=2,p=10$" + salt + "$" + tag;
        const auto read = decode(text);
        ASSERT_TRUE(read) << type;
        EXPECT_EQ(read->parameters.memory_kib, 4'294'967'295U);
        EXPECT_EQ(read->parameters.passes, 2U);
        EXPECT_EQ(read->parameters.lanes, 10U);
        EXPECT_EQ(as_text(read->salt), "somesaltsomesalt");
        EXPECT_EQ(read->tag.size(), 32U);
        EXPECT_EQ(encode(*read), text);
    }
    const auto read = decode("$argon2id$v=19$m=8,t=1,p=1$$");
    ASSERT_TRUE(read) << "sizes are for the caller to judge";
    EXPECT_TRUE(read->salt.empty());
}

TEST(Argon2Text, CostsMayStandInAnyOrder) {
    for (const std::string costs :
         {"m=64,t=3,p=2", "m=64,p=2,t=3", "t=3,m=64,p=2", "t=3,p=2,m=64", "p=2,m=64,t=3", "p=2,t=3,m=64"}) {
        const auto read = decode("$argon2id$v=19$" + costs + "$" + salt + "$" + tag);
        ASSERT_TRUE(read) << costs;
        EXPECT_EQ(read->parameters, (Parameters{.memory_kib = 64, .passes = 3, .lanes = 2})) << costs;
        EXPECT_EQ(encode(*read), "$argon2id$v=19$m=64,t=3,p=2$" + salt + "$" + tag);
    }
}

TEST(Argon2Text, RefusesEverySecondSpelling) {
    const std::string rest = "$" + salt + "$" + tag;
    for (const std::string& text : {
             std::string(),
             std::string("$"),
             std::string("$argon2id"),
             "$argon2id$v=19$m=64,t=3,p=2" + rest + "$",
             "argon2id$v=19$m=64,t=3,p=2" + rest,
             " $argon2id$v=19$m=64,t=3,p=2" + rest,
             "x$argon2id$v=19$m=64,t=3,p=2" + rest,
             "$argon2$v=19$m=64,t=3,p=2" + rest,
             "$Argon2id$v=19$m=64,t=3,p=2" + rest,
             "$argon2id$m=64,t=3,p=2" + rest,  // version 16, before RFC 9106
             "$argon2id$v=16$m=64,t=3,p=2" + rest,
             "$argon2id$v=019$m=64,t=3,p=2" + rest,
             "$argon2id$v=19$m=064,t=3,p=2" + rest,
             "$argon2id$v=19$m=+64,t=3,p=2" + rest,
             "$argon2id$v=19$m=-64,t=3,p=2" + rest,
             "$argon2id$v=19$m= 64,t=3,p=2" + rest,
             "$argon2id$v=19$m=64 ,t=3,p=2" + rest,
             "$argon2id$v=19$m=0x40,t=3,p=2" + rest,
             "$argon2id$v=19$m=,t=3,p=2" + rest,
             "$argon2id$v=19$m=4294967296,t=3,p=2" + rest,
             "$argon2id$v=19$m=64,t=3" + rest,
             "$argon2id$v=19$m=64,t=3,p=2,p=2" + rest,
             "$argon2id$v=19$m=64,t=3,t=3" + rest,
             "$argon2id$v=19$m=64,t=3,p=2," + rest,
             "$argon2id$v=19$m=64,t=3,p=2,keyid=Zm9v" + rest,
             "$argon2id$v=19$m=64,t=3,q=2" + rest,
             "$argon2id$v=19$M=64,t=3,p=2" + rest,
             "$argon2id$v=19$m=64,t=3,p=2$" + salt + "==$" + tag,
             "$argon2id$v=19$m=64,t=3,p=2$" + salt + "$" + tag + "=",
             "$argon2id$v=19$m=64,t=3,p=2$c29tZXNhbHRzb21lc2FsdB$" + tag,  // unused bits
             "$argon2id$v=19$m=64,t=3,p=2$" + salt + "$nrbVveCyOJGsLPFme.VHTcq3tyr7ER9/kJoJsVK6sUo",
             "$argon2id$v=19$m=64,t=3,p=2$" + salt + "$nrbVveCyOJGsLPFme-VHTcq3tyr7ER9_kJoJsVK6sUo",
             "$argon2id$v=19$m=64,t=3,p=2$" + salt + "\n$" + tag,
             "$argon2id$v=19$m=64,t=3,p=2" + rest + std::string(1, '\0'),
         })
        EXPECT_FALSE(decode(text)) << text;
}

}  // namespace
}  // namespace consentry::crypto::argon2
