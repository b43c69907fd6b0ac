// File uploads (INP-1, WEB-2): forms are parsed strictly, and the size limit holds to the byte.
#include <string>

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/locales.hpp"
#include "http/endpoint.hpp"
#include "http/openapi.hpp"
#include "http/pipeline.hpp"
#include "tests/support/raw_http.hpp"

namespace consentry::tests {
namespace {

using boost::asio::awaitable;
using http::Upload;

constexpr std::string_view boundary = "----x7";

// Copies of an Upload's parts, because an Upload refers to the form it was read from, which may not outlive the call.
struct Read {
    const ErrorKind* error = nullptr;
    std::string filename;
    std::string content_type;
    std::string body;
    std::string first_property;
};

Read read(const std::string& content_type, std::string_view body) {
    http::Request request;
    request.headers = {{"Content-Type", content_type}};
    request.body = body;
    const auto result = http::read_upload(request);
    Read out;
    if (result) {
        out.filename = result->filename;
        out.content_type = result->content_type;
        out.body = result->body;
    } else {
        out.error = &result.error().kind();
        if (!result.error().violations().empty()) out.first_property = result.error().violations()[0].property;
    }
    return out;
}

std::string part(const std::string& head, const std::string& body) {
    return "--" + std::string(boundary) + "\r\n" + head + "\r\n\r\n" + body + "\r\n";
}
std::string closed(const std::string& parts) { return parts + "--" + std::string(boundary) + "--\r\n"; }
const std::string form_type = "multipart/form-data; boundary=" + std::string(boundary);
const std::string file_head =
    "Content-Disposition: form-data; name=\"file\"; filename=\"users.csv\"\r\nContent-Type: text/csv";
constexpr std::string_view table = "email;name\r\na@example.org;A\r\n";

template <class Text>
concept CanBeABody = requires(http::Request& request, Text text) { request.body = std::forward<Text>(text); };

// The compiler prevents a body that outlives its text.
TEST(INP_1, ABodyIsNeverAViewOfATemporary) {
    EXPECT_TRUE(CanBeABody<std::string&>);
    EXPECT_TRUE(CanBeABody<std::string_view>);
    EXPECT_TRUE(CanBeABody<const char*>);
    EXPECT_FALSE(CanBeABody<std::string>);
    EXPECT_FALSE(CanBeABody<const std::string>);
    EXPECT_FALSE((std::is_constructible_v<BorrowedText, std::string>));
}

TEST(INP_1, AFileComesAsAFormOrAlone) {
    const std::string form = closed(part(file_head, std::string(table)));
    for (const std::string& type :
         {form_type, "Multipart/Form-Data;boundary=\"" + std::string(boundary) + "\"",
          "multipart/form-data; charset=utf-8; boundary=" + std::string(boundary),
          // RFC 9110 section 5.6.6: a parameter may be missing between semicolons.
          form_type + ";", "multipart/form-data;; boundary=" + std::string(boundary) + " ; "}) {
        const Read out = read(type, form);
        ASSERT_EQ(out.error, nullptr) << type << ": " << (out.error ? out.error->name : "");
        EXPECT_EQ(out.body, table);
        EXPECT_EQ(out.filename, "users.csv");
        EXPECT_EQ(out.content_type, "text/csv");
    }
    for (const char* type : {"text/csv", "Text/CSV; charset=utf-8", "text/csv;header=present", "text/csv;",
                             "text/csv ; ; header=present;"}) {
        const Read out = read(type, table);
        ASSERT_EQ(out.error, nullptr) << type;
        EXPECT_EQ(out.body, table);
    }
    // These forms match what curl, browsers and Python's requests send.
    for (const char* head :
         {"Content-Disposition: form-data; name=\"file\"; filename=\"A B.CSV\"\r\nContent-Type: "
          "application/vnd.ms-excel",
          "content-disposition:form-data;name=file;filename=a.csv",
          "X-Other: y\r\nContent-Disposition: form-data; filename=\"a.csv\"; name=\"file\"",
          "Content-Disposition: form-data; name=\"file\"; filename=\"\xE3\x83\xA6.csv\"",
          "Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Transfer-Encoding: binary"}) {
        const Read out = read(form_type, closed(part(head, "x")));
        EXPECT_EQ(out.error, nullptr) << head;
        EXPECT_EQ(out.body, "x");
    }
    EXPECT_EQ(read(form_type, closed(part(file_head, "a\r\n--other\r\n--\r\n----x"))).body,
              "a\r\n--other\r\n--\r\n----x")
        << "what only resembles the boundary";
}

TEST(INP_1, WhatTwoReadersMightReadDifferentlyIsRefused) {
    const std::string good = part(file_head, "x");
    const std::pair<const char*, std::string> broken[] = {
        {"no end", good},
        {"no end, cut in the boundary", good + "--" + std::string(boundary)},
        {"half of the end", good + "--" + std::string(boundary) + "-"},
        {"preamble", "hello\r\n" + closed(good)},
        {"epilogue", closed(good) + "hello"},
        {"empty line in front", "\r\n" + closed(good)},
        {"white space behind the boundary",
         "--" + std::string(boundary) + " \r\n" + file_head + "\r\n\r\nx\r\n--" + std::string(boundary) + "--\r\n"},
        {"LF only", "--" + std::string(boundary) + "\n" + file_head + "\n\nx\n--" + std::string(boundary) + "--\n"},
        {"longer boundary", part(file_head, "x\r\n--" + std::string(boundary) + "y")},
        {"no disposition", closed(part("Content-Type: text/csv", "x"))},
        {"two dispositions", closed(part(file_head + "\r\nContent-Disposition: form-data; name=\"b\"", "x"))},
        {"attachment", closed(part("Content-Disposition: attachment; name=\"file\"; filename=\"a.csv\"", "x"))},
        {"no name", closed(part("Content-Disposition: form-data; filename=\"a.csv\"", "x"))},
        {"two names",
         closed(part("Content-Disposition: form-data; name=\"file\"; name=\"b\"; filename=\"a.csv\"", "x"))},
        {"two filenames",
         closed(part("Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"; filename=\"b.csv\"", "x"))},
        {"filename*",
         closed(
             part("Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"; filename*=UTF-8''b.csv", "x"))},
        {"backslash", closed(part("Content-Disposition: form-data; name=\"file\"; filename=\"a\\\".csv\"", "x"))},
        {"open quote", closed(part("Content-Disposition: form-data; name=\"file\"; filename=\"a.csv", "x"))},
        {"bad UTF-8", closed(part("Content-Disposition: form-data; name=\"file\"; filename=\"\xFF.csv\"", "x"))},
        {"folded line", closed(part("Content-Disposition: form-data;\r\n name=\"file\"; filename=\"a.csv\"", "x"))},
        {"control", closed(part(file_head + "\r\nX: \x01", "x"))},
        {"bare CR", closed(part(file_head + "\r\nX: a\rb", "x"))},
        {"nested", closed(part("Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: "
                               "multipart/mixed; boundary=b",
                               "x"))},
        {"base64", closed(part(file_head + "\r\nContent-Transfer-Encoding: base64", "eA=="))},
        {"a large head", closed(part(file_head + "\r\nX: " + std::string(5'000, 'x'), "x"))},
        {"many parts",
         [&] {
             std::string out;
             for (int i = 0; i < 9; ++i) out += good;
             return closed(out);
         }()},
    };
    for (const auto& [what, body] : broken) {
        const Read out = read(form_type, body);
        ASSERT_NE(out.error, nullptr) << what;
        EXPECT_EQ(out.error, &errors::bad_request) << what << ": " << out.error->name;
    }
    for (const std::string& type :
         {std::string("multipart/form-data"), std::string("multipart/form-data; boundary=\"\""),
          "multipart/form-data; boundary=" + std::string(71, 'b'),
          std::string("multipart/form-data; boundary=\"a b \"")})
        EXPECT_EQ(read(type, closed(good)).error, &errors::bad_request) << type;
}

TEST(INP_1, AFormBringsTheFileAndNothingElse) {
    const std::string good = part(file_head, "x");
    const Read more = read(form_type, closed(good + part("Content-Disposition: form-data; name=\"role\"", "admin")));
    EXPECT_EQ(more.error, &errors::validation);
    EXPECT_EQ(more.first_property, "role");
    EXPECT_EQ(read(form_type, closed(good + good)).error, &errors::validation);
    EXPECT_EQ(read(form_type, closed("")).error, &errors::file_required);
    EXPECT_EQ(read(form_type, closed(part("Content-Disposition: form-data; name=\"file\"", "x"))).error,
              &errors::file_required)
        << "a field is no file";
    EXPECT_EQ(read(form_type, closed(part("Content-Disposition: form-data; name=\"file\"; filename=\"\"", ""))).error,
              &errors::file_required)
        << "as browsers send a form in which none was chosen";
    EXPECT_EQ(read(form_type, closed(part(file_head, ""))).error, &errors::file_required);
    EXPECT_EQ(read(form_type, "").error, &errors::file_required);
    EXPECT_EQ(read("text/csv", "").error, &errors::file_required);
    for (const char* name : {"users.xlsx", "users.csv.exe", "csv", ".csv"})
        EXPECT_EQ(read(form_type, closed(part("Content-Disposition: form-data; name=\"file\"; filename=\"" +
                                                  std::string(name) + "\"",
                                              "x")))
                      .error,
                  &errors::file_extension_invalid)
            << name;
    for (const char* type :
         {"application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/mixed; boundary=b", ""})
        EXPECT_EQ(read(type, "x").error, &errors::file_extension_invalid) << type;
}

// The HTTP kit alone, with one operation that takes a file and one that does not.
class Taking {
public:
    Taking() {
        router_.post("/take").id("take").says("-").tag("-").message("-").handled_by(
            [](Upload file) { return take(std::move(file)); });
        router_.post("/other").id("other").says("-").tag("-").message("-").handled_by([] { return other(); });
        router_.finish();
        pipeline_ = std::make_unique<http::Pipeline>(router_, locales_, clock_, http::PipelineOptions{});
        server_.emplace(on_loopback(), *pipeline_);
        server_->start();
    }
    RawAnswer post(const std::string& path, const std::string& type, const std::string& body,
                   std::size_t declared = 0) const {
        RawClient client{server_->port()};
        client.send("POST /api" + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: " + type + "\r\nContent-Length: " +
                    std::to_string(declared == 0 ? body.size() : declared) + "\r\n\r\n" + body);
        return client.read_answer();
    }
    RawAnswer post_chunked(const std::string& path, const std::string& type, std::size_t size) const {
        RawClient client{server_->port()};
        client.send("POST /api" + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: " + type +
                    "\r\nTransfer-Encoding: chunked\r\n\r\n");
        const std::string chunk = "10000\r\n" + std::string(65'536, 'c') + "\r\n";
        for (std::size_t sent = 0; sent < size; sent += 65'536)
            if (!client.send(chunk)) break;
        client.send("0\r\n\r\n");
        return client.read_answer();
    }
    const http::Router& router() const { return router_; }

private:
    static awaitable<Result<http::Done>> take(Upload file) {
        co_return http::Done{.extra_headers = "x-size: " + std::to_string(file.body.size()) + "\r\n"};
    }
    static awaitable<Result<http::Done>> other() { co_return http::Done{}; }

    Locales locales_;
    ManualClock clock_{from_epoch_ms(1'700'000'000'000)};
    http::Router router_{{.global_prefix = "/api", .versioning = false}};
    std::unique_ptr<http::Pipeline> pipeline_;
    std::optional<http::Server> server_;
};

TEST(WEB_2, AFileMayBeTenMegabytesWhereOneIsTakenAndNowhereElse) {
    const Taking kit;
    constexpr std::size_t most = 10'485'760;
    EXPECT_EQ(kit.post("/take", "text/csv", std::string(most, 'x')).header("x-size"), "10485760");
    EXPECT_EQ(kit.post("/take", "text/csv", "", most + 1).status, 413U) << "by its length, before a byte of it";
    const std::string frame = closed(part(file_head, ""));
    EXPECT_EQ(
        kit.post("/take", form_type, closed(part(file_head, std::string(most - frame.size(), 'x')))).header("x-size"),
        std::to_string(most - frame.size()));
    EXPECT_EQ(kit.post("/take", form_type, "", most + 1).status, 413U);
    EXPECT_EQ(kit.post_chunked("/take", "text/csv", 2 << 20).status, 200U);
    EXPECT_EQ(kit.post_chunked("/take", "text/csv", 11 << 20).status, 413U);

    EXPECT_EQ(kit.post("/other", "text/csv", "", 1'048'577).status, 413U);
    EXPECT_EQ(kit.post("/nowhere", form_type, "", 1'048'577).status, 413U);
    EXPECT_EQ(kit.post("/take", "text/plain", "", 1'048'577).status, 413U) << "no file";
    EXPECT_EQ(kit.post("/take", "application/json", "", 512'001).status, 413U);
    EXPECT_EQ(kit.post("/take", "application/json", "{}").status, 415U);
    EXPECT_EQ(kit.post("/take", "text/csv", "", 0).status, 422U);
}

TEST(INP_1, TheDocumentTellsOfTheFile) {
    const Taking kit;
    const auto document = http::openapi_document(kit.router(), Locales{}, {.title = "t", .version = "1"});
    const auto& take = document.at("paths").at("/api/take").at("post").as_object();
    EXPECT_EQ(take.at("requestBody").at("$ref"), "#/components/requestBodies/file");
    const auto& content = document.at("components").at("requestBodies").at("file").at("content").as_object();
    EXPECT_TRUE(content.contains("multipart/form-data"));
    EXPECT_TRUE(content.contains("text/csv"));
    for (const char* status : {"413", "415", "422"})
        EXPECT_TRUE(take.at("responses").as_object().contains(status)) << status;
}

}  // namespace
}  // namespace consentry::tests
