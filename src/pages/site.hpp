// How the pages look: templates, layout, style sheet, logo, and the headers with which they are sent.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/locales.hpp"
#include "http/endpoint/answer.hpp"
#include "http/operation.hpp"
#include "pages/address.hpp"
#include "pages/colors.hpp"
#include "pages/html_template.hpp"
#include "pages/visit.hpp"

namespace consentry {

struct SiteSettings {
    std::string name;
    std::filesystem::path logo;  // an image; empty: the name alone
    PageColors colors;
    std::filesystem::path folder;  // of templates that replace ours; empty: none
    std::vector<Language> languages;
    ReturnHosts return_hosts;
    bool documentation = false;  // whether /docs exists
};

// A file that the pages use. Its name contains a digest of its content, so browsers may keep it forever.
struct SiteFile {
    std::string path;  // "/assets/style-1f0c….css"
    std::string content_type;
    std::string bytes;
    std::string etag;
};

// What a page shows, where it leads, or what it hands out.
struct PageAnswer {
    View view = {};
    unsigned status = 200;
    std::string headers = {};  // complete lines with checked values: cookies
    std::optional<Address> redirect = {};
    std::optional<http::Stream> file = {};  // to be saved
    bool is_once = false;                   // shows what is never shown again, so nothing on it leads elsewhere
    const ErrorKind* refusal = nullptr;     // which the answer tells of; see http::Reply

    static PageAnswer of(View view) { return {.view = std::move(view)}; }
    static PageAnswer of_once(View view) { return {.view = std::move(view), .is_once = true}; }
    static PageAnswer to(Address address, std::string headers = {}) {
        return {.headers = std::move(headers), .redirect = std::move(address)};
    }
    // Leads to a page that tells of a refusal.
    static PageAnswer refused(const ErrorKind& refusal, Address address, std::string headers = {}) {
        return {.headers = std::move(headers), .redirect = std::move(address), .refusal = &refusal};
    }
    static PageAnswer of_file(http::Stream file) { return {.file = std::move(file)}; }
    // A file that is small enough to be in memory.
    static PageAnswer of_file(std::string content_type, std::string file_name, std::string bytes);
};

class SitePage {
public:
    SitePage(HtmlTemplate body, std::string title, std::string content_security_policy)
        : body_(std::move(body)),
          title_(std::move(title)),
          content_security_policy_(std::move(content_security_policy)) {}

private:
    friend class Site;
    HtmlTemplate body_;
    std::string title_;  // key of the message
    std::string content_security_policy_;
};

// Where a guarded host has the files of the pages.
inline constexpr std::string_view guarded_root = "/.consentry";

class Site {
public:
    // Throws std::runtime_error naming the setting and the file that cannot be used.
    Site(const Locales& locales, SiteSettings settings);

    // Reads the template of a page. `names` are the values that its views may hold, besides those of every page: see
    // site.cpp. `form_origins` are those to which its forms lead, besides our own and the hosts of returns.
    SitePage page(std::string_view file, std::string_view title, std::vector<std::string> names,
                  const std::vector<std::string>& form_origins = {}) const;

    http::Reply reply(const Visit& visit, const SitePage& page, PageAnswer answer) const;
    // `refusal` is what the page there tells of, if anything.
    http::Reply redirect(const Address& address, std::string headers = {}, const ErrorKind* refusal = nullptr) const;
    http::Reply file(http::Stream file) const;
    // A page for any visitor, without forms.
    http::Reply plain(const http::RequestContext& context, const SitePage& page, View view, unsigned status) const;
    // The same at a guarded host, whose paths are the application's, except those below /.consentry. `pages` is the
    // origin of the pages, to which its links lead.
    http::Reply foreign(const http::RequestContext& context, const SitePage& page, View view, unsigned status,
                        const std::string& pages) const;

    const std::vector<SiteFile>& files() const { return files_; }
    const Locales& locales() const { return locales_; }
    const SiteSettings& settings() const { return settings_; }

private:
    std::string read(std::string_view file) const;
    HtmlTemplate load(std::string_view file, const std::vector<std::string>& names) const;
    const SiteFile& add_file(std::string_view name, std::string_view extension, std::string bytes);
    void add_logo();
    void check_folder() const;
    // Where a page is shown: the paths of files are below `root`, and links lead to `home`.
    struct Place {
        std::string_view root = {};
        std::string home = "/";
        std::optional<std::string> query = {};  // in every language, a page has this; nullopt: in this language only
    };
    static std::string query_of(const Visit& visit);
    // `note`: see notes.hpp.
    http::Reply send(const http::RequestContext& context, const SitePage& page, View view, View frame, unsigned status,
                     const Place& place, View note = {}) const;

    const Locales& locales_;
    SiteSettings settings_;
    std::vector<SiteFile> files_;
    std::string style_path_;
    std::string logo_path_;
    std::string content_security_policy_;
    std::unique_ptr<HtmlTemplate> layout_;
};

}  // namespace consentry
