// What is sent beside an identity token.
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
            field("from", &LoginSocialRequest::from, "Where the login comes from"),
            field("device", &LoginSocialRequest::device, "Kept with the session"),
            field("nonce", &LoginSocialRequest::nonce, "Must be the one in the token", http::not_empty,
                  http::max_length(255)),
            field("name", &LoginSocialRequest::name, "Of a new account", http::not_empty, http::one_line_name,
                  http::max_length(100)),
            field("termsOfService", &LoginSocialRequest::terms_of_service, "true: accepted, by whoever signs up here"),
            field("privacy", &LoginSocialRequest::privacy, "true: accepted, by whoever signs up here"),
            field("marketing", &LoginSocialRequest::marketing, "true: accepted, by whoever signs up here"),
            field("cookies", &LoginSocialRequest::cookies, "true: accepted, by whoever signs up here"),
        };
    }
};

}  // namespace consentry
