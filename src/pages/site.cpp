#include "pages/site.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/bytes.hpp"
#include "base/embedded.hpp"
#include "base/percent_encoding.hpp"
#include "base/whole_file.hpp"
#include "base/wrong_settings.hpp"
#include "crypto/digest.hpp"
#include "http/endpoint/inputs.hpp"
#include "pages/accept_language.hpp"
#include "pages/notes.hpp"
#include "pages/request_parts.hpp"

namespace consentry {

std::span<const EmbeddedFile> page_files();  // assets/pages

namespace {

constexpr std::string_view layout_file = "layout.html";
constexpr std::string_view style_file = "style.css";
constexpr std::size_t file_bytes_max = 262'144;
constexpr std::size_t logo_bytes_max = 24'576;  // a first page has at most 40 kB

constexpr std::string_view page_headers = "Cross-Origin-Opener-Policy: same-origin\r\n";

// The values of every page.
const std::vector<std::string>& shared_names() {
    static const std::vector<std::string> names{"page_language", "service", "csrf",       "return", "is_signed_in",
                                                "has_docs",      "style",   "logo",       "done",   "has_choices",
                                                "title",         "content", "choices",    "code",   "choice",
                                                "is_chosen",     "home",    "in_language"};
    return names;
}

std::string read_file(const std::filesystem::path& path, std::size_t bytes_max) {
    auto bytes = read_whole_file(path, bytes_max);
    if (!bytes) throw WrongSettings("cannot read " + path.string());
    if (bytes->size() > bytes_max)
        throw WrongSettings(path.string() + " has more than " + std::to_string(bytes_max) + " bytes");
    return std::move(*bytes);
}

std::string_view type_of(std::string_view extension) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> types{{{".css", "text/css; charset=utf-8"},
                                                                                  {".svg", "image/svg+xml"},
                                                                                  {".png", "image/png"},
                                                                                  {".jpg", "image/jpeg"},
                                                                                  {".jpeg", "image/jpeg"},
                                                                                  {".webp", "image/webp"}}};
    const auto found = std::ranges::find(types, extension, &std::pair<std::string_view, std::string_view>::first);
    if (found == types.end()) throw WrongSettings("the file must end in .svg, .png, .jpg, .jpeg or .webp");
    return found->second;
}

// Scripts cannot run, and nothing comes from elsewhere. Browsers apply form-action to the redirect after a form too, so
// it names the hosts to which a login returns, and on a page with their buttons the identity providers.
std::string policy_of(const ReturnHosts& hosts, const std::vector<std::string>& form_origins = {}) {
    std::string form_action = "'self'";
    for (const std::string& origin : hosts.origins()) form_action += " " + origin;
    for (const std::string& origin : form_origins) form_action += " " + origin;
    return "default-src 'none'; style-src 'self'; img-src 'self'; form-action " + form_action +
           "; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
}

// A browser enters a guarded host where it gets a cookie of that host.
std::string location_of(const Address& address) {
    const std::string& text = address.text();
    if (!address.is_of_host()) return text;
    const auto path = text.find('/', text.find("://") + 3);
    return text.substr(0, path) + std::string(guarded_root) + "/start?return=" + percent_encoded(text.substr(path));
}

void add(std::string& query, std::string_view name, std::string_view value) {
    if (!value.empty()) query.append(percent_encoded(name)).append("=").append(percent_encoded(value)).append("&");
}

// The query of the request but for its language, to be continued.
std::string own_query(const http::Request& request) {
    std::string out;
    for (const http::NamedText& field : http::parse_query(request.query).value_or(std::vector<http::NamedText>{}))
        if (field.name != language_field) add(out, field.name, field.value);
    return out;
}

boost::asio::awaitable<std::optional<std::string>> next_of(std::shared_ptr<std::optional<std::string>> left) {
    co_return std::exchange(*left, std::nullopt);
}

}  // namespace

PageAnswer PageAnswer::of_file(std::string content_type, std::string file_name, std::string bytes) {
    // The piece is taken once; after it the stream ends.
    auto left = std::make_shared<std::optional<std::string>>(std::move(bytes));
    const std::size_t length = (*left)->size();
    return of_file(
        http::Stream{.content_type = std::move(content_type),
                     .file_name = std::move(file_name),
                     .next = [left]() -> boost::asio::awaitable<std::optional<std::string>> { return next_of(left); },
                     .length = length});
}

Site::Site(const Locales& locales, SiteSettings settings)
    : locales_(locales), settings_(std::move(settings)), content_security_policy_(policy_of(settings_.return_hosts)) {
    check_folder();
    style_path_ = add_file("style", ".css", read(style_file) + settings_.colors.style()).path;
    if (!settings_.logo.empty()) add_logo();
    layout_ = std::make_unique<HtmlTemplate>(load(layout_file, shared_names()));
}

HtmlTemplate Site::load(std::string_view file, const std::vector<std::string>& names) const {
    try {
        return {{locales_, [this](std::string_view one) { return read(one); }}, file, names};
    } catch (const TemplateFault& fault) {
        throw WrongSettings(std::string("PAGES_DIR: ") + fault.what());
    }
}

void Site::add_logo() {
    try {
        std::string bytes = read_file(settings_.logo, logo_bytes_max);
        logo_path_ = add_file("logo", settings_.logo.extension().string(), std::move(bytes)).path;
    } catch (const std::exception&) {
        throw_as_fault_of("PAGES_LOGO");
    }
}

