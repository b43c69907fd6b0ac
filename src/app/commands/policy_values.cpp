#include "app/commands/policy_values.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/strict_json.hpp"
#include "base/whole_file.hpp"
#include "features/term_policies/placeholders.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view values_name = "values.json";
constexpr std::size_t values_bytes_max = std::size_t{1} << 20;

[[noreturn]] void refuse(const fs::path& file, std::string_view why) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), why));
}

std::string bytes_of(const fs::path& file) {
    auto bytes = read_whole_file(file, values_bytes_max);
    if (!bytes) refuse(file, "cannot be read");
    if (bytes->size() > values_bytes_max) refuse(file, fmt::format("larger than {} bytes", values_bytes_max));
    return std::move(*bytes);
}

std::string_view reason_of(JsonFault::Kind kind) {
    switch (kind) {
        case JsonFault::Kind::duplicate_name:
            return "duplicate name";
        case JsonFault::Kind::too_many_members:
            return "too many values";
        case JsonFault::Kind::too_deep:
        case JsonFault::Kind::malformed:
            break;
    }
    return R"(must be a JSON object of strings, such as {"companyName": "Example Ltd"})";
}

}  // namespace

PolicyValues::PolicyValues(const fs::path& folder, const fs::path& file) {
    std::error_code error;
    const fs::path from = file.empty() ? folder / values_name : file;
    if (file.empty() && fs::symlink_status(from, error).type() == fs::file_type::not_found) return;
    const std::string bytes = bytes_of(from);
    const auto json = read_strict_json(bytes);
    if (!json) {
        const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(json.error().offset, bytes.size()));
        const auto line = 1 + std::count(bytes.begin(), end, '\n');
        refuse(from, fmt::format("{} (line {})", reason_of(json.error().kind), line));
    }
    if (!json->is_object()) refuse(from, reason_of(JsonFault::Kind::malformed));
    for (const auto& [name, value] : json->get_object()) {
        if (!value.is_string())
            refuse(from, fmt::format("the value of \"{}\" must be a string", std::string_view(name)));
        values_.emplace(name, value.get_string());
    }
}

void PolicyValues::add_built_in(const std::string& name, const std::string& value) {
    if (!value.empty()) built_in_.emplace(name, value);
}

void PolicyValues::fill(PolicyFolder& folder) {
    const auto find = [&](std::string_view name) -> const std::string* {
        if (const auto value = values_.find(name); value != values_.end()) {
            used_.insert(value->first);
            return &value->second;
        }
        const auto value = built_in_.find(name);
        return value == built_in_.end() ? nullptr : &value->second;
    };
    for (PolicyVersion& version : folder.versions)
        for (PolicyText& text : version.texts) {
            text.bytes = fill_placeholders(text.bytes, find, policy_text_bytes_max);
            const auto add_problem = [&](std::string_view what) {
                folder.problems.push_back(
                    fmt::format("{}: {}", name_of(version.type, version.version, text.language), what));
            };
            if (text.bytes.empty()) add_problem("empty after its placeholders are filled");
            if (std::cmp_greater(text.bytes.size(), policy_text_bytes_max))
                add_problem(
                    fmt::format("larger than {} bytes after its placeholders are filled", policy_text_bytes_max));
            if (text.bytes.contains('\0')) add_problem("contains a NUL byte after its placeholders are filled");
        }
}

std::vector<std::string> PolicyValues::unused() const {
    std::vector<std::string> out;
    for (const auto& [name, value] : values_)
        if (!used_.contains(name)) out.push_back(name);
    return out;
}

}  // namespace consentry
