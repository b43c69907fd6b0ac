// Shapes of roles on the wire.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "features/roles/roles.hpp"
#include "http/paging/listing.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/report.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

// Also the form in which abilities are stored.
struct AbilityDto {
    Subject subject = Subject::all;
    std::vector<Action> action;

    static constexpr std::string_view schema_name = "RoleAbilityDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("subject", &AbilityDto::subject, "What may be acted on; all stands for every subject"),
            field("action", &AbilityDto::action, "What may be done to it; manage stands for every action"),
        };
    }
};

std::vector<AbilityDto> to_dto(const Abilities& abilities);
Abilities from_dto(const std::vector<AbilityDto>& abilities);

struct RoleAbilitiesResponse {
    std::vector<AbilityDto> abilities;

    static constexpr std::string_view schema_name = "RoleAbilitiesResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("abilities", &RoleAbilitiesResponse::abilities, "Of use to roles of type admin")};
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
            field("id", &RoleListResponse::id, "Of the role"),
            field("name", &RoleListResponse::name, "Unique, in small letters"),
            field("type", &RoleListResponse::type, "What the service asks of those who have it"),
            field("abilities", &RoleListResponse::abilities, "How many subjects it may act on"),
            field("isBuiltIn", &RoleListResponse::is_built_in, "Came with the service"),
            field("createdAt", &RoleListResponse::created_at, "When it was made"),
            field("createdBy", &RoleListResponse::created_by, "Who made it"),
            field("updatedAt", &RoleListResponse::updated_at, "When it was changed last"),
            field("updatedBy", &RoleListResponse::updated_by, "Who changed it last"),
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
            field("id", &RoleResponse::id, "Of the role"),
            field("name", &RoleResponse::name, "Unique, in small letters"),
            field("description", &RoleResponse::description, "For people to read"),
            field("type", &RoleResponse::type, "What the service asks of those who have it"),
            field("abilities", &RoleResponse::abilities, "Of use to roles of type admin"),
            field("isBuiltIn", &RoleResponse::is_built_in, "Came with the service"),
            field("createdAt", &RoleResponse::created_at, "When it was made"),
            field("createdBy", &RoleResponse::created_by, "Who made it"),
            field("updatedAt", &RoleResponse::updated_at, "When it was changed last"),
            field("updatedBy", &RoleResponse::updated_by, "Who changed it last"),
        };
    }
};

template <class Request>
void check_abilities(const Request& request, http::Report& report) {
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
            field("description", &RoleUpdateRequest::description, "For people to read; none where it is left out",
                  http::max_length(500)),
            field("type", &RoleUpdateRequest::type, "What the service asks of those who have it"),
            field("abilities", &RoleUpdateRequest::abilities, "Each subject once, each with its actions"),
        };
    }
    static void check(const RoleUpdateRequest& request, http::Report& report) { check_abilities(request, report); }
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
            field("name", &RoleCreateRequest::name, "Unique; kept in small letters, and for good", http::min_length(3),
                  http::max_length(30), http::alphanumeric, http::lowered),
            field("description", &RoleCreateRequest::description, "For people to read", http::max_length(500)),
            field("type", &RoleCreateRequest::type, "What the service asks of those who have it"),
            field("abilities", &RoleCreateRequest::abilities, "Each subject once, each with its actions"),
        };
    }
    static void check(const RoleCreateRequest& request, http::Report& report) { check_abilities(request, report); }
};

template <http::Paging Mode>
struct RoleListing {
    std::optional<std::vector<Role>> type;

    static constexpr auto paging = Mode;
    static constexpr auto filters() {
        return std::tuple{http::filter("type", &RoleListing::type, "type", "Only roles of these types")};
    }
    static constexpr std::array sortable{http::Sortable{"createdAt", "created_at"}};
    static constexpr std::array searchable{http::Searchable{"name", "name"}};
};

struct RolePath {
    RoleId role_id;

    static constexpr std::string_view schema_name = "RolePath";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("roleId", &RolePath::role_id, "Of the role")};
    }
};

}  // namespace consentry
