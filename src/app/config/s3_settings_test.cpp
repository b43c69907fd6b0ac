#include <gmock/gmock.h>

#include "app/config/read_config.hpp"

namespace consentry {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const Environment complete{{"STORAGE_URL", "s3://files.example.com:9000?style=virtual&ca_file=/etc/ca.pem"},
                           {"AWS_S3_IAM_CREDENTIAL_KEY", "AKIAIOSFODNN7EXAMPLE"},
                           {"AWS_S3_IAM_CREDENTIAL_SECRET", "hunter2/hunter2+hunter2="},
                           {"AWS_S3_PRIVATE_BUCKET", "drafts"},
                           {"AWS_S3_PUBLIC_BUCKET", "published"}};

Environment with(const std::string& name, const std::string& value) {
    Environment environment = complete;
    environment[name] = value;
    return environment;
}
std::vector<std::string> s3_problem_names(const Environment& environment) {
    std::vector<std::string> names;
    if (const auto config = read_config(environment); !config)
        for (const ConfigProblem& problem : config.error()) {
            names.push_back(problem.setting);
            EXPECT_THAT(problem.text, Not(HasSubstr("hunter2")));
        }
    return names;
}

TEST(S3Settings, AreRead) {
    const auto config = read_config(complete);
    ASSERT_TRUE(config);
    const S3Config& s3 = config->storage.s3;
    EXPECT_EQ(config->storage.url, complete.at("STORAGE_URL"));
    EXPECT_EQ(s3.access_key, "AKIAIOSFODNN7EXAMPLE");
    EXPECT_EQ(s3.secret, "hunter2/hunter2+hunter2=");
    EXPECT_EQ(s3.region, "us-east-1");
    EXPECT_EQ(s3.private_bucket, "drafts");
    EXPECT_EQ(s3.public_bucket, "published");
    EXPECT_EQ(s3.public_url, "");
    EXPECT_EQ(s3.attempts_max, 3);
    EXPECT_EQ(s3.timeout, milliseconds{30'000});
}

TEST(S3Settings, ThePublicAddressIsAHostOrAWholeAddress) {
    for (const auto* given : {"cdn.example.com", "https://cdn.example.com", "https://cdn.example.com/"})
        EXPECT_EQ(read_config(with("AWS_S3_PUBLIC_CDN", given))->storage.s3.public_url, "https://cdn.example.com");
    EXPECT_EQ(read_config(with("AWS_S3_PUBLIC_CDN", "http://127.0.0.1:9000/a"))->storage.s3.public_url,
              "http://127.0.0.1:9000/a");
    for (const auto* given : {"https://", "ftp://a.example", "https://user:hunter2@a.example", "a.example?b=c", "a b"})
        EXPECT_THAT(s3_problem_names(with("AWS_S3_PUBLIC_CDN", given)), ElementsAre("AWS_S3_PUBLIC_CDN")) << given;
}

TEST(S3Settings, OPS_2_WhatIsMissingIsNamedAllAtOnce) {
    EXPECT_THAT(s3_problem_names({{"STORAGE_URL", "s3:"}}),
                UnorderedElementsAre("AWS_S3_IAM_CREDENTIAL_KEY", "AWS_S3_IAM_CREDENTIAL_SECRET",
                                     "AWS_S3_PRIVATE_BUCKET", "AWS_S3_PUBLIC_BUCKET"));
    EXPECT_THAT(s3_problem_names({}), IsEmpty());
    EXPECT_THAT(s3_problem_names(with("AWS_S3_PUBLIC_BUCKET", "drafts")), ElementsAre("AWS_S3_PUBLIC_BUCKET"));
}

TEST(S3Settings, OPS_2_WhatIsMalformedIsRefused) {
    for (const auto& [name, value] : Environment{{"STORAGE_URL", "s3://key:hunter2@files.example.com"},
                                                 {"AWS_S3_IAM_CREDENTIAL_KEY", "hunter2/hunter2"},
                                                 {"AWS_S3_IAM_CREDENTIAL_SECRET", "hunter2 hunter2"},
                                                 {"AWS_S3_REGION", "eu/central"},
                                                 {"AWS_S3_PRIVATE_BUCKET", "Drafts"},
                                                 {"AWS_S3_PUBLIC_BUCKET", "published/terms"},
                                                 {"AWS_S3_MAX_ATTEMPTS", "0"},
                                                 {"AWS_S3_TIMEOUT_IN_MS", "50001"}})
        EXPECT_THAT(s3_problem_names(with(name, value)), ElementsAre(name));
}

TEST(S3Settings, OPS_2_TheSecretIsNotPrinted) {
    EXPECT_THAT(print_config(complete),
                AllOf(HasSubstr("AWS_S3_IAM_CREDENTIAL_SECRET=***"), Not(HasSubstr("hunter2"))));
}

}  // namespace
}  // namespace consentry
