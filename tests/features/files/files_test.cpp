// Tests how the service itself delivers and accepts the files of the folder (DOC-1, DOC-2, DOC-9).
#include <gmock/gmock.h>

#include "app/app.hpp"
#include "tests/support/log_support.hpp"
#include "tests/support/raw_http.hpp"
#include "tests/support/run.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using storage::Area;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* mime = "text/x-handlebars-template";
const std::string draft = "<h1>{{title}}</h1>{{constructor.constructor 'return process'}}<script>alert(1)</script>";

// On the service of the suite, or on one of its own with these settings.
class FilesTest {
public:
    FilesTest() : service(suite_service()) {}
    explicit FilesTest(Environment settings) : own(std::in_place, std::move(settings)), service(*own) {}

    storage::ObjectStore& store() { return service.app().services().object_store; }
    void put(Area area, const std::string& key, const std::string& bytes) { run(store().put(area, key, bytes, mime)); }
    std::string stored(Area area, const std::string& key) {
        const auto object = run(store().get(area, key, 1 << 24));
        return object ? object->bytes : "(none)";
    }

    static std::string path_of(const std::string& address) { return address.substr(address.find("/files/")); }
    std::string to_get(const std::string& key) {
        const TimePoint now = service.clock().now();
        return path_of(store().address_to_get(key, now, now + 1800s));
    }
    std::string to_put(const std::string& key, std::size_t size, const std::string& type = mime) {
        const TimePoint now = service.clock().now();
        return path_of(store().address_to_put(key, type, size, now, now + 1800s));
    }

    Answer send(const std::string& path, const std::string& bytes, const std::string& type = mime,
                std::string_view method = "PUT") const {
        return service.call(method, path, bytes, {{"Content-Type", type}});
    }
    // Sends exactly these header lines.
    RawAnswer send_raw(const std::string& path, const std::string& lines, const std::string& body) const {
        RawClient client(service.port());
        client.send("PUT " + path + " HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n" + body);
        return client.read_answer();
    }
    // Takes the disk away: from now on, every request that reaches the store is answered with 503.
    void lose_disk() const {
        std::filesystem::rename(service.folder() / "data/storage", service.folder() / "data/elsewhere");
    }

    std::optional<Service> own;  // empty on the service of the suite
    Service& service;
};

TEST(DOC_2, AnAddressToWriteIsBoundToKeyTypeSizeAndTime) {
    FilesTest test;
    const std::string address = test.to_put("term-policies/privacy/1/en.hbs", draft.size());
    const auto refused = [&](const Answer& answer) {
        EXPECT_EQ(answer.status, 403U);
        EXPECT_EQ(answer.number("statusCode"), 5014);
        EXPECT_EQ(answer.code_name(), "addressInvalid");
    };
    refused(test.send(address, draft + " "));
    refused(test.send(address, draft.substr(1)));
    refused(test.send(address, ""));
    for (const std::string type : {"text/html", "text/x-handlebars-template; charset=utf-8",
                                   "Text/x-handlebars-template", "application/json", "application/octet-stream"})
        refused(test.send(address, draft, type));
    std::string other = address;
    refused(test.send(other.replace(other.find("/1/"), 3, "/2/"), draft));
    refused(test.send(address.substr(0, address.find('?')), draft));
    EXPECT_EQ(test.send(address + "&a=b", draft).status, 422U);
    EXPECT_EQ(test.send(address + "&size=1", draft).status, 422U);
    for (const char* part : {"expires=1", "type=text", "size="}) {
        std::string altered = address;
        const auto at = altered.find(part) + std::string_view(part).size();
        altered[at] = altered[at] == '9' ? '8' : '9';
        refused(test.send(altered, draft));
    }
    EXPECT_EQ(test.send(address, draft, mime, "POST").status, 405U);
    EXPECT_EQ(test.send(address, draft, mime, "PATCH").status, 405U);
    EXPECT_EQ(test.send(address, "", mime, "DELETE").status, 405U);
    refused(test.service.get(address));
    const std::string length = "Content-Length: " + std::to_string(draft.size()) + "\r\n";
    EXPECT_EQ(test.send_raw(address, length, draft).status, 403U) << "no type";
    const std::string type = "Content-Type: " + std::string(mime) + "\r\n";
    EXPECT_EQ(test.send_raw(address, type + type + length, draft).status, 403U) << "two types";
    EXPECT_EQ(test.stored(Area::private_area, "term-policies/privacy/1/en.hbs"), "(none)");
    EXPECT_EQ(test.stored(Area::private_area, "term-policies/privacy/2/en.hbs"), "(none)");

    test.service.pass(1799s);
    const Answer answer = test.send(address, draft);
    EXPECT_EQ(answer.status, 200U) << answer.body;
    EXPECT_EQ(test.stored(Area::private_area, "term-policies/privacy/1/en.hbs"), draft);
    EXPECT_EQ(test.stored(Area::public_area, "term-policies/privacy/1/en.hbs"), "(none)");
    EXPECT_EQ(test.send(address, std::string(draft.size(), 'x')).status, 200U) << "the same place, until it expires";
    test.service.pass(1s);
    refused(test.send(address, draft));
}

