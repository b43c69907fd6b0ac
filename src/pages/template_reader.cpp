#include "pages/template_reader.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace consentry::detail {
namespace {

constexpr std::array<std::string_view, 6> elements_refused{"script", "style", "iframe", "object", "embed", "base"};
constexpr std::array<std::string_view, 4> address_attributes{"href", "src", "action", "formaction"};

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

}  // namespace

std::string HtmlPosition::read(std::string_view html) {
    for (const char c : html)
        if (std::string fault = step(c); !fault.empty()) return fault;
    return {};
}

Place HtmlPosition::place() const {
    if (in_text()) return Place::text;
    if (std::ranges::find(address_attributes, attribute_) == address_attributes.end()) return Place::attribute;
    return value_is_empty_ ? Place::address : Place::address_part;
}

bool HtmlPosition::is_refused(std::string_view attribute) {
    return attribute.starts_with("on") || attribute == "style" || attribute == "srcdoc" || attribute == "srcset";
}

std::string HtmlPosition::begin_tag_name(char c) {
    if (c == '!') {
        state_ = State::comment;
        comment_end_.clear();
        return {};
    }
    if (!is_letter(c) && c != '/') return "a '<' that begins no tag must be written &lt;";
    state_ = State::name;
    element_ = c == '/' ? "" : std::string(1, lower_letter(c));
    return {};
}

std::string HtmlPosition::step(char c) {
    switch (state_) {
        case State::text:
            if (c == '<') state_ = State::opened;
            return {};
        case State::opened:
            return begin_tag_name(c);
        case State::comment:  // a doctype ends in the same way
            comment_end_ += c;
            if (c == '>' && (!comment_end_.starts_with("--") || comment_end_.ends_with("-->"))) state_ = State::text;
            return {};
        case State::name:
            if (is_alphanumeric(c) || c == '-') return element_ += lower_letter(c), std::string();
            if (std::ranges::find(elements_refused, element_) != elements_refused.end())
                return "the security policy of the pages forbids the element " + element_;
            state_ = State::tag;
            return step(c);
        case State::tag:
            if (c == '>') state_ = State::text;
            if (c == '>' || is_space(c) || c == '/') return {};
            if (!is_letter(c)) return "an attribute begins with a letter";
            state_ = State::attribute;
            attribute_ = std::string(1, lower_letter(c));
            return {};
        case State::attribute:
            if (is_alphanumeric(c) || c == '-') return attribute_ += lower_letter(c), std::string();
            if (is_refused(attribute_)) return "the security policy of the pages forbids the attribute " + attribute_;
            state_ = State::after_attribute;
            return step(c);
        case State::after_attribute:
            if (c != '=') return state_ = State::tag, step(c);
            state_ = State::equals;
            return {};
        case State::equals:
            if (c != '"') return "the value of an attribute must be in double quotation marks";
            state_ = State::value;
            value_is_empty_ = true;
            return {};
        case State::value:
            if (c == '"') state_ = State::tag;
            value_is_empty_ = false;
            return {};
    }
    return {};
}

}  // namespace consentry::detail
