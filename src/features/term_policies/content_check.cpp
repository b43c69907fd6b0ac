#include "features/term_policies/content_check.hpp"

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/text.hpp"
#include "crypto/digest.hpp"
#include "features/term_policies/placeholders.hpp"

namespace consentry {

std::string digest_of(std::string_view bytes) { return to_hex(crypto::sha256(bytes)); }

std::string_view unfit(const storage::Object& object) {
    if (object.size > static_cast<std::uint64_t>(policy_text_bytes_max)) return "tooLarge";
    if (object.bytes.contains('\0') || !code_points(object.bytes)) return "notText";
    return {};
}

Error ContentComplaints::error() const { return Error{errors::term_policy_content_invalid, {{"contents", list_}}}; }

void UnfilledTexts::look_at(Language language, std::string_view text) {
    boost::json::array placeholders;
    for (const std::string& one : unfilled_in(text)) placeholders.emplace_back(one);
    if (!placeholders.empty())
        list_.push_back({{"language", name_of(language)}, {"placeholders", std::move(placeholders)}});
}

Error UnfilledTexts::error() const { return Error{errors::term_policy_placeholders_unfilled, {{"contents", list_}}}; }

}  // namespace consentry
