#include "pages/html_template.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/percent_encoding.hpp"
#include "pages/template_reader.hpp"

namespace consentry {

using detail::HtmlPosition;
using detail::Place;
using detail::TemplateNode;

namespace {

constexpr std::string_view message_prefix = "pages.";
constexpr int depth_max = 8;  // of templates within templates

// The names of the values that a message holds: {name}.
std::vector<std::string> names_in(std::string_view message) {
    std::vector<std::string> out;
    for (auto open = message.find('{'); open != std::string_view::npos; open = message.find('{', open + 1)) {
        const auto close = message.find('}', open);
        if (close == std::string_view::npos) break;
        out.emplace_back(message.substr(open + 1, close - open - 1));
    }
    return out;
}

// Reads one file, and the files it takes in.
class Reader {
public:
    Reader(const HtmlTemplate::Surroundings& surroundings, std::string_view file, std::span<const std::string> names,
           int depth = 0)
        : surroundings_(surroundings), file_(file), names_(names), depth_(depth) {
        try {
            text_ = surroundings.read(file);
        } catch (const std::out_of_range&) {
            fault("there is no such template");
        }
    }

    std::vector<TemplateNode> read() {
        std::vector<TemplateNode> out;
        read_until(out, {});
        if (!at_.in_text()) fault("the file ends within a tag");
        return out;
    }

private:
    [[noreturn]] void fault(const std::string& what) const { throw TemplateFault(file_, line_, what); }

    void read_until(std::vector<TemplateNode>& out, std::string_view section) {
        while (true) {
            const auto open = text_.find("{{", next_);
            add_literal(out, std::string_view(text_).substr(next_, open - next_));
            if (open == std::string::npos) {
                if (!section.empty()) fault("{{#" + std::string(section) + "}} has no end");
                return;
            }
            const auto close = text_.find("}}", open);
            if (close == std::string::npos) fault("a mark has no end: }} is missing");
            const std::string mark = text_.substr(open + 2, close - open - 2);
            next_ = close + 2;
            if (mark.starts_with('/')) {
                if (mark.substr(1) != section) fault("{{" + mark + "}} ends a section that was not begun here");
                return;
            }
            add_mark(out, mark);
            line_ += static_cast<std::size_t>(std::ranges::count(mark, '\n'));
        }
    }

    void add_literal(std::vector<TemplateNode>& out, std::string_view html) {
        // One line at a time, so that a fault names its own.
        for (std::size_t from = 0; from < html.size();) {
            const std::size_t newline = html.find('\n', from);
            const std::size_t end = newline == std::string_view::npos ? html.size() : newline + 1;
            if (const std::string wrong = at_.read(html.substr(from, end - from)); !wrong.empty()) fault(wrong);
            if (newline != std::string_view::npos) ++line_;
            from = end;
        }
        if (!html.empty()) out.push_back({.line = line_, .text = std::string(html), .children = {}});
    }

    void add_mark(std::vector<TemplateNode>& out, const std::string& mark) {
        if (mark.empty()) fault("a mark is empty");
        const std::string name = mark.substr(1);
        switch (mark.front()) {
            case '!':
                return;
            case '#':
                return add_section(out, TemplateNode::Kind::section, name);
            case '^':
                return add_section(out, TemplateNode::Kind::inverted, name);
            case '>':
                return add_other(out, name);
            case '@':
                return add_message(out, name);
            default:
                if (!is_letter(mark.front())) fault("{{" + mark + "}} is not known; text is always escaped");
                check_name(mark);
                out.push_back({TemplateNode::Kind::value, place(), line_, mark, {}});
        }
    }

    void add_section(std::vector<TemplateNode>& out, TemplateNode::Kind kind, const std::string& name) {
        check_name(name);
        const HtmlPosition before = at_;
        TemplateNode section{.kind = kind, .line = line_, .text = name, .children = {}};
        read_until(section.children, name);
        if (!(at_ == before)) fault("the section " + name + " must end where it began: in text, or in the same tag");
        out.push_back(std::move(section));
    }

    void add_other(std::vector<TemplateNode>& out, const std::string& name) {
        if (!at_.in_text()) fault("another template may be included only in text");
        if (depth_ == depth_max) fault("the templates include one another without end");
        std::vector<TemplateNode> taken = Reader(surroundings_, name, names_, depth_ + 1).read();
        std::ranges::move(taken, std::back_inserter(out));
    }

    void add_message(std::vector<TemplateNode>& out, const std::string& name) {
        const std::string key = std::string(message_prefix) + name;
        for (std::size_t i = 0; i < language_names.size(); ++i) {
            const auto message = surroundings_.locales.find(static_cast<Language>(i), key);
            if (!message) fault("there is no message " + key);
            for (const std::string& value : names_in(*message)) check_name(value);
        }
        out.push_back({TemplateNode::Kind::message, place(), line_, key, {}});
    }

    void check_name(const std::string& name) const {
        if (std::ranges::find(names_, name) == names_.end()) fault("the page has no value " + name);
    }

