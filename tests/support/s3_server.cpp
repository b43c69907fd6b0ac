#include "tests/support/s3_server.hpp"

#include <stdexcept>

#include "base/uuid.hpp"
#include "tests/support/files.hpp"

namespace consentry::tests {
namespace {

using storage::s3::Call;

std::string_view name_of(S3Kind kind) { return kind == S3Kind::rgw ? "rgw" : "swift"; }

std::uint16_t port(const NamedValues& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::uint16_t{0} : static_cast<std::uint16_t>(std::stoul(found->second));
}

S3Server read(S3Kind kind) {
    const std::string path = std::string(CONSENTRY_S3_SERVERS "/") + std::string(name_of(kind)) + ".values";
    auto values = named_values(text_in(path));
    if (!values.contains("S3_PORT"))
        throw std::runtime_error("The S3 servers do not run: script/test starts them, for ctest as well (there is no " +
                                 path + ").");
    return {.kind = kind,
            .port = port(values, "S3_PORT"),
            .tls_port = port(values, "S3_TLS_PORT"),
            .access_key = values["S3_KEY"],
            .secret = values["S3_SECRET"],
            .region = values["S3_REGION"],
            .ca_file = values["S3_CA"],
            .untrusted_ca_file = values["S3_UNTRUSTED_CA"]};
}

void send(S3Kind kind, Call call) {
    const SystemClock clock;
    const auto options = shared_s3(kind).options();
    call.request.method = "PUT";
    call.request.host = options.server.host;
    const auto response =
        storage::s3::Client(options, clock).send(call, std::chrono::steady_clock::now() + std::chrono::seconds{20});
    if (response.status / 100 != 2) throw std::runtime_error(storage::s3::description(response));
}

}  // namespace

void PrintTo(S3Kind kind, std::ostream* out) { *out << name_of(kind); }

storage::S3Options S3Server::options() const {
    return {.server = {.host = "127.0.0.1:" + std::to_string(port), .buckets_by_host = false, .tls = false},
            .region = region,
            .access_key = access_key,
            .secret = secret,
            .private_bucket = "drafts",
            .public_bucket = "published"};
}

NamedValues S3Server::settings() const {
    return {{"STORAGE_URL", "s3://127.0.0.1:" + std::to_string(port) + "?tls=none"},
            {"AWS_S3_IAM_CREDENTIAL_KEY", access_key},
            {"AWS_S3_IAM_CREDENTIAL_SECRET", secret},
            {"AWS_S3_REGION", region},
            {"AWS_S3_PRIVATE_BUCKET", "drafts"},
            {"AWS_S3_PUBLIC_BUCKET", "published"}};
}

const S3Server& shared_s3(S3Kind kind) {
    static const S3Server rgw = read(S3Kind::rgw);
    static const S3Server swift = read(S3Kind::swift);
    return kind == S3Kind::rgw ? rgw : swift;
}

std::string make_bucket(S3Kind kind, Strangers strangers) {
    const std::string name = "b-" + Uuid::v7(SystemClock().now()).text();
    send(kind, {.request = {.path = '/' + name}});
    if (strangers == Strangers::may_nothing) return name;
    if (kind == S3Kind::rgw)
        set_policy(name, R"("Effect":"Allow","Action":"s3:GetObject")");
    else
        send(kind,
             {.request = {.path = '/' + name, .query = {{"acl", ""}}, .headers = {{"x-amz-acl", "public-read"}}}});
    return name;
}

void set_policy(const std::string& bucket, std::string_view statement) {
    const std::string resource = "arn:aws:s3:::" + bucket;
    std::string policy = R"({"Version":"2012-10-17","Statement":[{"Principal":"*","Resource":[")" + resource +
                         R"(",")" + resource + R"(/*"],)";
    policy.append(statement).append("}]}");
    send(S3Kind::rgw, {.request = {.path = '/' + bucket, .query = {{"policy", ""}}}, .body = std::move(policy)});
}

}  // namespace consentry::tests
