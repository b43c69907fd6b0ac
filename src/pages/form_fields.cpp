#include "pages/form_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

namespace consentry {
namespace {

std::string error_name(std::string_view field) { return std::string(field) + "_error"; }
std::string sent_name(std::string_view field) { return std::string(field) + "_sent"; }

// The field of the form that the refusal of a service is about; empty if it is about several, or none.
std::string_view field_of(const Error& refusal, const std::vector<std::string>& fields) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> known{{
        {"user.error.emailExist", "email"},
        {"auth.error.oldPasswordNotMatch", "oldPassword"},
        {"auth.error.oldPasswordNotMatch", "password"},
        {"auth.error.passwordMustNew", "newPassword"},
    }};
    for (const auto& [message, field] : known)
        if (message == refusal.message_key() && std::ranges::find(fields, field) != fields.end()) return field;
    return {};
}

}  // namespace

std::vector<std::string> form_value_names(const std::vector<std::string>& fields) {
    std::vector<std::string> out{"errors", "field", "text"};
    for (const std::string& field : fields) {
        out.push_back(field);
        out.push_back(error_name(field));
        out.push_back(sent_name(field));
    }
    return out;
}

void FormFaults::add_line(std::string_view field, const std::string& text) {
    View line;
    if (!field.empty()) line.text("field", field);
    lines_.push_back(std::move(line.text("text", text)));
}

std::string FormFaults::label_of(std::string_view field) const {
    const std::string key = "pages.field." + std::string(field);
    return std::string(locales_.find(language_, key).value_or(field));
}

// Words for people who fill in a form, where there are any; otherwise those of the API.
std::string FormFaults::text_of(const Violation& violation) const {
    boost::json::object values = violation.placeholders;
    for (const std::string_view name : {"property", "other"})
        if (auto* field = values.if_contains(name); field != nullptr && field->is_string())
            *field = label_of(field->get_string());
    const std::string own = "pages.error." + violation.key;
    const std::string shared = "request.error." + violation.key;
    return locales_.text(language_, locales_.find(language_, own) ? own : shared, values);
}

void FormFaults::add(const std::vector<Violation>& violations, const std::vector<std::string>& fields) {
    bool is_choice_told = false;
    for (const Violation& violation : violations) {
        // The API tells it of each field. The first message names both.
        if (violation.key == "isOneRequired" && std::exchange(is_choice_told, true)) continue;
        const bool is_field = std::ranges::find(fields, violation.property) != fields.end();
        const std::string text = text_of(violation);
        if (!is_field) {
            add_line({}, text);
            continue;
        }
        if (view_.find(error_name(violation.property)) != nullptr) continue;
        view_.text(error_name(violation.property), text);
        add_line(violation.property, text);
    }
}

void FormFaults::add(const Error& refusal, const std::vector<std::string>& fields) {
    if (!refusal.violations().empty()) return add(refusal.violations(), fields);
    const std::string own = "pages." + std::string(refusal.message_key());
    const std::string_view key = locales_.find(language_, own) ? std::string_view(own) : refusal.message_key();
    const std::string text = locales_.text(language_, key, refusal.data());
    const std::string_view field = field_of(refusal, fields);
    if (!field.empty()) view_.text(error_name(field), text);
    add_line(field, text);
}

void FormFaults::add_message(std::string_view key) { add_line({}, std::string(locales_.text(language_, key))); }

void FormFaults::keep(const std::vector<http::NamedText>& typed, std::span<const std::string_view> shown_again,
                      const std::vector<std::string>& fields) {
    for (const auto& [name, value] : typed) {
        if (std::ranges::find(shown_again, name) != shown_again.end()) view_.text(name, value);
        if (std::ranges::find(fields, name) != fields.end()) view_.flag(sent_name(name), !value.empty());
    }
}

View FormFaults::take() { return std::move(view_.list("errors", std::move(lines_))); }

void select_typed(View& page, const FieldOptions& options) {
    const auto* typed = std::get_if<std::string>(page.find(options.field));
    const auto* list = std::get_if<std::vector<View>>(page.find(options.list));
    if (typed == nullptr || list == nullptr) return;
    const auto is_typed = [&](const View& option) {
        const auto* value = std::get_if<std::string>(option.find("value"));
        return value != nullptr && *value == *typed;
    };
    if (std::ranges::none_of(*list, is_typed)) return;
    std::vector<View> changed = *list;
    for (View& option : changed) option.flag("is_selected", is_typed(option));
    page.list(options.list, std::move(changed));
}

}  // namespace consentry
