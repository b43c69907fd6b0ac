// Settings that name who is responsible for personal data, for the records of consent.
#include "app/config/setting_types.hpp"
#include "app/config/tables.hpp"
#include "base/host_port.hpp"
#include "base/text_rules.hpp"

namespace consentry {

using namespace setting_types;

namespace {

constexpr std::string_view line_allowed = "empty, or one line of at most 500 characters";
constexpr std::string_view url_allowed = "empty, or an http or https URL of at most 500 characters";

bool is_line_or_none(std::string_view text) {
    return text.empty() || (is_one_line_name(text) && is_at_most(text, 500));
}
bool is_url_or_none(std::string_view text) {
    return text.empty() ||
           ((text.starts_with("https://") || text.starts_with("http://")) && !text.ends_with("://") &&
            !text.contains(' ') && has_possible_port(text) && is_one_line_name(text) && is_at_most(text, 500));
}

}  // namespace

std::vector<SettingSpec> consent_controller_settings() {
    constexpr std::string_view group = "Consent records";
    return {
        {.name = "CONSENT_CONTROLLER_NAME",
         .group = group,
         .type = text<&Config::consent_controller, &ConsentControllerConfig::name>(std::string(line_allowed),
                                                                                   is_line_or_none),
         .default_text = "",
         .description =
             "The controller, who is responsible for the personal data. Consent records name the controller if name, "
             "email and address are set.",
         .example = "Example Ltd"},
        {.name = "CONSENT_CONTROLLER_EMAIL",
         .group = group,
         .type = email_address_or_none<&Config::consent_controller, &ConsentControllerConfig::email>(),
         .default_text = "",
         .description = "The email address of the controller.",
         .example = "privacy@example.com"},
        {.name = "CONSENT_CONTROLLER_ADDRESS",
         .group = group,
         .type = text<&Config::consent_controller, &ConsentControllerConfig::address>(std::string(line_allowed),
                                                                                      is_line_or_none),
         .default_text = "",
         .description = "The postal address of the controller, in one line.",
         .example = "1 Example Street, 10115 Berlin, Germany"},
        {.name = "CONSENT_CONTROLLER_URL",
         .group = group,
         .type =
             text<&Config::consent_controller, &ConsentControllerConfig::url>(std::string(url_allowed), is_url_or_none),
         .default_text = "",
         .description = "The web address of the controller.",
         .example = "https://example.com"},
        {.name = "CONSENT_CONTROLLER_DPO",
         .group = group,
         .type = email_address_or_none<&Config::consent_controller, &ConsentControllerConfig::dpo>(),
         .default_text = "",
         .description = "The email address of the data protection officer of the controller.",
         .example = "dpo@example.com"},
    };
}

}  // namespace consentry
