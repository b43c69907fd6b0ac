// Rejects passwords of valid form: common ones, and those that contain the service's or the owner's name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/report.hpp"

namespace consentry {

class PasswordPolicy {
public:
    explicit PasswordPolicy(std::string service_name) : service_name_(std::move(service_name)) {}

    // Adds each broken rule to `report` under `property`. `email` is the owner's.
    void check(std::string_view password, std::string_view email, std::string_view property, Report& report) const;

private:
    std::string service_name_;
};

}  // namespace consentry