// A file with a name that we do not know would never be used, and its author would not learn why.
void Site::check_folder() const {
    if (settings_.folder.empty()) return;
    if (!std::filesystem::is_directory(settings_.folder))
        throw WrongSettings("PAGES_DIR: " + settings_.folder.string() + " is not a folder");
    for (const auto& entry : std::filesystem::directory_iterator(settings_.folder)) {
        const std::string name = entry.path().filename().string();
        const bool is_ours = std::ranges::any_of(page_files(), [&](const EmbeddedFile& f) { return f.name == name; });
        if (!is_ours && (name.ends_with(".html") || name.ends_with(".css")))
            throw WrongSettings("PAGES_DIR: " + entry.path().string() + " replaces no file of the pages");
    }
}

std::string Site::read(std::string_view file) const {
    if (!settings_.folder.empty())
        if (const auto own = settings_.folder / file; std::filesystem::exists(own)) try {
                return read_file(own, file_bytes_max);
            } catch (const std::exception&) {
                throw_as_fault_of("PAGES_DIR");
            }
    const auto files = page_files();
    const auto found = std::ranges::find(files, file, &EmbeddedFile::name);
    if (found == files.end()) throw std::out_of_range(std::string(file));
    return std::string(found->bytes);
}

const SiteFile& Site::add_file(std::string_view name, std::string_view extension, std::string bytes) {
    const std::string digest = to_hex(BytesView(crypto::sha256(bytes)).first(16));
    return files_.emplace_back(SiteFile{.path = "/assets/" + std::string(name) + "-" + digest + std::string(extension),
                                        .content_type = std::string(type_of(extension)),
                                        .bytes = std::move(bytes),
                                        .etag = "\"" + digest + "\""});
}

SitePage Site::page(std::string_view file, std::string_view title, std::vector<std::string> names,
                    const std::vector<std::string>& form_origins) const {
    std::ranges::copy(shared_names(), std::back_inserter(names));
    const std::string key = "pages." + std::string(title);
    if (!locales_.find(Language::en, key)) throw std::logic_error("there is no message " + key);
    return {load(file, names), key, policy_of(settings_.return_hosts, form_origins)};
}

http::Reply Site::send(const http::RequestContext& context, const SitePage& page, View view, View frame,
                       unsigned status, const Place& place, View note) const {
    const std::string root(place.root);
    frame.text("page_language", name_of(context.language))
        .text("service", settings_.name)
        .text("home", place.home)
        .text("style", root + style_path_)
        .text("logo", logo_path_.empty() ? "" : root + logo_path_)
        .flag("has_docs", settings_.documentation);
    std::vector<View> choices;
    for (const Language language : place.query ? settings_.languages : std::vector<Language>{})
        choices.push_back(View()
                              .text("code", name_of(language))
                              .text("in_language", "?" + *place.query + "lang=" + std::string(name_of(language)))
                              .text("choice", own_name_of(language))
                              .flag("is_chosen", language == context.language));
    Html content = page.body_.render(context.language, view.with(View(frame)));
    frame.text("title", locales_.text(context.language, page.title_))
        .html("content", std::move(content))
        .with(std::move(note))
        .flag("has_choices", !choices.empty())
        .list("choices", std::move(choices));
    http::Reply reply;
    reply.status = status;
    reply.content_type = "text/html; charset=utf-8";
    reply.content_security_policy = page.content_security_policy_;
    reply.extra_headers = page_headers;
    reply.data = layout_->render(context.language, frame).text();
    return reply;
}

// A form carries the way back in a field.
std::string Site::query_of(const Visit& visit) {
    std::string out = own_query(visit.context().request);
    if (!is_reading(visit.context().request) && visit.return_to()) add(out, "return", visit.return_to()->text());
    return out;
}

http::Reply Site::plain(const http::RequestContext& context, const SitePage& page, View view, unsigned status) const {
    Place place;
    if (is_reading(context.request)) place.query = own_query(context.request);
    return send(context, page, std::move(view), {}, status, place);
}

http::Reply Site::foreign(const http::RequestContext& context, const SitePage& page, View view, unsigned status,
                          const std::string& pages) const {
    // A choice of a language would lead to the application.
    return send(context, page, std::move(view), {}, status, {.root = guarded_root, .home = pages + "/"});
}

http::Reply Site::reply(const Visit& visit, const SitePage& page, PageAnswer answer) const {
    if (answer.redirect) return redirect(*answer.redirect, std::move(answer.headers), answer.refusal);
    if (answer.file) return file(std::move(*answer.file));
    View frame;
    frame.text("csrf", visit.form_token()).flag("is_signed_in", visit.is_signed_in() || visit.has_expired_password());
    if (visit.return_to()) frame.text("return", visit.return_to()->text());
    Place place;
    if (!answer.is_once) place.query = query_of(visit);
    // A page that is shown once has something else to say.
    View note = answer.is_once ? View() : told(visit, locales_);
    http::Reply reply =
        send(visit.context(), page, std::move(answer.view), std::move(frame), answer.status, place, std::move(note));
    if (!answer.is_once) reply.extra_headers += forget_told(visit);
    reply.extra_headers += answer.headers;
    reply.refusal = answer.refusal;
    return reply;
}

http::Reply Site::file(http::Stream file) const { return http::detail::to_reply(std::move(file)); }

http::Reply Site::redirect(const Address& address, std::string headers, const ErrorKind* refusal) const {
    http::Reply reply;
    reply.status = 303;
    reply.refusal = refusal;
    reply.content_type = "text/html; charset=utf-8";
    reply.content_security_policy = content_security_policy_;
    reply.extra_headers = std::string(page_headers) + "Location: " + location_of(address) + "\r\n" + headers;
    return reply;
}

}  // namespace consentry
