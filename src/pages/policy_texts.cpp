#include "pages/policy_texts.hpp"

#include "markup/markdown.hpp"

namespace consentry {

PolicyTexts::PolicyTexts(TermPolicies& policies)
    : policies_(policies), kept_(kept_max), pool_({.name = "policy texts", .threads = 1, .queue_max = 64}) {}

awaitable<Result<Html>> PolicyTexts::find(const TermPolicy& policy, const PolicyContent& content) {
    const std::string digest = content.digest;
    if (auto kept = kept_.find(digest)) co_return std::move(*kept);
    auto text = co_await policies_.read(policy.id, content.language);
    if (!text) co_return fail(std::move(text.error()));
    Html html = co_await pool_.run([text = std::move(*text)] { return markup::render_markdown(text); });
    kept_.put(digest, html);
    co_return html;
}

}  // namespace consentry
