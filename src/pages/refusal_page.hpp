// Where a browser can give what a refusal misses.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "base/html.hpp"

namespace consentry {

// The path of that page. Returns nullopt if there is nothing that the browser could do.
std::optional<HtmlLiteral> page_for(const Error& refusal);

}  // namespace consentry
