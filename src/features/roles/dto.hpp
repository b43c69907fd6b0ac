// Wire formats of roles.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "features/roles/roles.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

struct AbilityDto {
    Subject subject = Subject::all;
    std::vector<Action> action;

    static constexpr std::string_view schema_name = "RoleAbilityDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("subject", &AbilityDto::subject, "Kind of object; `all` means every kind"),
            field("action", &AbilityDto::action, "Allowed actions; `manage` means every action"),
        };
    }
};

struct RoleAbilitiesResponse {
    std::vector<AbilityDto> abilities;

    static constexpr std::string_view schema_name = "RoleAbilitiesResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("abilities", &RoleAbilitiesResponse::abilities, "Abilities; they apply to roles of type `admin`")};
    }
};

struct RoleListResponse {
    RoleId id;
    std::string name;
    Role type = Role::user;
    std::int64_t abilities = 0;
    bool is_built_in = false;
    TimePoint created_at;
    std::optional<UserId> created_by;
    TimePoint updated_at;
    std::optional<UserId> updated_by;

    static constexpr std::string_view schema_name = "RoleListResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &RoleListResponse::id, "Role ID"),
            field("name", &RoleListResponse::name, "Unique name in lower case"),
            field("type", &RoleListResponse::type, "Role type"),
            field("abilities", &RoleListResponse::abilities, "Number of subjects in the abilities"),
            field("isBuiltIn", &RoleListResponse::is_built_in, "Whether the role came with Consentry"),
            field("createdAt", &RoleListResponse::created_at, "Creation time"),
            field("createdBy", &RoleListResponse::created_by, "Account ID of the creator"),
            field("updatedAt", &RoleListResponse::updated_at, "Time of the last change"),
            field("updatedBy", &RoleListResponse::updated_by, "Account ID of the user who made the last change"),
        };
    }
};

struct RoleResponse {
    RoleId id;
    std::string name;
    std::optional<std::string> description;
    Role type = Role::user;
    std::vector<AbilityDto> abilities;
    bool is_built_in = false;
    TimePoint created_at;
    std::optional<UserId> created_by;
    TimePoint updated_at;
    std::optional<UserId> updated_by;

    static constexpr std::string_view schema_name = "RoleResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("id", &RoleResponse::id, "Role ID"),
            field("name", &RoleResponse::name, "Unique name in lower case"),
            field("description", &RoleResponse::description, "Description of the role"),
            field("type", &RoleResponse::type, "Role type"),
            field("abilities", &RoleResponse::abilities, "Abilities; they apply to roles of type `admin`"),
            field("isBuiltIn", &RoleResponse::is_built_in, "Whether the role came with Consentry"),
            field("createdAt", &RoleResponse::created_at, "Creation time"),
            field("createdBy", &RoleResponse::created_by, "Account ID of the creator"),
            field("updatedAt", &RoleResponse::updated_at, "Time of the last change"),
            field("updatedBy", &RoleResponse::updated_by, "Account ID of the user who made the last change"),
        };
    }
};

template <class Request>
void check_abilities(const Request& request, Report& report) {
    const auto has_repeats = [](auto values) {
        std::ranges::sort(values);
        return std::ranges::adjacent_find(values) != values.end();
    };
    std::vector<Subject> subjects;
    for (std::size_t i = 0; i < request.abilities.size(); ++i) {
        const AbilityDto& ability = request.abilities[i];
        const std::string action = "abilities." + std::to_string(i) + ".action";
        if (ability.action.empty()) report.add("arrayNotEmpty", action);
        if (has_repeats(ability.action)) report.add("arrayUnique", action);
        subjects.push_back(ability.subject);
    }
    if (has_repeats(subjects)) report.add("arrayUnique", "abilities");
}

struct RoleUpdateRequest {
    std::optional<std::string> description;
    Role type = Role::user;
    std::vector<AbilityDto> abilities;

    static constexpr std::string_view schema_name = "RoleUpdateRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("description", &RoleUpdateRequest::description, "Description of the role; removed if omitted",
                  http::max_length(500)),
            field("type", &RoleUpdateRequest::type, "Role type"),
            field("abilities", &RoleUpdateRequest::abilities, "Abilities, each subject once, with its actions"),
        };
    }
    static void check(const RoleUpdateRequest& request, Report& report) { check_abilities(request, report); }
};

struct RoleCreateRequest {
    std::string name;
    std::optional<std::string> description;
    Role type = Role::user;
    std::vector<AbilityDto> abilities;

    static constexpr std::string_view schema_name = "RoleCreateRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("name", &RoleCreateRequest::name, "Unique; in lower case; cannot be changed", http::min_length(3),
                  http::max_length(30), http::alphanumeric, http::lowered),
            field("description", &RoleCreateRequest::description, "Description of the role", http::max_length(500)),
            field("type", &RoleCreateRequest::type, "Role type"),
            field("abilities", &RoleCreateRequest::abilities, "Abilities, each subject once, with its actions"),
        };
    }
    static void check(const RoleCreateRequest& request, Report& report) { check_abilities(request, report); }
};

template <http::Paging Mode>
struct RoleListing {
    std::optional<std::vector<Role>> type;

    static constexpr auto paging = Mode;
    static constexpr auto filters() {
        return std::tuple{http::filter("type", &RoleListing::type, "type", "Role types to include")};
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "created_at"}};
    static constexpr std::array searchable{http::Searchable{"name", "name"}};
};

struct RolePath {
    RoleId role_id;

    static constexpr std::string_view schema_name = "RolePath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("roleId", &RolePath::role_id, "Role ID")};
    }
};

}  // namespace consentry
