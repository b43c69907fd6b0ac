// Reads the fields of a form into its DTO, and says in words what is wrong with them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/locales.hpp"
#include "base/report.hpp"
#include "http/schema/parse.hpp"
#include "pages/view.hpp"

namespace consentry {

// A field of a form with options to choose from.
struct FieldOptions {
    std::string_view field;
    std::string_view list;  // of views with `value` and `is_selected`
};

// A form is a DTO (http/schema/fields.hpp) that also states which of its fields a page may show again after a fault:
//
//     static constexpr std::array<std::string_view, 1> shown_again{"email"};
//
// What it does not list, such as a password, is never sent back. If a field has options to choose from, the form names
// their list, so that what was chosen stays chosen:
//
//     static constexpr std::array<FieldOptions, 1> options{{{"gender", "genders"}}};
//
// It may have a function tidy(fields) that normalizes what people type in their own way, such as a space within a code.
template <class Form>
Report read_form_fields(std::vector<http::NamedText> fields, Form& out) {
    // An optional field that a person left empty is absent.
    std::apply(
        [&](const auto&... field) {
            const auto drop_if_empty =
                [&]<class Dto, class T, class... Rules>(const http::Field<Dto, T, Rules...>& one) {
                    if constexpr (http::IsOptional<T>::value)
                        std::erase_if(fields, [&](const http::NamedText& text) {
                            return text.name == one.name && text.value.empty();
                        });
                };
            (drop_if_empty(field), ...);
        },
        http::fields_of<Form>);
    Report report;
    http::read_texts(std::span<const http::NamedText>(fields), out, report);
    return report;
}

template <class Form>
std::vector<std::string> field_names() {
    std::vector<std::string> out;
    std::apply([&](const auto&... field) { (out.emplace_back(field.name), ...); }, http::fields_of<Form>);
    return out;
}

// The values of a view that a form's page can show: for each field its name, <name>_error, and <name>_sent: whether
// something was typed there. `errors` lists all of them for a summary: `field` and `text` of each, or `text` alone if
// it is about the form as a whole.
std::vector<std::string> form_value_names(const std::vector<std::string>& fields);

// What a page shows of a form that it cannot accept.
class FormFaults {
public:
    FormFaults(const Locales& locales, Language language) : locales_(locales), language_(language) {}
    // The first violation of each field.
    void add(const std::vector<Violation>& violations, const std::vector<std::string>& fields);
    // About the form as a whole, unless the refusal is known to be about one field. A refusal that lists violations
    // adds those instead. The message pages.<key>, if there is one, replaces the message <key> of the API, which names
    // no link of the page.
    void add(const Error& refusal, const std::vector<std::string>& fields);
    void add_message(std::string_view key);
    // Keeps what was typed in the fields of `shown_again`, and, of all `fields`, whether something was.
    void keep(const std::vector<http::NamedText>& typed, std::span<const std::string_view> shown_again,
              const std::vector<std::string>& fields);
    View take();

private:
    void add_line(std::string_view field, const std::string& text);
    std::string text_of(const Violation& violation) const;
    std::string label_of(std::string_view field) const;

    const Locales& locales_;
    Language language_;
    View view_;
    std::vector<View> lines_;
};

// Selects the option that was chosen before. If there is no such option, the page keeps its own choice.
void select_typed(View& page, const FieldOptions& options);

}  // namespace consentry
