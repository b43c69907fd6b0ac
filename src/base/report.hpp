// Collects all broken rules of one request, nested ones included, as the specification demands, within a bound (INP-5):
// violations beyond it are counted but not kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/redaction.hpp"
#include "base/utf8.hpp"

namespace consentry {

inline constexpr std::size_t violations_max = 50;
// Limit on a property name as written in the response, so that all items together stay below 16 KiB: the client chooses
// the names of unknown properties.
inline constexpr std::size_t property_bytes_max = 64;

// The path to a property inside a body: "device.name", "items.3". It is put together only for a violation, so that
// reading a valid body allocates nothing for it. Borrows the name and the outer path.
class PropertyPath {
public:
    // `outer` is null at the top level.
    explicit PropertyPath(std::string_view name, const PropertyPath* outer = nullptr) : name_(name), outer_(outer) {}
    std::string text() const {
        return outer_ == nullptr ? std::string(name_) : outer_->text() + "." + std::string(name_);
    }

private:
    std::string_view name_;
    const PropertyPath* outer_;
};

class Report {
public:
    void add(std::string_view key, std::string_view property, boost::json::object placeholders = {}) {
        if (violations_.size() >= violations_max || judges_unreadable(key, property)) return;
        placeholders.insert_or_assign("property", last_segment(property));
        violations_.push_back({std::string(key), std::string(shortened(property)), std::move(placeholders)});
    }
    // The client chooses these names and may have sent a secret as one. The log shows the answer, and could not
    // recognize the secret in the last segment, which stands in the message.
    void add_unknown(std::string_view name, const PropertyPath* outer = nullptr) {
        add("whitelistValidation", PropertyPath(redact_text(name), outer).text());
    }
    // The property of the last violation could not be read, so that later rules would judge the default values in its
    // place, and in place of what is below it.
    void set_unreadable() {
        if (!violations_.empty()) unreadable_.push_back(violations_.size() - 1);
    }
    // For rules about a property that depend on the value of another one.
    bool is_unreadable(std::string_view property) const {
        return std::ranges::any_of(unreadable_,
                                   [&](std::size_t place) { return violations_[place].property == property; });
    }
    bool empty() const { return violations_.empty(); }
    std::vector<Violation> take() {
        unreadable_.clear();
        return std::exchange(violations_, {});
    }

private:
    static std::string_view last_segment(std::string_view property) {
        return shortened(property.substr(property.rfind('.') + 1));
    }
    // Cuts between two characters; an escaped character counts with its escaped length.
    static std::string_view shortened(std::string_view name) {
        std::size_t end = 0;
        std::size_t written = 0;
        for (std::size_t i = 0; i < name.size(); ++i) {
            const auto byte = static_cast<unsigned char>(name[i]);
            if (!continues_character(name[i])) end = i;
            written += byte < 0x20 ? 6 : (byte == '"' || byte == '\\' ? 2 : 1);
            if (written > property_bytes_max) return name.substr(0, end);
        }
        return name;
    }
    // Whether `property` is `outer` or below it.
    static bool is_within(std::string_view property, std::string_view outer) {
        return property.starts_with(outer) && (property.size() == outer.size() || property[outer.size()] == '.');
    }
    bool judges_unreadable(std::string_view key, std::string_view property) const {
        // An unknown member has no default value, although its name may look like that of a nested one.
        if (key == "whitelistValidation") return false;
        return std::ranges::any_of(unreadable_, [&](std::size_t place) {
            const std::string_view unreadable = violations_[place].property;
            // The default values of two elements are equal.
            return is_within(property, unreadable) || (key == "arrayUnique" && is_within(unreadable, property));
        });
    }
    std::vector<Violation> violations_;
    std::vector<std::size_t> unreadable_;  // places in violations_
};

}  // namespace consentry
