// PAGES_*: an operator's name, logo, colors and templates.
#include <fstream>

#include <gmock/gmock.h>

#include "tests/support/browser.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

// What the service says when it cannot start.
std::string refusal(Environment settings) {
    try {
        Service service(std::move(settings));
    } catch (const std::exception& error) {
        return error.what();
    }
    return "started";
}

TEST(PageSettings, NameLogoAndColorsAreTheOperators) {
    const TempFolder folder;
    write(folder.path() / "logo.svg", R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>)");
    Service service({{"PAGES_NAME", "Example & Sons"},
                     {"PAGES_LOGO", (folder.path() / "logo.svg").string()},
                     {"PAGES_COLOR", "#7a1f5c,#f0a8d0"}});
    Browser browser(service);
    const std::string page = browser.open("/login").body;
    EXPECT_THAT(page, HasSubstr("Example &amp; Sons"));
    const auto style = page.find("/assets/style-");
    const std::string sheet = browser.open(page.substr(style, page.find('"', style) - style)).body;
    EXPECT_THAT(sheet, HasSubstr("--accent:#7a1f5c"));
    EXPECT_THAT(sheet, HasSubstr("--accent:#f0a8d0"));
    const auto begin = page.find("/assets/logo-");
    ASSERT_NE(begin, std::string::npos);
    const Answer logo = browser.open(page.substr(begin, page.find('"', begin) - begin));
    EXPECT_EQ(logo.headers.at("content-type"), "image/svg+xml");
    EXPECT_THAT(logo.headers.at("content-security-policy"), HasSubstr("default-src 'none'"));
}

TEST(PageSettings, TemplatesAreReplacedAndChecked) {
    const TempFolder folder;
    write(folder.path() / "home.html", "<h1>Our own {{service}}</h1>");
    Service service({{"PAGES_DIR", folder.path().string()}});
    EXPECT_THAT(Browser(service).open("/").body, HasSubstr("<h1>Our own Consentry</h1>"));
    EXPECT_EQ(Browser(service).open("/login").status, 200) << "the others are ours";
    write(folder.path() / "home.html", "<h1>\n{{servise}}</h1>");
    EXPECT_EQ(refusal({{"PAGES_DIR", folder.path().string()}}),
              "PAGES_DIR: home.html, line 2: the page has no value servise");
    write(folder.path() / "home.html", "<script>x</script>");
    EXPECT_THAT(refusal({{"PAGES_DIR", folder.path().string()}}), HasSubstr("home.html, line 1: "));
    std::filesystem::rename(folder.path() / "home.html", folder.path() / "hom.html");
    EXPECT_THAT(refusal({{"PAGES_DIR", folder.path().string()}}), HasSubstr("hom.html replaces no file of the pages"));
}

TEST(PageSettings, WhatCannotBeUsedStopsTheStart) {
    EXPECT_THAT(refusal({{"PAGES_DIR", "/no/such/folder"}}), HasSubstr("PAGES_DIR: /no/such/folder is not a folder"));
    EXPECT_THAT(refusal({{"PAGES_LOGO", "/no/such/logo.svg"}}), HasSubstr("PAGES_LOGO: cannot read /no/such/logo.svg"));
    EXPECT_THAT(refusal({{"PAGES_LOGO", "/etc/passwd"}}), HasSubstr("PAGES_LOGO: the file must end in .svg"));
    EXPECT_THAT(refusal({{"PAGES_COLOR", "#ffff00,#8ab8f0"}}), HasSubstr("contrast"));
    EXPECT_THAT(refusal({{"FORWARD_AUTH_HOSTS", "*.example.com"}}), HasSubstr("FORWARD_AUTH_HOSTS"));
    for (const char* domain : {"localhost", "10.0.0.1", "example.com:443", "https://example.com", "example.com.", "."})
        EXPECT_THAT(refusal({{"FORWARD_AUTH_COOKIE_DOMAIN", domain}}), HasSubstr("FORWARD_AUTH_COOKIE_DOMAIN"))
            << domain;
}

TEST(PageSettings, WithoutPagesTheServiceIsTheApiAlone) {
    for (const Environment& settings :
         {Environment{{"PAGES_ENABLE", "false"}}, Environment{{"PUBLIC_URL", "http://login.example.com"}},
          Environment{{"PUBLIC_URL", "https://example.com/login"}}}) {
        Service service(settings);
        Browser browser(service);
        EXPECT_EQ(browser.open("/login").code_name(), "notFound") << settings.begin()->second;
        EXPECT_EQ(browser.open("/").code_name(), "notFound");
    }
}

}  // namespace
}  // namespace consentry::tests
