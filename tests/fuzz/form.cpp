// Forms: decoded fields are UTF-8 without NUL, their number is bounded, and the fields encode to a form with the same
// fields.
#include "http/form.hpp"

#include "base/percent_encoding.hpp"
#include "base/text.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const auto fields = http::read_form(fuzz::text_of(data, size));
    if (!fields) return 0;
    fuzz::require(fields->size() <= http::form_fields_max, "the number of fields is bounded");
    std::string again;
    for (const auto& [name, value] : *fields) {
        fuzz::require(code_points(name) && code_points(value), "names and values are UTF-8");
        fuzz::require(!name.contains('\0') && !value.contains('\0'), "names and values hold no NUL");
        again.append(again.empty() ? "" : "&").append(percent_encoded(name) + "=" + percent_encoded(value));
    }
    const auto reread = http::read_form(again);
    fuzz::require(reread && reread->size() == fields->size(), "the fields are a form");
    for (std::size_t i = 0; i < fields->size(); ++i)
        fuzz::require((*reread)[i].name == (*fields)[i].name && (*reread)[i].value == (*fields)[i].value,
                      "the same form");
    return 0;
}
