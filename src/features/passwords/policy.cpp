#include "features/passwords/policy.hpp"

#include "base/text.hpp"
#include "features/passwords/common_passwords.hpp"

namespace consentry {

namespace {

constexpr std::size_t context_bytes_min = 4;

}  // namespace

void PasswordPolicy::check(std::string_view password, std::string_view email, std::string_view property,
                           Report& report) const {
    if (is_common_password(password)) report.add("isNotCommonPassword", property);
    const std::string lowered = to_lower_ascii(password);
    const auto holds = [&](std::string_view word) {
        return word.size() >= context_bytes_min && lowered.find(to_lower_ascii(word)) != std::string::npos;
    };
    // A name too short to look for is still part of the address.
    if (holds(service_name_) || holds(email.substr(0, email.find('@'))) || holds(email))
        report.add("isNotContext", property);
}

}  // namespace consentry
