#include "features/passwords/form.hpp"

#include <atomic>

namespace consentry {
namespace {

std::atomic<PasswordRules> chosen{PasswordRules::classes};

}  // namespace

void choose_password_rules(PasswordRules rules) { chosen.store(rules, std::memory_order_relaxed); }
PasswordRules password_rules() { return chosen.load(std::memory_order_relaxed); }

}  // namespace consentry