    Place place() {
        if (!at_.in_text() && !at_.in_value()) fault("a value may appear only in text or in a quoted attribute");
        const Place out = at_.place();
        at_.pass_mark();
        return out;
    }

    const HtmlTemplate::Surroundings& surroundings_;
    std::string file_;
    std::span<const std::string> names_;
    int depth_;
    std::string text_;
    std::size_t next_ = 0;
    std::size_t line_ = 1;
    HtmlPosition at_;
};

bool is_harmless_address(std::string_view address) {
    constexpr std::array<std::string_view, 6> beginnings{"/", "?", "#", "https://", "http://", "otpauth://totp/"};
    return std::ranges::any_of(beginnings, [&](std::string_view one) { return address.starts_with(one); }) &&
           !address.starts_with("//") && !address.contains('\\');
}

bool is_shown(const View::Value* value) {
    if (value == nullptr) return false;
    if (const auto* flag = std::get_if<bool>(value)) return *flag;
    if (const auto* text = std::get_if<std::string>(value)) return !text->empty();
    if (const auto* html = std::get_if<Html>(value)) return !html->empty();
    return !std::get<std::vector<View>>(*value).empty();
}

// One rendering. Inner views hide the values of outer ones.
class Writer {
public:
    Writer(const Locales& locales, Language language, const View& view)
        : locales_(locales), language_(language), views_{&view} {}

    void write(const std::vector<TemplateNode>& nodes) {
        for (const TemplateNode& node : nodes) write(node);
    }
    std::string take() { return std::move(out_); }

private:
    const View::Value* find(std::string_view name) const {
        for (auto view = views_.rbegin(); view != views_.rend(); ++view)
            if (const auto* value = (*view)->find(name)) return value;
        return nullptr;
    }

    void write(const TemplateNode& node) {
        switch (node.kind) {
            case TemplateNode::Kind::literal:
                out_ += node.text;
                return;
            case TemplateNode::Kind::value:
                return write_value(find(node.text), node.place);
            case TemplateNode::Kind::message:
                return write_message(node);
            case TemplateNode::Kind::section:
                return write_section(node, find(node.text));
            case TemplateNode::Kind::inverted:
                if (!is_shown(find(node.text))) write(node.children);
                return;
        }
    }

    void write_section(const TemplateNode& node, const View::Value* value) {
        if (!is_shown(value)) return;
        const auto* list = std::get_if<std::vector<View>>(value);
        if (list == nullptr) return write(node.children);
        for (const View& view : *list) {
            views_.push_back(&view);
            write(node.children);
            views_.pop_back();
        }
    }

    void write_value(const View::Value* value, Place place) {
        if (value == nullptr) return;
        if (const auto* html = std::get_if<Html>(value)) {
            if (place == Place::text) out_ += html->text();
            return;
        }
        if (const auto* text = std::get_if<std::string>(value)) write_text(*text, place);
    }

    void write_text(std::string_view text, Place place) {
        if (place == Place::address && !is_harmless_address(text))
            out_ += '#';
        else if (place == Place::address_part)
            out_ += percent_encoded(text);
        else
            out_ += Html::of_text(text).text();
    }

    // The message is escaped too: translators write text.
    void write_message(const TemplateNode& node) {
        const std::string_view message = locales_.text(language_, node.text);
        std::size_t from = 0;
        for (const std::string& name : names_in(message)) {
            const auto open = message.find("{" + name + "}", from);
            write_text(message.substr(from, open - from), node.place);
            write_value(find(name), node.place);
            from = open + name.size() + 2;
        }
        write_text(message.substr(from), node.place);
    }

    const Locales& locales_;
    Language language_;
    std::vector<const View*> views_;
    std::string out_;
};

void check_names(const View& view, const std::vector<std::string>& names) {
    for (const auto& [name, value] : view.values()) {
        if (std::ranges::find(names, name) == names.end())
            throw std::logic_error("a page shows a value that it did not declare: " + name);
        if (const auto* list = std::get_if<std::vector<View>>(&value))
            for (const View& inner : *list) check_names(inner, names);
    }
}

}  // namespace

TemplateFault::TemplateFault(std::string_view file, std::size_t line, const std::string& what)
    : std::runtime_error(fmt::format("{}, line {}: {}", file, line, what)) {}

HtmlTemplate::HtmlTemplate(const Surroundings& surroundings, std::string_view file, std::span<const std::string> names)
    : locales_(&surroundings.locales),
      names_(names.begin(), names.end()),
      nodes_(Reader(surroundings, file, names).read()) {}

HtmlTemplate::~HtmlTemplate() = default;
HtmlTemplate::HtmlTemplate(HtmlTemplate&&) noexcept = default;

Html HtmlTemplate::render(Language language, const View& view) const {
    check_names(view, names_);
    Writer writer(*locales_, language, view);
    writer.write(nodes_);
    return Html::rendered(writer.take());
}

}  // namespace consentry
