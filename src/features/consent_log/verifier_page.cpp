#include "features/consent_log/verifier_page.hpp"

#include <span>
#include <stdexcept>

#include "base/embedded.hpp"

namespace consentry {

std::span<const EmbeddedFile> verifier_page_files();

std::string_view verifier_page() { return verifier_page_files().front().bytes; }

std::string verifier_page_policy() {
    constexpr std::string_view mark = R"(http-equiv="Content-Security-Policy" content=")";
    const std::string_view page = verifier_page();
    const auto begin = page.find(mark);
    if (begin == std::string_view::npos) throw std::logic_error("the verifier page states no security policy");
    const std::string_view policy = page.substr(begin + mark.size());
    return std::string(policy.substr(0, policy.find('"'))) + "; frame-ancestors 'none'";
}

}  // namespace consentry
