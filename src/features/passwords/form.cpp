#include "features/passwords/form.hpp"

#include <atomic>

#include "base/text_rules.hpp"

namespace consentry {
namespace {

std::atomic<PasswordRules> chosen{PasswordRules::classes};

}  // namespace

void choose_password_rules(PasswordRules rules) { chosen.store(rules, std::memory_order_relaxed); }
PasswordRules password_rules() { return chosen.load(std::memory_order_relaxed); }

std::int64_t password_characters_min() { return password_rules() == PasswordRules::nist ? 12 : 8; }
std::int64_t password_characters_max() { return password_rules() == PasswordRules::nist ? 128 : 50; }
bool has_password_classes(std::string_view password) {
    return password_rules() == PasswordRules::nist || has_all_classes(password);
}

void check_password_form(std::string_view password, const std::string& property, Report& report) {
    check_rules(password,
                std::tuple{MinLengthRule{password_characters_min()}, MaxLengthRule{password_characters_max()}},
                PropertyPath(property), report);
    if (!has_password_classes(password)) report.add(StrongPasswordRule::key, property);
}

}  // namespace consentry
