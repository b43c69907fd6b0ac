// Reads a template into nodes, and checks it; see html_template.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace consentry::detail {

// Where in HTML a value stands.
enum class Place : std::uint8_t { text, attribute, address, address_part };

struct TemplateNode {
    enum class Kind : std::uint8_t { literal, value, message, section, inverted };
    Kind kind = Kind::literal;
    Place place = Place::text;
    std::size_t line = 0;
    std::string text;  // of a literal; otherwise the name
    std::vector<TemplateNode> children;
};

// Follows HTML from one mark to the next.
class HtmlPosition {
public:
    // Returns what is wrong with the HTML, or an empty text.
    std::string read(std::string_view html);
    bool in_text() const { return state_ == State::text; }
    bool in_value() const { return state_ == State::value; }
    // Only in text and in a value.
    Place place() const;
    // Notes that a mark stood here.
    void pass_mark() { value_is_empty_ = false; }
    bool operator==(const HtmlPosition& other) const {
        return state_ == other.state_ && (state_ != State::value || attribute_ == other.attribute_);
    }

private:
    enum class State : std::uint8_t { text, opened, name, tag, attribute, after_attribute, equals, value, comment };
    // Attributes that hold a script or a style.
    static bool is_refused(std::string_view attribute);
    std::string step(char c);
    std::string begin_tag_name(char c);

    State state_ = State::text;
    std::string element_;
    std::string attribute_;
    std::string comment_end_;
    bool value_is_empty_ = true;
};

}  // namespace consentry::detail
