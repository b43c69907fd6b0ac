#include "tests/support/identity_provider.hpp"

#include <unistd.h>

#include <boost/json/serialize.hpp>

#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

constexpr const char* own_script = CONSENTRY_REAL_SERVERS "/idp.sh";
constexpr const char* genuine_script = CONSENTRY_REAL_SERVERS "/oidc.sh";

std::string place(const TempFolder& folder) { return (folder.path() / "idp").string(); }

NamedValues start(const char* script, const TempFolder& folder) {
    // The server runs as another user, who must be able to enter the folder.
    std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
    return named_values(output_of({script, "start", "--owner", std::to_string(::getpid()), place(folder)}));
}

void stop(const char* script, const TempFolder& folder) {
    try {
        run_command({script, "stop", place(folder)});
    } catch (const std::exception&) {
        // The server ends with this process.
    }
}

std::uint16_t port_in(const NamedValues& values, const std::string& name) {
    return static_cast<std::uint16_t>(std::stoul(values.at(name)));
}

}  // namespace

struct IdentityProviders::Server {
    Server() : values(start(own_script, folder)) {}
    ~Server() { stop(own_script, folder); }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    TempFolder folder;
    NamedValues values;
    std::uint16_t https_port = port_in(values, "HTTPS_PORT");
    HttpClient control{port_in(values, "CONTROL_PORT")};
};

// Starting Node, and making certificates and keys, takes longer than most tests.
IdentityProviders::Server& IdentityProviders::server() {
    static Server shared;
    return shared;
}

IdentityProviders::IdentityProviders() : server_(server()) { control("POST", "/reset"); }
IdentityProviders::~IdentityProviders() = default;

std::string IdentityProviders::issuer(const std::string& provider) const {
    return "https://127.0.0.1:" + std::to_string(server_.https_port) + "/" + provider;
}

std::string IdentityProviders::file(const std::string& name) const { return place(server_.folder) + "/" + name; }

Environment IdentityProviders::settings(Environment more) const {
    more.insert({{"AUTH_SOCIAL_GOOGLE_CLIENT_ID", "google-web, google-app"},
                 {"AUTH_SOCIAL_GOOGLE_CLIENT_SECRET", "a secret between Google and the client"},
                 {"AUTH_SOCIAL_GOOGLE_ISSUER", issuer(google)},
                 {"AUTH_SOCIAL_GOOGLE_JWKS_URI", keys_address(google)},
                 {"AUTH_SOCIAL_APPLE_CLIENT_ID", "apple-app"},
                 {"AUTH_SOCIAL_APPLE_SIGN_IN_CLIENT_ID", "apple-web"},
                 {"AUTH_SOCIAL_APPLE_ISSUER", issuer(apple)},
                 {"AUTH_SOCIAL_APPLE_JWKS_URI", keys_address(apple)},
                 {"AUTH_SOCIAL_CA_FILE", file("ca.crt")}});
    return more;
}

json::object IdentityProviders::claims(Service& service, const std::string& provider, const std::string& subject,
                                       const std::string& email) const {
    const std::int64_t now = epoch_seconds(service.clock().now());
    return {{"iss", issuer(provider)}, {"aud", provider + (provider == google ? "-web" : "-app")},
            {"sub", subject},          {"email", email},
            {"email_verified", true},  {"iat", now},
            {"exp", now + 3'600}};
}

json::value IdentityProviders::control(std::string_view method, const std::string& path,
                                       const json::object& body) const {
    const Answer answer = server_.control.call(method, path, body.empty() ? std::string() : json::serialize(body));
    if (answer.status != 200) throw std::runtime_error("identity provider: " + answer.body);
    return answer.json;
}

std::string IdentityProviders::token(json::object order) const {
    return std::string(control("POST", "/token", order).at("token").as_string());
}

std::string IdentityProviders::token(Service& service, const std::string& provider, const std::string& subject,
                                     const std::string& email) const {
    return token({{"provider", provider}, {"claims", claims(service, provider, subject, email)}});
}

void IdentityProviders::rotate(const std::string& provider, bool keep) const {
    control("POST", "/rotate", {{"provider", provider}, {"keep", keep}});
}

void IdentityProviders::set_fault(json::object fault) const { control("POST", "/fault", fault); }

std::int64_t IdentityProviders::fetches(const std::string& whose) const {
    return control("GET", "/stats").at(whose).as_int64();
}

GenuineProvider::GenuineProvider() {
    const auto values = start(genuine_script, folder_);
    origin_ = "https://127.0.0.1:" + values.at("HTTPS_PORT");
    control_.emplace(port_in(values, "CONTROL_PORT"));
}
GenuineProvider::~GenuineProvider() { stop(genuine_script, folder_); }

Environment GenuineProvider::settings() const {
    return {{"AUTH_SOCIAL_GOOGLE_CLIENT_ID", "rsa,ec"},
            {"AUTH_SOCIAL_GOOGLE_ISSUER", origin_},
            {"AUTH_SOCIAL_GOOGLE_JWKS_URI", origin_ + "/jwks"},
            {"AUTH_SOCIAL_CA_FILE", place(folder_) + "/ca.crt"}};
}

std::string GenuineProvider::log_in(const json::object& order) const {
    const Answer answer = control_->post("/token", order);
    if (answer.status != 200) throw std::runtime_error("OpenID provider: " + answer.body);
    return answer.text("token");
}

Answer log_in_with(const Service& service, const std::string& provider, const std::string& token,
                   const json::object& more) {
    json::object body{{"from", "website"}};
    for (const auto& [name, value] : more) body[name] = value;
    return service.post("/api/public/user/login/social/" + provider, body, bearer(token));
}

}  // namespace consentry::tests
