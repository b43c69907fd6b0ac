#include "tests/support/mailbox.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "tests/support/files.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;

// Decodes the subset of RFC 2047 that the service writes: base64 of UTF-8. White space between two encoded words is
// dropped.
std::string decoded_words(std::string_view text) {
    constexpr std::string_view begin = "=?UTF-8?B?";
    std::string out;
    while (!text.empty()) {
        const std::size_t at = text.find(begin);
        const std::string_view between = text.substr(0, at);
        if (out.empty() || !trim(between).empty()) out += between;
        if (at == std::string_view::npos) return out;
        text.remove_prefix(at + begin.size());
        const std::size_t end = text.find("?=");
        const auto bytes = from_base64(text.substr(0, end));
        if (!bytes) throw std::runtime_error("an encoded word that is none");
        out += as_text(*bytes);
        text.remove_prefix(end + 2);
    }
    return out;
}

std::string decoded_quoted(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '=') {
            out.push_back(text[i]);
        } else if (text.substr(i + 1, 2) == "\r\n") {
            i += 2;
        } else {
            const auto byte = from_hex(text.substr(i + 1, 2));
            if (!byte) throw std::runtime_error("quoted-printable that is none");
            out.push_back(static_cast<char>(byte->front()));
            i += 2;
        }
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> headers_of(std::string_view head) {
    std::vector<std::pair<std::string, std::string>> out;
    while (!head.empty()) {
        const std::size_t end = std::min(head.find("\r\n"), head.size());
        const std::string_view line = head.substr(0, end);
        head.remove_prefix(std::min(end + 2, head.size()));
        if (line.starts_with(' ') || line.starts_with('\t')) {
            out.back().second += line;
        } else {
            const std::size_t colon = line.find(':');
            if (colon == std::string_view::npos) throw std::runtime_error("a header line without a colon");
            out.emplace_back(to_lower_ascii(line.substr(0, colon)), trim(line.substr(colon + 1)));
        }
    }
    for (auto& [name, value] : out) value = decoded_words(value);
    return out;
}

struct Entity {
    std::vector<std::pair<std::string, std::string>> headers;
    std::string_view body;

    std::string header(std::string_view name) const {
        for (const auto& [key, value] : headers)
            if (key == name) return value;
        return {};
    }
};

Entity entity_of(std::string_view text) {
    const std::size_t gap = text.find("\r\n\r\n");
    if (gap == std::string_view::npos) throw std::runtime_error("a mail without an end of its header");
    return {headers_of(text.substr(0, gap + 2)), text.substr(gap + 4)};
}

std::string content_of(const Entity& entity) {
    std::string text = entity.header("content-transfer-encoding") == "quoted-printable" ? decoded_quoted(entity.body)
                                                                                        : std::string(entity.body);
    std::erase(text, '\r');
    return text;
}

bool fits(const ReceivedMail& mail, std::string_view to, std::string_view kind_or_subject) {
    return (to.empty() || mail.to == to) &&
           (kind_or_subject.empty() || mail.kind == kind_or_subject || mail.subject == kind_or_subject);
}

}  // namespace

std::string ReceivedMail::header(std::string_view lower_case_name) const {
    for (const auto& [name, value] : headers)
        if (name == lower_case_name) return value;
    return {};
}

std::string ReceivedMail::link() const {
    const std::size_t at = text.find(":\nhttp");
    if (at == std::string::npos) return {};
    return text.substr(at + 2, text.find('\n', at + 2) - at - 2);
}

std::string ReceivedMail::token() const {
    const std::string address = link();
    return address.substr(address.rfind('/') + 1);
}

std::string ReceivedMail::secret() const {
    constexpr std::string_view margin = "\n    ";
    const std::size_t at = text.find(margin);
    if (at == std::string::npos) return {};
    return text.substr(at + margin.size(), text.find('\n', at + 1) - at - margin.size());
}

ReceivedMail read_mail(const std::string& raw) {
    const Entity whole = entity_of(raw);
    ReceivedMail out;
    out.headers = whole.headers;
    out.raw = raw;
    out.to = whole.header("to");
    out.subject = whole.header("subject");
    out.kind = whole.header("x-mail-kind");
    const std::string from = whole.header("from");
    const std::size_t open = from.rfind('<');
    out.from = from.substr(open + 1, from.size() - open - 2);

    const std::string type = whole.header("content-type");
    const std::size_t quote = type.find('"');
    const std::string boundary = "--" + type.substr(quote + 1, type.rfind('"') - quote - 1) + "\r\n";
    const std::string last = boundary.substr(0, boundary.size() - 2) + "--\r\n";
    const std::size_t first = whole.body.find(boundary);
    const std::size_t second = whole.body.find("\r\n" + boundary, first);
    const std::size_t end = whole.body.find("\r\n" + last, second);
    if (quote == std::string::npos || first != 0 || second == std::string_view::npos || end == std::string_view::npos)
        throw std::runtime_error("not a mail of two parts");
    const Entity text = entity_of(whole.body.substr(boundary.size(), second - boundary.size()));
    const std::size_t html_at = second + 2 + boundary.size();
    const Entity html = entity_of(whole.body.substr(html_at, end - html_at));
    out.text = content_of(text);
    out.html = content_of(html);
    return out;
}

std::vector<ReceivedMail> Mailbox::all(std::string_view to, std::string_view kind_or_subject) const {
    std::vector<fs::path> files;
    if (fs::is_directory(folder_))
        for (const auto& entry : fs::directory_iterator(folder_))
            if (entry.path().extension() == ".eml") files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<ReceivedMail> out;
    for (const fs::path& file : files) {
        ReceivedMail mail = read_mail(text_in(file));
        if (fits(mail, to, kind_or_subject)) out.push_back(std::move(mail));
    }
    return out;
}

ReceivedMail Mailbox::wait_for(std::string_view to, std::string_view kind_or_subject, std::size_t nth) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    for (;;) {
        auto found = all(to, kind_or_subject);
        if (found.size() > nth) return std::move(found[nth]);
        if (std::chrono::steady_clock::now() > end)
            throw std::runtime_error("no mail to " + std::string(to) + ": " + std::string(kind_or_subject));
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
}

void Mailbox::clear() const {
    if (!fs::is_directory(folder_)) return;
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry.path());
}

}  // namespace consentry::tests
