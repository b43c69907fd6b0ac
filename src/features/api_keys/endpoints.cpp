#include "features/api_keys/endpoints.hpp"

#include "features/api_keys/dto.hpp"
#include "features/users/caller.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

using ForReading = Permitted<Subject::api_key, Action::read>;
using ForCreating = FreshlyPermitted<Subject::api_key, Action::read, Action::create>;
using ForUpdating = FreshlyPermitted<Subject::api_key, Action::read, Action::update>;
using ForDeleting = FreshlyPermitted<Subject::api_key, Action::read, Action::erase>;

void add_update_endpoints(http::Router& router, ApiKeys& keys) {
    using http::FromPath;

    router.patch("/admin/api-key/update/:apiKeyId/reset")
        .id("resetApiKey")
        .tag("api-key")
        .says("Reset the secret of an API key")
        .describes(
            "Consentry refuses the old secret from the next request on. Enables a key that `consentry keys epoch "
            "raise` has ended.")
        .message("apiKey.reset")
        .may_fail({&errors::api_key_not_found, &errors::api_key_inactive})
        .handled_by([&keys](const ForUpdating& caller, const http::RequestContext& context, FromPath<ApiKeyPath> path) {
            return http::reply<ApiKeySecretResponse>(keys.reset(caller.actor(), path->api_key_id, cause_of(context)));
        });

    router.put("/admin/api-key/update/:apiKeyId")
        .id("updateApiKey")
        .tag("api-key")
        .says("Rename an API key")
        .message("apiKey.update")
        .may_fail({&errors::api_key_not_found, &errors::api_key_inactive})
        .handled_by([&keys](const ForUpdating& caller, const http::RequestContext& context, FromPath<ApiKeyPath> path,
                            ApiKeyUpdateRequest body) {
            return http::reply<ApiKeyResponse>(
                keys.rename(caller.actor(), path->api_key_id, std::move(body.name), cause_of(context)));
        });

    router.put("/admin/api-key/update/:apiKeyId/date")
        .id("updateApiKeyDate")
        .tag("api-key")
        .says("Change the validity period of an API key")
        .describes("Takes effect at the next request.")
        .message("apiKey.updateDate")
        .may_fail({&errors::api_key_not_found, &errors::api_key_inactive})
        .handled_by(
            [&keys](const ForUpdating& caller, const http::RequestContext& context, FromPath<ApiKeyPath> path,
                    ApiKeyDateRequest body) {
                return http::reply<ApiKeyResponse>(
                    keys.set_window(caller.actor(), path->api_key_id, {body.start_at, body.end_at}, cause_of(context)));
            },
            [&keys](const ApiKeyDateRequest& body, Report& report) {
                keys.check_window(body.start_at, body.end_at, report);
            });

    router.patch("/admin/api-key/update/:apiKeyId/status")
        .id("updateApiKeyStatus")
        .tag("api-key")
        .says("Enable or disable an API key")
        .describes(
            "Takes effect at the next request. To enable a key that `consentry keys epoch raise` has revoked, "
            "reset its secret.")
        .message("apiKey.updateStatus")
        .may_fail({&errors::api_key_not_found, &errors::api_key_expired, &errors::api_key_inactive})
        .handled_by([&keys](const ForUpdating& caller, const http::RequestContext& context, FromPath<ApiKeyPath> path,
                            ApiKeyStatusRequest body) {
            return http::reply<ApiKeyResponse>(
                keys.set_status(caller.actor(), path->api_key_id, body.is_active, cause_of(context)));
        });
}

}  // namespace

void add_api_key_endpoints(http::Router& router, ApiKeys& keys) {
    router.get("/admin/api-key/list")
        .id("listApiKeys")
        .tag("api-key")
        .says("List API keys")
        .describes("The list contains no secrets.")
        .message("apiKey.list")
        .handled_by([&keys](const ForReading&, http::List<ApiKeyListing> wanted) {
            return http::reply(
                std::move(wanted), [&keys](const ListQuery& query) { return keys.list(query); }, ApiKeyResponse::of);
        });

    router.post("/admin/api-key/create")
        .id("createApiKey")
        .tag("api-key")
        .says("Create an API key")
        .describes(
            "A key of type `system` also requires `user:read`, `role:read` and `featureFlag:read`, which it grants. "
            "Only this response contains the secret. Without `startAt` the key is valid immediately; without `endAt` "
            "it never expires.")
        .message("apiKey.create")
        .answers(201)
        .handled_by(
            [&keys](const ForCreating& caller, const http::RequestContext& context, ApiKeyCreateRequest body) {
                NewApiKey wanted{.name = std::move(body.name), .type = body.type, .window = body.window()};
                return http::reply<ApiKeySecretResponse>(
                    keys.create(caller.actor(), std::move(wanted), cause_of(context)));
            },
            [&keys](const ApiKeyCreateRequest& body, Report& report) {
                keys.check_window(body.start_at, body.end_at, report);
            });

    add_update_endpoints(router, keys);

    router.erase("/admin/api-key/delete/:apiKeyId")
        .id("deleteApiKey")
        .tag("api-key")
        .says("Delete an API key")
        .describes("Consentry refuses the key from the next request on.")
        .may_fail({&errors::api_key_not_found})
        .handled_by(
            [&keys](const ForDeleting& caller, const http::RequestContext& context, http::FromPath<ApiKeyPath> path) {
                return http::reply<http::NoContent>(keys.erase(caller.actor(), path->api_key_id, cause_of(context)));
            });
}

}  // namespace consentry
