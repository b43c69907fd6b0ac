#include "glewlwyd.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "load.hpp"

namespace consentry::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* program = "/usr/bin/glewlwyd";
constexpr const char* schema = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3";  // with the account "admin"
constexpr std::size_t accounts = 64;  // as many as connections, so that each has a session of its own

// The values of the package, apart from the places.
std::string configuration(std::uint16_t port, const fs::path& database) {
    return fmt::format(
        "port={0}\nbind_address=\"127.0.0.1\"\nexternal_url=\"http://127.0.0.1:{0}/\"\nlogin_url=\"login.html\"\n"
        "api_prefix=\"api\"\nlog_mode=\"console\"\nlog_level=\"ERROR\"\ncookie_secure=0\n"
        "session_expiration=2419200\nsession_key=\"GLEWLWYD2_SESSION_ID\"\nadmin_session_authentication=\"cookie\"\n"
        "profile_session_authentication=\"cookie\"\nadmin_scope=\"g_admin\"\nprofile_scope=\"g_profile\"\n"
        "user_module_path=\"/usr/lib/glewlwyd/user\"\nclient_module_path=\"/usr/lib/glewlwyd/client\"\n"
        "user_auth_scheme_module_path=\"/usr/lib/glewlwyd/scheme\"\nplugin_module_path=\"/usr/lib/glewlwyd/plugin\"\n"
        "hash_algorithm=\"SHA512\"\ndatabase = {{ type = \"sqlite3\" path = \"{1}\" }};\n",
        port, database.string());
}

std::string login(std::string_view name, std::string_view with) {
    return post_request("/api/auth", fmt::format(R"({{"username":"{}","password":"{}"}})", name, with));
}

std::string name_of(std::size_t account) { return fmt::format("person{}", account); }

std::string with_cookie(std::string request, std::string_view cookie) {
    return request.insert(request.find("\r\n") + 2, fmt::format("Cookie: {}\r\n", cookie));
}

// Sends the requests one after the other; returns the cookies that their answers set, empty for none.
std::vector<std::string> cookies_of(const Server& server, const std::vector<std::string>& requests) {
    constexpr std::string_view name = "\r\nSet-Cookie: ";
    std::vector<std::string> cookies;
    std::size_t next = 0;
    run({.port = server.port,
         .connections = 1,
         .duration = std::chrono::minutes{2},
         .next = [&](std::size_t) { return next == requests.size() ? std::string_view() : requests[next++]; },
         .answered =
             [&](std::size_t, const Answer& answer) {
                 const auto at = answer.head.find(name);
                 const auto from = at == std::string_view::npos ? answer.head.size() : at + name.size();
                 cookies.emplace_back(answer.head.substr(from, answer.head.find_first_of(";\r", from) - from));
             }})
        .all_well();
    return cookies;
}

}  // namespace

Glewlwyd::Glewlwyd(const Stage& stage) {
    for (const char* needed : {program, schema})
        if (!fs::exists(needed))
            throw NotInstalled(
                fmt::format("{} does not exist; install Glewlwyd with script/bootstrap --rivals", needed));
    const fs::path folder = stage.working_folder("glewlwyd");
    const fs::path database = folder / "glewlwyd.db";
    const fs::path settings = folder / "glewlwyd.conf";
    Child({"/usr/bin/sqlite3", "-bail", database.string(), fmt::format(".read {}", schema)}, {}, folder / "schema.log",
          folder)
        .wait_for_success();
    server_.port = free_port();
    std::ofstream(settings) << configuration(server_.port, database);
    server_.child = std::make_unique<Child>(std::vector<std::string>{program, "-c", settings.string()}, Environment{},
                                            folder / "glewlwyd.log", folder);
    server_.child->wait_for_port(server_.port);
    add_accounts();
    log_in();
}

std::vector<std::string> Glewlwyd::logins() const {
    std::vector<std::string> out;
    out.reserve(accounts);
    for (std::size_t i = 0; i < accounts; ++i) out.push_back(login(name_of(i), password));
    return out;
}

void Glewlwyd::add_accounts() const {
    const std::string administrator = cookies_of(server_, {login("admin", "password")}).front();
    std::vector<std::string> requests;
    for (std::size_t i = 0; i < accounts; ++i) {
        const std::string body =
            fmt::format(R"({{"username":"{}","password":"{}","scope":["g_profile"]}})", name_of(i), password);
        requests.push_back(with_cookie(post_request("/api/user/", body), administrator));
    }
    cookies_of(server_, requests);
}

void Glewlwyd::log_in() {
    for (const std::string& cookie : cookies_of(server_, logins()))
        own_profiles_.push_back(with_cookie(get_request("/api/profile_list"), cookie));
}

}  // namespace consentry::bench
