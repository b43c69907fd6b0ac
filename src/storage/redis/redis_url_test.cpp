#include "storage/redis/redis_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace consentry::storage {
namespace {

using Addresses = std::vector<RedisAddress>;

RedisOptions parsed(std::string_view url) {
    auto out = parse_redis_url(url);
    if (!out) ADD_FAILURE() << url << ": " << out.error();
    return out.value_or(RedisOptions{});
}

TEST(RedisUrl, OneServer) {
    const RedisOptions plain = parsed("redis://cache.example");
    EXPECT_EQ(plain.kind, RedisKind::single);
    EXPECT_FALSE(plain.tls);
    EXPECT_EQ(plain.addresses, (Addresses{{"cache.example", 6379}}));
    EXPECT_EQ(plain.db, 0u);
    EXPECT_EQ(plain.credentials.password, "");

    const RedisOptions full = parsed("rediss://us%3Aer:p%40ss%2F@127.0.0.1:7000/12?ca_file=/etc/ca%20x.pem");
    EXPECT_TRUE(full.tls);
    EXPECT_EQ(full.addresses, (Addresses{{"127.0.0.1", 7000}}));
    EXPECT_EQ(full.db, 12u);
    EXPECT_EQ(full.credentials.user, "us:er");
    EXPECT_EQ(full.credentials.password, "p@ss/");
    EXPECT_EQ(full.ca_file, "/etc/ca x.pem");
}

TEST(RedisUrl, APasswordWithoutAUser) {
    const RedisOptions options = parsed("redis://:secret:with:colons@h/");
    EXPECT_EQ(options.credentials.user, "");
    EXPECT_EQ(options.credentials.password, "secret:with:colons");
}

TEST(RedisUrl, AddressesOfVersionSix) {
    const RedisOptions options = parsed("redis+cluster://[::1]:7000,[fe80::2]");
    EXPECT_EQ(options.addresses, (Addresses{{"::1", 7000}, {"fe80::2", 6379}}));
    EXPECT_EQ(options.addresses[0].text(), "[::1]:7000");
}

TEST(RedisUrl, Sentinels) {
    const RedisOptions options = parsed("redis+sentinel://u:p@a,b:1,c/my%20app/3");
    EXPECT_EQ(options.kind, RedisKind::sentinel);
    EXPECT_EQ(options.addresses, (Addresses{{"a", 26379}, {"b", 1}, {"c", 26379}}));
    EXPECT_EQ(options.master_name, "my app");
    EXPECT_EQ(options.db, 3u);
    EXPECT_EQ(options.sentinel_credentials.user, "u");
    EXPECT_EQ(options.sentinel_credentials.password, "p");

    const RedisOptions other = parsed("rediss+sentinel://u:p@a/app?sentinel_user=s&sentinel_password=%26");
    EXPECT_TRUE(other.tls);
    EXPECT_EQ(other.credentials.password, "p");
    EXPECT_EQ(other.sentinel_credentials.user, "s");
    EXPECT_EQ(other.sentinel_credentials.password, "&");
    EXPECT_EQ(parsed("redis+sentinel://u:p@a/app?sentinel_user=&sentinel_password=").sentinel_credentials.password, "");
}

TEST(RedisUrl, AClientCertificate) {
    const RedisOptions options = parsed("rediss+cluster://a,b?cert_file=c.pem&key_file=k.pem");
    EXPECT_EQ(options.kind, RedisKind::cluster);
    EXPECT_EQ(options.cert_file, "c.pem");
    EXPECT_EQ(options.key_file, "k.pem");
}

TEST(RedisUrl, RefusalsRepeatNothingOfIt) {
    using ::testing::HasSubstr;
    using ::testing::Not;
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"", "begin with"},
        {"sEcRet", "begin with"},
        {"http://sEcRet@h", "begin with"},
        {"redis://", "host"},
        {"redis://:sEcRet@", "host"},
        {"redis://sEcRet@h", "user without a password"},
        {"redis://:sEc%Ret@h", "percent-encode"},
        {"redis://:sEc/Ret@h", "percent-encode"},
        {"redis://u:sEc/Ret@h", "port"},
        {"redis://:a#sEcRet@h", "fragment"},
        {"redis://:a?sEcRet@h", "percent-encode"},
        {"redis://h:0", "port"},
        {"redis://h:65536", "port"},
        {"redis://h:sEcRet", "port"},
        {"redis://[::1", "bracket"},
        {"redis://[sEcRet]", "IPv6"},
        {"redis://[::1]sEcRet", "port"},
        {"redis://h/sEcRet", "database"},
        {"redis://h/-1", "database"},
        {"redis://a,b", "several hosts"},
        {"redis+cluster://a,,b", "host"},
        {"redis+cluster://a,b/1", "numbered databases"},
        {"redis+sentinel://a,b", "master name"},
        {"redis+sentinel://a,b/app/sEcRet", "database"},
        {"redis://h?sEcRet=1", "unknown parameter"},
        {"redis://h?ca_file=sEcRet", "TLS"},
        {"redis://h?sentinel_user=sEcRet", "sentinel"},
        {"rediss://h?cert_file=sEcRet", "together"},
        {"redis+sentinel://h/app?sentinel_user=sEcRet", "sentinel_password"},
    };
    for (const auto& [url, says] : cases) {
        const auto refused = parse_redis_url(url);
        ASSERT_FALSE(refused) << url;
        EXPECT_THAT(refused.error(), HasSubstr(says)) << url;
        EXPECT_THAT(refused.error(), Not(HasSubstr("sEc"))) << url;
        EXPECT_THAT(refused.error(), Not(HasSubstr("Ret"))) << url;
    }
}

}  // namespace
}  // namespace consentry::storage
