// What a template shows: named values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/html.hpp"

namespace consentry {

class View {
public:
    using Value = std::variant<bool, std::string, Html, std::vector<View>>;

    // Text is escaped where the template shows it. A later value of the same name replaces the earlier one.
    View& text(std::string_view name, std::string_view value) { return set(name, std::string(value)); }
    View& html(std::string_view name, Html value) { return set(name, std::move(value)); }
    View& flag(std::string_view name, bool value) { return set(name, value); }
    View& list(std::string_view name, std::vector<View> value) { return set(name, std::move(value)); }
    // Adds the values of another view.
    View& with(View other) {
        for (auto& [name, value] : other.values_) set(name, std::move(value));
        return *this;
    }

    // Null if there is no such value.
    const Value* find(std::string_view name) const {
        for (const auto& [known, value] : values_)
            if (known == name) return &value;
        return nullptr;
    }
    const std::vector<std::pair<std::string, Value>>& values() const { return values_; }

private:
    View& set(std::string_view name, Value value) {
        for (auto& [known, old] : values_)
            if (known == name) return old = std::move(value), *this;
        values_.emplace_back(std::string(name), std::move(value));
        return *this;
    }
    std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace consentry
