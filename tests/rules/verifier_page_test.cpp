// assets/verify.html promises that it runs nothing but its own script and loads nothing. Its security policy, which
// holds for saved copies too, names the script and the style by hash.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "crypto/digest.hpp"
#include "tests/rules/source_tree.hpp"

namespace consentry::rules {
namespace {

std::string between(const std::string& text, std::string_view begin, std::string_view end) {
    const auto from = text.find(begin);
    if (from == std::string::npos) return {};
    const auto start = from + begin.size();
    return text.substr(start, text.find(end, start) - start);
}

std::string hash_of(const std::string& text) { return "'sha256-" + to_base64(crypto::sha256(text)) + "'"; }

TEST(VerifierPage, ItsPolicyNamesItsScriptAndItsStyleAlone) {
    const std::string page = read_file("assets/verify.html");
    const std::string script = between(page, "<script>", "</script>");
    const std::string style = between(page, "<style>", "</style>");
    ASSERT_FALSE(script.empty());
    ASSERT_FALSE(style.empty());
    EXPECT_EQ(between(page, "http-equiv=\"Content-Security-Policy\" content=\"", "\""),
              "default-src 'none'; script-src " + hash_of(script) + "; style-src " + hash_of(style) +
                  "; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
        << "after a change of the page, this is its policy";
}

// What the policy forbids would only fail in a browser.
TEST(VerifierPage, HasNothingThatItsPolicyForbids) {
    const std::string page = read_file("assets/verify.html");
    for (const std::string_view forbidden :
         {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "style=\"",
          "onclick=", " src=", " href=", "fetch(", "XMLHttpRequest", "import(", "@import", "url("})
        EXPECT_FALSE(page.contains(forbidden)) << forbidden;
}

}  // namespace
}  // namespace consentry::rules
