// Which passwords are refused beyond their form: common ones, and those that hold the service's or the owner's name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/report.hpp"

namespace consentry {

class PasswordPolicy {
public:
    explicit PasswordPolicy(std::string service_name) : service_name_(std::move(service_name)) {}

    // Names each broken rule for `property`. `email`: of the owner.
    void check(std::string_view password, std::string_view email, std::string_view property, Report& report) const;

private:
    std::string service_name_;
};

}  // namespace consentry
