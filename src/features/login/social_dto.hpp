// The fields sent along with an identity token.
#pragma once

#include "features/login/dto.hpp"

namespace consentry {

struct LoginSocialRequest {
    LoginFrom from = LoginFrom::website;
    std::optional<DeviceRequest> device;
    std::optional<std::string> nonce;
    std::optional<std::string> name;
    std::optional<bool> terms_of_service;
    std::optional<bool> privacy;
    std::optional<bool> marketing;
    std::optional<bool> cookies;

    static constexpr std::string_view schema_name = "UserLoginSocialRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("from", &LoginSocialRequest::from, "Client type"),
            field("device", &LoginSocialRequest::device, "Device; stored with the session"),
            field("nonce", &LoginSocialRequest::nonce, "Nonce of the ID token", http::not_empty, http::max_length(255)),
            field("name", &LoginSocialRequest::name,
                  "Display name of a new account, or of one whose email address was not verified before",
                  http::min_length(1), http::one_line_name, http::max_length(100)),
            field("termsOfService", &LoginSocialRequest::terms_of_service,
                  "`true` accepts the latest terms of service at sign-up"),
            field("privacy", &LoginSocialRequest::privacy, "`true` accepts the latest privacy policy at sign-up"),
            field("marketing", &LoginSocialRequest::marketing,
                  "`true` accepts the latest marketing consent at sign-up"),
            field("cookies", &LoginSocialRequest::cookies, "`true` accepts the latest cookie policy at sign-up"),
        };
    }
};

}  // namespace consentry
