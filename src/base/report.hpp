// Collects every broken rule of one request (specification: all of them, nested ones included), within a bound
// (INP-5): what lies beyond is counted, not kept.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace consentry {

inline constexpr std::size_t violations_max = 50;
// Of a property's name as the answer writes it, so that all items together stay below 16 KiB: an unknown name may be
// anything.
inline constexpr std::size_t property_bytes_max = 64;

class Report {
public:
    void add(std::string_view key, std::string_view property, boost::json::object placeholders = {}) {
        if (violations_.size() >= violations_max) return;
        placeholders.insert_or_assign("property", last_segment(property));
        violations_.push_back({std::string(key), std::string(shortened(property)), std::move(placeholders)});
    }
    bool empty() const { return violations_.empty(); }
    std::vector<Violation> take() { return std::move(violations_); }

private:
    static std::string_view last_segment(std::string_view property) {
        return shortened(property.substr(property.rfind('.') + 1));
    }
    // Cut between two characters; what JSON must escape counts as long as it is written.
    static std::string_view shortened(std::string_view name) {
        std::size_t end = 0;
        std::size_t written = 0;
        for (std::size_t i = 0; i < name.size(); ++i) {
            const auto byte = static_cast<unsigned char>(name[i]);
            const bool continues = (byte & 0xC0) == 0x80;
            if (!continues) end = i;
            written += byte < 0x20 ? 6 : (byte == '"' || byte == '\\' ? 2 : 1);
            if (written > property_bytes_max) return name.substr(0, end);
        }
        return name;
    }
    std::vector<Violation> violations_;
};

}  // namespace consentry
