// A DTO is one field table. Parsing, validation, serializing and the OpenAPI schema walk it:
//
//     struct VerifyLoginRequest {
//         std::string challenge_token;
//         std::optional<std::string> code;
//         static constexpr std::string_view schema_name = "UserTwoFactorVerifyLoginRequestDto";
//         static constexpr auto fields() {
//             return std::tuple{
//                 field("challengeToken", &VerifyLoginRequest::challenge_token, "From the login answer", not_empty),
//                 field("code", &VerifyLoginRequest::code, "Six digits of the authenticator app", two_factor_code),
//             };
//         }
//         static void check(const VerifyLoginRequest&, Report&);  // optional: rules that need more than one field
//         static std::vector<VerifyLoginRequest> examples();      // optional: for the document, where one made of the
//                                                                 // fields alone would mislead
//         static std::vector<Shape> shapes();                     // optional, of answers: which fields go together
//     };
//
// std::optional members may be absent; all others must be there. An enum becomes text by a specialization of
// EnumNames. Wire names live in these tables and nowhere else.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/enum_names.hpp"

namespace consentry::http {

template <class Dto, class T, class... Rules>
struct Field {
    std::string_view name;
    T Dto::* member;
    std::string_view description;
    std::tuple<Rules...> rules;
};

template <class Dto, class T, class... Rules>
constexpr Field<Dto, T, Rules...> field(std::string_view name, T Dto::* member, std::string_view description,
                                        Rules... rules) {
    return {name, member, description, std::tuple<Rules...>{rules...}};
}

// A field of a shape. With a constant, clients can tell the shapes apart by it.
struct ShapeField {
    std::string_view name;
    std::optional<bool> constant = {};
    bool required = true;
};

// One of the forms that an answer takes. The document has a schema for each; that of the DTO is their oneOf.
struct Shape {
    std::string_view schema_name;
    std::string_view description;
    std::vector<ShapeField> fields;
};

template <class T>
concept DtoType = requires { T::fields(); };

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

}  // namespace consentry::http
