#include "pages/pages.hpp"

namespace consentry {

http::Endpoint Pages::add(http::Method method, std::string_view path, std::string id) {
    http::Endpoint endpoint = router_.page(method, path);
    endpoint.id(id).tag("pages").guard_may_refuse({&errors::cross_site_form, &errors::role_forbidden});
    return endpoint;
}

std::vector<Way> Pages::ways_of(const PageSpec& spec) {
    std::vector<Way> out = spec.links;
    if (!spec.flag.empty()) out.push_back({.name = "is_off", .flag = std::string(spec.flag)});
    return out;
}

std::shared_ptr<const SitePage> Pages::page(const PageSpec& spec, const std::vector<std::string>& fields) const {
    std::vector<std::string> names = spec.names;
    for (Way& way : ways_of(spec)) names.push_back(std::move(way.name));
    for (std::string& name : form_value_names(fields)) names.push_back(std::move(name));
    return std::make_shared<const SitePage>(kit_.site.page(spec.file, spec.title, std::move(names), spec.form_origins));
}

}  // namespace consentry
