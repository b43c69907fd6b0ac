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
            field("action", &AbilityDto::action, "Allowed actions; `manage` means every action", http::MinItems(1),
                  http::UniqueItems{}),
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

// What the answers about a role have in common.
struct RoleFields {
    RoleId id;
    std::string name;
    Role type = Role::user;
    bool is_built_in = false;
    TimePoint created_at;
    std::optional<UserId> created_by;
    TimePoint updated_at;
    std::optional<UserId> updated_by;

    static RoleFields of(const RoleRecord& role) {
        return {.id = role.id,
                .name = role.name,
                .type = role.rights.type,
                .is_built_in = role.is_built_in,
                .created_at = role.created_at,
                .created_by = role.created_by,
                .updated_at = role.updated_at,
                .updated_by = role.updated_by};
    }

    static constexpr auto first_fields() {
        using http::field;
        return std::tuple{field("id", &RoleFields::id, "Role ID"),
                          field("name", &RoleFields::name, "Unique name in lower case")};
    }
    static constexpr auto type_field() { return http::field("type", &RoleFields::type, "Role type"); }
    static constexpr auto last_fields() {
        using http::field;
        return std::tuple{
            field("isBuiltIn", &RoleFields::is_built_in, "Whether the role came with Consentry"),
            field("createdAt", &RoleFields::created_at, "Creation time"),
            field("createdBy", &RoleFields::created_by, "Account ID of the creator"),
            field("updatedAt", &RoleFields::updated_at, "Time of the last change"),
            field("updatedBy", &RoleFields::updated_by, "Account ID of the user who made the last change"),
        };
    }
};

struct RoleListResponse : RoleFields {
    std::int64_t abilities = 0;

    static constexpr std::string_view schema_name = "RoleListResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(first_fields(),
                              std::tuple{type_field(), field("abilities", &RoleListResponse::abilities,
                                                             "Number of subjects in the abilities")},
                              last_fields());
    }
};

struct RoleResponse : RoleFields {
    std::optional<std::string> description = {};
    std::vector<AbilityDto> abilities = {};

    static constexpr std::string_view schema_name = "RoleResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            first_fields(),
            std::tuple{
                field("description", &RoleResponse::description, "Description of the role"),
                type_field(),
                field("abilities", &RoleResponse::abilities, "Abilities; they apply to roles of type `admin`"),
            },
            last_fields());
    }
};

struct RoleUpdateRequest {
    std::optional<std::string> description;
    Role type = Role::user;
    std::vector<AbilityDto> abilities;

    static constexpr std::string_view schema_name = "RoleUpdateRequestDto";
    static constexpr auto rights_fields() {
        using http::field;
        return std::tuple{
            field("type", &RoleUpdateRequest::type, "Role type"),
            field("abilities", &RoleUpdateRequest::abilities, "Abilities, each subject once, with its actions"),
        };
    }
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(std::tuple{field("description", &RoleUpdateRequest::description,
                                               "Description of the role; removed if omitted", http::max_length(500))},
                              rights_fields());
    }
    static void check(const RoleUpdateRequest& request, Report& report) {
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
};

struct RoleCreateRequest : RoleUpdateRequest {
    std::string name = {};

    static constexpr std::string_view schema_name = "RoleCreateRequestDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple_cat(
            std::tuple{
                field("name", &RoleCreateRequest::name, "Unique; in lower case; cannot be changed", http::min_length(3),
                      http::max_length(30), http::alphanumeric, http::lowered),
                field("description", &RoleCreateRequest::description, "Description of the role", http::max_length(500)),
            },
            rights_fields());
    }
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
