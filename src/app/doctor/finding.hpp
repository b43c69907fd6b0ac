// What `consentry doctor` finds, and what to do about it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace consentry {

enum class Severity { ok, warning, error };
constexpr std::string_view name_of(Severity severity) {
    switch (severity) {
        case Severity::warning:
            return "warning";
        case Severity::error:
            return "error";
        case Severity::ok:
            break;
    }
    return "ok";
}

struct Finding {
    Severity severity = Severity::ok;
    std::string subject;  // a setting, a path, or a part of the installation
    std::string text;     // what is the case; never a secret
    std::string advice;   // what to do; empty if nothing is wrong
};

class Findings {
public:
    void ok(std::string subject, std::string text) { add({Severity::ok, std::move(subject), std::move(text), {}}); }
    void warn(std::string subject, std::string text, std::string advice) {
        add({Severity::warning, std::move(subject), std::move(text), std::move(advice)});
    }
    void error(std::string subject, std::string text, std::string advice) {
        add({Severity::error, std::move(subject), std::move(text), std::move(advice)});
    }
    void add(Finding finding) { all_.push_back(std::move(finding)); }
    const std::vector<Finding>& all() const { return all_; }

private:
    std::vector<Finding> all_;
};

}  // namespace consentry
