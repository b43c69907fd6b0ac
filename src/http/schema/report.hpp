// Collects every broken rule of one request (specification: all of them, nested ones included), within a bound
// (INP-5): what lies beyond is counted, not kept.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace consentry::http {

inline constexpr std::size_t violations_max = 50;
inline constexpr std::size_t property_bytes_max = 200;  // of an unknown name repeated in an answer

class Report {
public:
    void add(std::string_view key, std::string_view property, boost::json::object placeholders = {}) {
        if (violations_.size() >= violations_max) return;
        placeholders.insert_or_assign("property", last_segment(property));
        violations_.push_back(
            {std::string(key), std::string(property.substr(0, property_bytes_max)), std::move(placeholders)});
    }
    bool empty() const { return violations_.empty(); }
    std::vector<Violation> take() { return std::move(violations_); }

private:
    static std::string_view last_segment(std::string_view property) {
        return property.substr(property.rfind('.') + 1).substr(0, property_bytes_max);
    }
    std::vector<Violation> violations_;
};

}  // namespace consentry::http
