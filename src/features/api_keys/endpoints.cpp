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

awaitable<Result<http::ListPage<ApiKeyResponse>>> list(ApiKeys& keys, http::List<ApiKeyListing> wanted) {
    const auto found = co_await keys.list(wanted.query());
    co_return wanted.page(found, ApiKeyResponse::of);
}

awaitable<Result<ApiKeySecretResponse>> create(ApiKeys& keys, Actor by, Cause cause, ApiKeyCreateRequest body) {
    NewApiKey wanted{.name = std::move(body.name), .type = body.type, .window = body.window()};
    auto issued = co_await keys.create(std::move(by), std::move(wanted), std::move(cause));
    if (!issued) co_return fail(std::move(issued.error()));
    co_return ApiKeySecretResponse::of(std::move(*issued));
}

awaitable<Result<ApiKeySecretResponse>> reset(ApiKeys& keys, Actor by, ApiKeyId id, Cause cause) {
    auto issued = co_await keys.reset(std::move(by), id, std::move(cause));
    if (!issued) co_return fail(std::move(issued.error()));
    co_return ApiKeySecretResponse::of(std::move(*issued));
}

awaitable<Result<ApiKeyResponse>> answer(awaitable<Result<ApiKeyRecord>> change) {
    auto changed = co_await std::move(change);
    if (!changed) co_return fail(std::move(changed.error()));
    co_return ApiKeyResponse::of(*changed);
}

awaitable<Result<http::NoContent>> erase(ApiKeys& keys, Actor by, ApiKeyId id, Cause cause) {
    auto erased = co_await keys.erase(std::move(by), id, std::move(cause));
    if (!erased) co_return fail(std::move(erased.error()));
    co_return http::NoContent{};
}

void add_update_endpoints(http::Router& router, ApiKeys& keys) {
    using http::FromPath;

    router.patch("/admin/api-key/update/:apiKeyId/reset")
        .id("resetApiKey")
        .tag("api-key")
        .says("Reset the secret of an API key")
        .describes(
            "Requires `apiKey:read` and `apiKey:update`. Consentry refuses the old secret from the next request on.")
        .message("apiKey.reset")
        .may_fail({&errors::api_key_not_found, &errors::api_key_inactive})
        .handled_by([&keys](const ForUpdating& caller, const http::RequestContext& context, FromPath<ApiKeyPath> path) {
            return reset(keys, caller.actor(), path->api_key_id, cause_of(context));
        });

    router.put("/admin/api-key/update/:apiKeyId")
        .id("updateApiKey")
        .tag("api-key")
        .says("Rename an API key")
        .describes("Requires `apiKey:read` and `apiKey:update`.")
        .message("apiKey.update")
        .may_fail({&errors::api_key_not_found, &errors::api_key_inactive})
        .handled_by([&keys](const ForUpdating& caller, const http::RequestContext& context, FromPath<ApiKeyPath> path,
                            ApiKeyUpdateRequest body) {
            return answer(keys.rename(caller.actor(), path->api_key_id, std::move(body.name), cause_of(context)));
        });

    router.put("/admin/api-key/update/:apiKeyId/date")
        .id("updateApiKeyDate")
        .tag("api-key")
        .says("Change the validity period of an API key")
        .describes("Requires `apiKey:read` and `apiKey:update`. Takes effect with the next request.")
        .message("apiKey.updateDate")
        .may_fail({&errors::api_key_not_found, &errors::api_key_inactive})
        .handled_by([&keys](const ForUpdating& caller, const http::RequestContext& context, FromPath<ApiKeyPath> path,
                            ApiKeyDateRequest body) {
            return answer(
                keys.set_window(caller.actor(), path->api_key_id, {body.start_at, body.end_at}, cause_of(context)));
        });

    router.patch("/admin/api-key/update/:apiKeyId/status")
        .id("updateApiKeyStatus")
        .tag("api-key")
        .says("Enable or disable an API key")
        .describes("Requires `apiKey:read` and `apiKey:update`. Takes effect with the next request.")
        .message("apiKey.updateStatus")
        .may_fail({&errors::api_key_not_found, &errors::api_key_expired})
        .handled_by([&keys](const ForUpdating& caller, const http::RequestContext& context, FromPath<ApiKeyPath> path,
                            ApiKeyStatusRequest body) {
            return answer(keys.set_status(caller.actor(), path->api_key_id, body.is_active, cause_of(context)));
        });
}

}  // namespace

void add_api_key_endpoints(http::Router& router, ApiKeys& keys) {
    router.get("/admin/api-key/list")
        .id("listApiKeys")
        .tag("api-key")
        .says("List API keys")
        .describes("Requires `apiKey:read`. The list contains no secrets.")
        .message("apiKey.list")
        .handled_by(
            [&keys](const ForReading&, http::List<ApiKeyListing> wanted) { return list(keys, std::move(wanted)); });

    router.post("/admin/api-key/create")
        .id("createApiKey")
        .tag("api-key")
        .says("Create an API key")
        .describes(
            "Requires `apiKey:read` and `apiKey:create`; for a key of type `system` also `user:read`, `role:read` and "
            "`featureFlag:read`, which the key grants. Only this response contains the secret. Without `startAt` the "
            "key is valid immediately; without `endAt` it never expires.")
        .message("apiKey.create")
        .answers(201)
        .handled_by([&keys](const ForCreating& caller, const http::RequestContext& context, ApiKeyCreateRequest body) {
            return create(keys, caller.actor(), cause_of(context), std::move(body));
        });

    add_update_endpoints(router, keys);

    router.erase("/admin/api-key/delete/:apiKeyId")
        .id("deleteApiKey")
        .tag("api-key")
        .says("Delete an API key")
        .describes("Requires `apiKey:read` and `apiKey:delete`. Consentry refuses the key from the next request on.")
        .may_fail({&errors::api_key_not_found})
        .handled_by(
            [&keys](const ForDeleting& caller, const http::RequestContext& context, http::FromPath<ApiKeyPath> path) {
                return erase(keys, caller.actor(), path->api_key_id, cause_of(context));
            });
}

}  // namespace consentry
