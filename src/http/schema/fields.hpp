// A DTO is declared by one field table, which drives parsing, validation, serialization and the OpenAPI schema:
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
//         static void check(const VerifyLoginRequest&, Report&);  // optional: rules that involve several fields
//         static std::vector<VerifyLoginRequest> examples();      // optional: for the document, if a generated
//                                                                 // example would mislead
//         static std::vector<Shape> shapes();                     // optional, for answers: which fields go together
//     };
//
// Fields that several DTOs share stand in a base, or in a function template that returns a tuple; std::tuple_cat joins
// them to the others.
//
// std::optional members may be absent; all others are required. Nullable members of answers may be null. An enum is
// converted to text by a specialization of EnumNames. Wire names are defined only in these tables.
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

// A field of a shape. A constant value lets clients tell the shapes apart.
struct ShapeField {
    std::string_view name;
    std::optional<bool> constant = {};
    bool required = true;
};

// One of several forms of an answer. Each has its own schema in the document; the DTO's schema is their oneOf.
struct Shape {
    std::string_view schema_name;
    std::string_view description;
    std::vector<ShapeField> fields;
};

template <class T>
concept DtoType = requires { T::fields(); };

// The field table as a constant, so that no use of it builds it anew.
template <DtoType Dto>
inline constexpr auto fields_of = Dto::fields();

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
// A value of an answer that is null where it does not exist, while an absent std::optional is left out.
template <class T>
struct Nullable {
    std::optional<T> value;
};
template <class T>
struct IsNullable : std::false_type {};
template <class T>
struct IsNullable<Nullable<T>> : std::true_type {};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

}  // namespace consentry::http
