#include "markup/markdown.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include <cmark.h>
#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/html.hpp"
#include "base/percent_encoding.hpp"
#include "base/text.hpp"

namespace consentry::markup {
namespace {

using Document = std::unique_ptr<cmark_node, decltype(&cmark_node_free)>;
using Walk = std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)>;

std::string_view text_of(const char* text) { return text ? std::string_view(text) : std::string_view(); }

// `address` is as browsers see it: cmark has decoded character references.
bool may_lead_there(std::string_view address) {
    constexpr std::array<std::string_view, 3> schemes{"http://", "https://", "mailto:"};
    return std::ranges::any_of(schemes, [&](std::string_view scheme) {
        return equal_ignoring_case(address.substr(0, scheme.size()), scheme);
    });
}

// For a quoted attribute. What is not allowed in a URL is percent-encoded.
std::string url_escaped(std::string_view address) {
    constexpr std::string_view kept = "~-_.+!*(),%#@?=;:/$";
    std::string out;
    for (const char c : address) {
        if (c == '&')
            out += "&amp;";
        else if (is_alphanumeric(c) || kept.contains(c))
            out.push_back(c);
        else
            append_percent_encoded(out, c);
    }
    return out;
}

// Writes the HTML of a document, node by node.
class Writer {
public:
    explicit Writer(int heading_shift) : heading_shift_(heading_shift) {}

    std::string take() { return std::move(out_); }

    void write(cmark_node* node, bool entering) {
        const cmark_node_type type = cmark_node_get_type(node);
        switch (type) {
            case CMARK_NODE_TEXT:
            case CMARK_NODE_HTML_INLINE:
                out_ += html_escaped(text_of(cmark_node_get_literal(node)));
                break;
            case CMARK_NODE_CODE:
                inline_element("code", true);
                out_ += html_escaped(text_of(cmark_node_get_literal(node)));
                inline_element("code", false);
                break;
            case CMARK_NODE_SOFTBREAK:
                out_ += '\n';
                break;
            case CMARK_NODE_LINEBREAK:
                out_ += images_ == 0 ? "<br>\n" : "\n";
                break;
            case CMARK_NODE_EMPH:
                inline_element("em", entering);
                break;
            case CMARK_NODE_STRONG:
                inline_element("strong", entering);
                break;
            case CMARK_NODE_LINK:
                link(node, entering);
                break;
            case CMARK_NODE_IMAGE:
                if (entering) link(node, true);
                images_ += entering ? 1 : -1;
                if (!entering) link(node, false);
                break;
            default:
                block(node, type, entering);
        }
    }

private:
    void block(cmark_node* node, cmark_node_type type, bool entering) {
        switch (type) {
            case CMARK_NODE_PARAGRAPH:
                if (!is_in_tight_list(node)) out_ += entering ? "<p>" : "</p>\n";
                break;
            case CMARK_NODE_HEADING: {
                const int level = std::clamp(cmark_node_get_heading_level(node) + heading_shift_, 1, 6);
                out_ += entering ? fmt::format("<h{}>", level) : fmt::format("</h{}>\n", level);
                break;
            }
            case CMARK_NODE_LIST:
                list(node, entering);
                break;
            case CMARK_NODE_ITEM:
                out_ += entering ? "<li>" : "</li>\n";
                break;
            case CMARK_NODE_BLOCK_QUOTE:
                out_ += entering ? "<blockquote>\n" : "</blockquote>\n";
                break;
            case CMARK_NODE_CODE_BLOCK:
                out_ += "<pre><code>" + html_escaped(text_of(cmark_node_get_literal(node))) + "</code></pre>\n";
                break;
            case CMARK_NODE_HTML_BLOCK:
                out_ += "<pre>" + html_escaped(text_of(cmark_node_get_literal(node))) + "</pre>\n";
                break;
            case CMARK_NODE_THEMATIC_BREAK:
                out_ += "<hr>\n";
                break;
            default:
                break;  // the document itself
        }
    }

    static bool is_in_tight_list(cmark_node* paragraph) {
        cmark_node* item = cmark_node_parent(paragraph);
        return cmark_node_get_type(item) == CMARK_NODE_ITEM && cmark_node_get_list_tight(cmark_node_parent(item)) != 0;
    }

    void list(cmark_node* node, bool entering) {
        const bool numbered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST;
        const int start = cmark_node_get_list_start(node);
        if (!entering)
            out_ += numbered ? "</ol>\n" : "</ul>\n";
        else if (numbered && start != 1)
            out_ += fmt::format("<ol start=\"{}\">\n", start);
        else
            out_ += numbered ? "<ol>\n" : "<ul>\n";
    }

    // The content of an image is plain text.
    void inline_element(std::string_view name, bool entering) {
        if (images_ == 0) out_ += fmt::format("<{}{}>", entering ? "" : "/", name);
    }

    // Within another link or the content of an image, nothing opens.
    void link(cmark_node* node, bool entering) {
        if (!entering) {
            if (node != open_link_) return;
            out_ += "</a>";
            open_link_ = nullptr;
            return;
        }
        const std::string_view address = text_of(cmark_node_get_url(node));
        if (open_link_ || images_ > 0 || !may_lead_there(address)) return;
        open_link_ = node;
        out_ += fmt::format("<a href=\"{}\" rel=\"noopener noreferrer nofollow\"", url_escaped(address));
        const std::string_view title = text_of(cmark_node_get_title(node));
        if (!title.empty()) out_ += fmt::format(" title=\"{}\"", html_escaped(title));
        out_ += '>';
    }

    const int heading_shift_;
    std::string out_;
    const cmark_node* open_link_ = nullptr;
    int images_ = 0;  // open ones
};

}  // namespace

SafeHtml render_markdown(std::string_view text, int heading_shift) {
    const Document document(cmark_parse_document(text.data(), text.size(), CMARK_OPT_VALIDATE_UTF8), cmark_node_free);
    const Walk walk(cmark_iter_new(document.get()), cmark_iter_free);
    Writer writer(heading_shift);
    for (cmark_event_type event = cmark_iter_next(walk.get()); event != CMARK_EVENT_DONE;
         event = cmark_iter_next(walk.get()))
        writer.write(cmark_iter_get_node(walk.get()), event == CMARK_EVENT_ENTER);
    return SafeHtmlMaker::of(writer.take());
}

}  // namespace consentry::markup
