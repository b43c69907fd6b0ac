#include <gmock/gmock.h>

#include "app/config/read_config.hpp"

namespace consentry {
namespace {

struct AddressSetting {
    std::string name;
    std::string (*value)(const Config&);
    bool may_be_empty = true;
};

const std::vector<AddressSetting>& address_settings() {
    static const std::vector<AddressSetting> all{
        {"EMAIL_NO_REPLY", [](const Config& config) { return config.mail.no_reply; }, false},
        {"EMAIL_SUPPORT", [](const Config& config) { return config.mail.support; }},
        {"EMAIL_ADMIN", [](const Config& config) { return config.mail.admin; }},
        {"CONSENT_CONTROLLER_EMAIL", [](const Config& config) { return config.consent_controller.email; }},
        {"CONSENT_CONTROLLER_DPO", [](const Config& config) { return config.consent_controller.dpo; }},
    };
    return all;
}

// Regression: the settings kept what was written. It passed as an address, but no mail could be sent from it.
TEST(AddressSettings, AreKeptInCanonicalForm) {
    for (const AddressSetting& setting : address_settings())
        for (const auto& [written, kept] : {std::pair{"login@münchen.example", "login@xn--mnchen-3ya.example"},
                                            std::pair{"login@example.com\n", "login@example.com"},
                                            std::pair{"\t Login@Example.COM ", "login@example.com"}}) {
            const auto config = read_config({{setting.name, written}});
            ASSERT_TRUE(config) << setting.name;
            EXPECT_EQ(setting.value(*config), kept) << setting.name;
        }
}

TEST(AddressSettings, OtherTextsAreRefused) {
    for (const AddressSetting& setting : address_settings()) {
        for (const auto* text : {"login", "login@localhost", "lögin@example.com", "a@b.example, c@d.example", " "}) {
            const auto config = read_config({{setting.name, text}});
            ASSERT_FALSE(config) << setting.name << ": " << text;
            EXPECT_EQ(config.error().front().setting, setting.name);
        }
        EXPECT_EQ(read_config({{setting.name, ""}}).has_value(), setting.may_be_empty) << setting.name;
    }
}

}  // namespace
}  // namespace consentry