TEST(DOC_2, NoFileIsLargerThanOneMegabyte) {
    // The limit on text bodies does not apply to files.
    FilesTest test({{"REQUEST_BODY_TEXT_LIMIT_IN_BYTES", "1024"}});
    const std::string most(1'048'576, 'm');
    EXPECT_EQ(test.send(test.to_put("a.hbs", most.size()), most).status, 200U);
    EXPECT_EQ(test.stored(Area::private_area, "a.hbs").size(), most.size());
    EXPECT_EQ(test.send(test.to_put("b.hbs", most.size() + 1), most + "m").status, 413U);
    EXPECT_EQ(test.send_raw(test.to_put("b.hbs", 1 << 30),
                            "Content-Type: " + std::string(mime) + "\r\nContent-Length: 1073741824\r\n", "")
                  .status,
              413U)
        << "a gigabyte, before a byte of it has come";
    EXPECT_EQ(test.stored(Area::private_area, "b.hbs"), "(none)");
}

TEST(DOC_9, NothingIsUnpacked) {
    FilesTest test;
    const std::string address = test.to_put("packed.hbs", draft.size());
    for (const char* coding : {"gzip", "deflate", "br", "identity, gzip"})
        EXPECT_EQ(
            test.service.call("PUT", address, draft, {{"Content-Type", mime}, {"Content-Encoding", coding}}).status,
            415U)
            << coding;
    EXPECT_EQ(test.stored(Area::private_area, "packed.hbs"), "(none)");
    const std::string packed("\x1f\x8b\x08\0\0\0\0\0\0\3\0\xff", 12);
    EXPECT_EQ(test.send(test.to_put("bytes.hbs", packed.size()), packed).status, 200U);
    EXPECT_EQ(test.stored(Area::private_area, "bytes.hbs"), packed) << "bytes are bytes";
}

TEST(DOC_2, AnAddressToReadIsBoundToKeyAndTime) {
    FilesTest test;
    test.put(Area::private_area, "a/b.hbs", draft);
    test.put(Area::private_area, "a/c.hbs", "other");
    const std::string address = test.to_get("a/b.hbs");
    EXPECT_EQ(test.service.get(address).body, draft);
    std::string other = address;
    EXPECT_EQ(test.service.get(other.replace(other.find("b.hbs"), 1, "c")).status, 403U);
    EXPECT_EQ(test.service.get("/files/private/a/b.hbs").status, 403U);
    EXPECT_EQ(test.service.get("/files/private/none.hbs").status, 403U) << "not told whether it is there";
    EXPECT_EQ(test.service.get("/files/public/a/b.hbs").status, 404U);
    EXPECT_EQ(test.service.get(test.to_get("a/none.hbs")).status, 404U);
    EXPECT_EQ(test.send(address, draft).status, 403U);
    test.service.pass(1800s);
    EXPECT_EQ(test.service.get(address).status, 403U);
    EXPECT_EQ(test.service.get(test.to_get("a/b.hbs")).status, 200U);
}

