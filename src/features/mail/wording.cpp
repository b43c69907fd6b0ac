#include "features/mail/wording.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "base/embedded.hpp"
#include "base/html.hpp"
#include "base/shown_time.hpp"
#include "features/mail/shown_text.hpp"

namespace consentry {

std::span<const EmbeddedFile> mail_layout();

namespace {

std::string_view fact(const MailFacts& facts, std::string_view name) {
    const auto found = std::ranges::find(facts, name, &MailFacts::value_type::first);
    return found == facts.end() ? std::string_view() : std::string_view(found->second);
}

std::string required_fact(const MailFacts& facts, std::string_view name) {
    const std::string_view value = fact(facts, name);
    if (value.empty()) throw std::runtime_error("a mail lacks its fact " + std::string(name));
    return std::string(value);
}

std::vector<std::string_view> paragraphs_of(std::string_view text) {
    std::vector<std::string_view> out;
    while (true) {
        const std::size_t end = text.find("\n\n");
        out.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return out;
        text.remove_prefix(end + 2);
    }
}

// Builds the text and the HTML form of a mail together, so that both say the same.
class Page {
public:
    Page(const Locales& locales, Language language) : locales_(locales), language_(language) {}

    void paragraph(std::string_view text) {
        text_.append(text).append("\n\n");
        html_.append("<p>").append(html_escaped(text)).append("</p>\n");
    }
    void link(std::string_view label, const std::string& url) {
        text_.append(locales_.text(language_, "mail.label", {{"label", label}}))
            .append("\n")
            .append(url)
            .append("\n\n");
        html_.append("<p><a class=\"button\" href=\"").append(html_escaped(url)).append("\">");
        html_.append(html_escaped(label))
            .append("</a></p>\n<p class=\"small\">")
            .append(html_escaped(url))
            .append("</p>\n");
    }
    void secret(std::string_view text) {
        text_.append("    ").append(text).append("\n\n");
        html_.append("<p class=\"secret\">").append(html_escaped(text)).append("</p>\n");
    }
    void details(const std::vector<std::pair<std::string_view, std::string>>& rows) {
        html_.append("<table>\n");
        for (const auto& [label, value] : rows) {
            text_.append(locales_.text(language_, "mail.detail", {{"label", label}, {"value", value}})).append("\n");
            html_.append("<tr><th>").append(html_escaped(label)).append("</th><td>");
            html_.append(html_escaped(value)).append("</td></tr>\n");
        }
        text_.push_back('\n');
        html_.append("</table>\n");
    }
    const std::string& text() const { return text_; }
    const std::string& html() const { return html_; }

private:
    const Locales& locales_;
    Language language_;
    std::string text_;
    std::string html_;
};

std::string laid_out(std::initializer_list<std::pair<std::string_view, std::string_view>> places) {
    std::string_view layout = mail_layout().front().bytes;
    std::string out;
    for (std::size_t at = layout.find("{{"); at != std::string_view::npos; at = layout.find("{{")) {
        const std::size_t end = layout.find("}}", at);
        const auto place = std::ranges::find(places, layout.substr(at + 2, end - at - 2),
                                             &std::pair<std::string_view, std::string_view>::first);
        if (place == places.end()) throw std::logic_error("the layout of mails has a place that nothing fills");
        out.append(layout.substr(0, at)).append(place->second);
        layout.remove_prefix(end + 2);
    }
    return out.append(layout);
}

// Mails that report an action also say where it came from and with which client. The others explain themselves.
bool tells_of_a_deed(MailKind kind) {
    using enum MailKind;
    return kind != verify_email && kind != forgot_password && kind != temporary_password && kind != welcome &&
           kind != policy_published;
}

std::string joined(std::string_view base, const std::string& token) { return std::string(base) + '/' + token; }

}  // namespace

MailWriter::MailWriter(const Locales& locales, MailSite site) : locales_(locales), site_(std::move(site)) {}

Wording MailWriter::write(MailKind kind, Language language, const MailFacts& facts, TimePoint written_at) const {
    using enum MailKind;
    const auto lifetime = kind == forgot_password ? site_.forgot_password_lifetime : site_.verification_lifetime;
    const seconds valid_for = kind == two_factor_reset ? site_.set_up_lifetime : site_.temporary_password_lifetime;
    boost::json::object values{
        {"homeName", site_.name},      {"homeUrl", site_.url},
        {"support", site_.support},    {"provider", shown_name(fact(facts, "provider"))},
        {"minutes", lifetime.count()}, {"until", shown_time(written_at + valid_for)},
    };
    if (kind == policy_published) {
        values["policy"] = locales_.text(language, "termPolicy.type." + required_fact(facts, "type"));
        values["version"] = required_fact(facts, "version");
    }
    const std::string name = "mail." + std::string(name_of(kind));
    const auto say = [&](std::string_view key) { return locales_.text(language, key, values); };

    Page page(locales_, language);
    page.paragraph(say("mail.greeting"));
    const std::string text = say(name + ".text");
    for (const std::string_view paragraph : paragraphs_of(text)) page.paragraph(paragraph);
    if (kind == verify_email || kind == forgot_password)
        page.link(say(name + ".button"),
                  joined(kind == verify_email ? site_.verification_url : site_.forgot_password_url,
                         required_fact(facts, "token")));
    if (kind == policy_published) page.link(say(name + ".button"), required_fact(facts, "url"));
    if (kind == temporary_password) page.secret(required_fact(facts, "password"));
    if (tells_of_a_deed(kind)) {
        std::vector<std::pair<std::string_view, std::string>> rows;
        const std::string when = say("mail.when");
        const std::string where = say("mail.address");
        const std::string with = say("mail.device");
        rows.emplace_back(when, shown_time(written_at));
        if (auto address = shown_address(fact(facts, "address")); !address.empty())
            rows.emplace_back(where, std::move(address));
        std::string device = shown_name(fact(facts, "device"));
        const std::string agent = shown_agent(fact(facts, "userAgent"));
        if (!agent.empty()) device = device.empty() ? agent : device + " (" + agent + ')';
        if (!device.empty()) rows.emplace_back(with, std::move(device));
        page.details(rows);
    }
    if (locales_.find(language, name + ".after")) page.paragraph(say(name + ".after"));
    if (!site_.support.empty()) page.paragraph(say("mail.support"));

    Wording out;
    out.subject = say(name + ".subject");
    const std::string footer = say("mail.footer");
    out.text = page.text() + "-- \n" + footer + '\n' + site_.url + '\n';
    out.html = laid_out({{"language", name_of(language)},
                         {"title", html_escaped(out.subject)},
                         {"name", html_escaped(site_.name)},
                         {"body", page.html()},
                         {"footer", html_escaped(footer)},
                         {"url", html_escaped(site_.url)}});
    return out;
}

}  // namespace consentry
