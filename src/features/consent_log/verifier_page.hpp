// The page that verifies receipts, proofs, bundles and exports in a browser: assets/verify.html, part of the program.
#pragma once

#include <string>
#include <string_view>

namespace consentry {

std::string_view verifier_page();
// What the page states in a <meta> element, so that a saved copy is as strict; and that no page may frame it, which
// browsers accept in a header alone.
std::string verifier_page_policy();

}  // namespace consentry