// An address is all that its bearer needs, without an API key or a token. A token opens no file.
TEST(DOC_2, AddressesNeedNoKeyAndTokensOpenNone) {
    FilesTest test({{"AUTH_API_KEY_REQUIRED", "true"}});
    EXPECT_EQ(test.send(test.to_put("a.hbs", draft.size()), draft).status, 200U);
    const std::string address = test.to_get("a.hbs");
    EXPECT_EQ(HttpClient(test.service.port()).get(address).body, draft);
    FilesTest open;
    open.put(Area::private_area, "a.hbs", draft);
    const Person chief = open.service.make_person(Role::super_admin);
    EXPECT_EQ(open.service.get("/files/private/a.hbs", bearer(open.service.tokens_of(chief).access)).status, 403U);
}

// DOC-1: with the disk away, a request that reached any file would be answered with 503.
TEST(DOC_1, NoSpellingOfAPathLeadsToAFileOfAnotherName) {
    FilesTest test{Environment{}};
    test.put(Area::private_area, "a.hbs", draft);
    test.put(Area::public_area, "a.hbs", "public");
    const std::string query = test.to_get("a.hbs").substr(test.to_get("a.hbs").find('?'));
    ASSERT_EQ(test.service.get("/files/public/a.hbs").status, 200U);
    test.lose_disk();
    ASSERT_EQ(test.service.get("/files/public/a.hbs").status, 503U);
    for (const std::string& key : {std::string("../private/a.hbs"),
                                   std::string("%2e%2e/private/a.hbs"),
                                   std::string("..%2fprivate%2fa.hbs"),
                                   std::string("%252e%252e/private/a.hbs"),
                                   std::string("..\\private\\a.hbs"),
                                   std::string("%5c..%5ca.hbs"),
                                   std::string("a.hbs%00"),
                                   std::string("%00"),
                                   std::string("%61.hbs"),
                                   std::string("a%2ehbs"),
                                   std::string("%c0%ae%c0%ae/a.hbs"),
                                   std::string("%ef%bc%8e%ef%bc%8e/a.hbs"),
                                   std::string("./a.hbs"),
                                   std::string("/a.hbs"),
                                   std::string("a.hbs/"),
                                   std::string("a//b.hbs"),
                                   std::string("a/./b"),
                                   std::string("a/../a.hbs"),
                                   std::string("..;/a.hbs"),
                                   std::string("a.hbs;x=y"),
                                   std::string(256, 'a'),
                                   std::string(512, 'a'),
                                   std::string(1'000, 'a'),
                                   "a/" + std::string(300, 'a') + "/a.hbs",
                                   std::string(".../.."),
                                   std::string("/etc/passwd"),
                                   std::string("")}) {
        SCOPED_TRACE(key);
        for (const std::string area : {"/files/public/", "/files/private/"}) {
            RawClient client(test.service.port());
            client.send("GET " + area + key + query + " HTTP/1.1\r\nHost: x\r\n\r\n");
            const unsigned status = client.read_answer().status;
            EXPECT_TRUE(status == 400 || status == 403 || status == 404) << area << ": " << status;
        }
    }
    for (const char* path : {"/files", "/files/", "/files/privat/a.hbs", "/Files/public/a.hbs", "/files//public/a.hbs",
                             "/api/files/public/a.hbs", "/api/v1/files/public/a.hbs", "/files%2fpublic/a.hbs"})
        EXPECT_EQ(test.service.get(path).status, 404U) << path;
}

TEST(DOC_9, FilesAreShownAsTextThatRunsNothing) {
    FilesTest test;
    test.put(Area::private_area, "text.hbs", draft);
    test.put(Area::public_area, "text.hbs", draft);
    for (const std::string& path : {test.to_get("text.hbs"), std::string("/files/public/text.hbs")}) {
        const Answer answer = HttpClient(test.service.port()).get(path);
        EXPECT_EQ(answer.status, 200U);
        EXPECT_EQ(answer.body, draft) << "as it was stored";
        EXPECT_EQ(answer.headers.at("content-type"), "text/plain; charset=utf-8");
        EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
        EXPECT_THAT(answer.headers.at("content-security-policy"), HasSubstr("sandbox"));
        EXPECT_THAT(answer.headers.at("content-security-policy"), HasSubstr("default-src 'none'"));
        const Answer head = HttpClient(test.service.port()).call("HEAD", path);
        EXPECT_EQ(head.status, 200U);
        EXPECT_EQ(head.headers.at("content-length"), std::to_string(draft.size()));
        EXPECT_EQ(head.body, "");
    }
    EXPECT_EQ(HttpClient(test.service.port()).get(test.to_get("text.hbs")).headers.at("cache-control"), "no-store");
}

TEST(DOC_9, PublicFilesAreKnownByTheirDigest) {
    FilesTest test;
    test.put(Area::public_area, "a.hbs", "abc");
    const Answer answer = test.service.get("/files/public/a.hbs");
    // SHA-256 of "abc" (FIPS 180-4).
    const std::string tag = "W/\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"";
    EXPECT_EQ(answer.headers.at("etag"), tag);
    EXPECT_EQ(answer.headers.at("cache-control"), "public, max-age=3600");
    EXPECT_EQ(test.service.get("/files/public/a.hbs", {{"If-None-Match", tag}}).status, 304U);
    test.put(Area::public_area, "a.hbs", "abd");
    EXPECT_EQ(test.service.get("/files/public/a.hbs", {{"If-None-Match", tag}}).body, "abd");
    EXPECT_EQ(test.service.get("/files/public/b.hbs").status, 404U);
}

TEST(DOC_2, AStoreThatDoesNotAnswerIsAnOutage) {
    FilesTest test{Environment{}};
    const std::string address = test.to_put("a.hbs", draft.size());
    test.lose_disk();
    const Answer answer = test.send(address, draft);
    EXPECT_EQ(answer.status, 503U);
    EXPECT_TRUE(answer.headers.contains("retry-after"));
    EXPECT_THAT(answer.body, Not(HasSubstr("storage")));
    EXPECT_EQ(test.service.get("/api/health").status, 200U) << "only term policies need it";
}

TEST(DOC_9, AddressesReachNoLog) {
    const WorkingFolder working;
    FilesTest test(everything_logged());
    test.put(Area::private_area, "a.hbs", "Canary-of-the-draft");
    const std::string get = test.to_get("a.hbs");
    const std::string put = test.to_put("b.hbs", draft.size());
    EXPECT_EQ(test.service.get(get).status, 200U);
    EXPECT_EQ(test.send(put, draft).status, 200U);
    EXPECT_EQ(test.send(put, draft + "!").status, 403U);
    EXPECT_EQ(test.send(get, draft).status, 403U);
    EXPECT_EQ(test.send(put, draft, mime, "POST").status, 405U);
    EXPECT_EQ(test.service.get("/nowhere" + get).status, 404U);
    EXPECT_EQ(HttpClient(test.service.port())
                  .get("/api/hello", {{"Referer", "https://login.example.org" + get}, {"User-Agent", "x " + put}})
                  .status,
              200U);
    const Answer refused = test.service.get(get + "0");
    EXPECT_EQ(refused.status, 403U);
    EXPECT_THAT(refused.body, Not(HasSubstr("signature")));
    test.lose_disk();
    EXPECT_EQ(test.service.get(get).status, 503U);
    std::filesystem::rename(test.service.folder() / "data/elsewhere", test.service.folder() / "data/storage");
    test.service.restart();  // writes the pending events

    const std::string log = text_in(working / "logs/api.log");
    const std::string events = text_in(test.service.folder() / "data/security/events.log");
    ASSERT_THAT(log, HasSubstr("/files/private/a.hbs"));
    for (const std::string& address : {get, put}) {
        const std::string signature = address.substr(address.find("signature=") + 10);
        ASSERT_EQ(signature.size(), 43U);
        EXPECT_THAT(log, Not(HasSubstr(signature)));
        EXPECT_THAT(events, Not(HasSubstr(signature)));
    }
    EXPECT_THAT(log, Not(HasSubstr("Canary-of-the-draft")));
}

}  // namespace
}  // namespace consentry::tests
