#include "features/activity/endpoints.hpp"

#include "base/errors.hpp"
#include "features/activity/dto.hpp"
#include "features/users/caller.hpp"
#include "features/users/dto.hpp"
#include "http/endpoint.hpp"

namespace consentry {
namespace {

using MayReadActivity = Permitted<Subject::user, Action::read, Subject::activity_log, Action::read>;

// Describes entries in the language of the request.
class InLanguage {
public:
    InLanguage(const Locales& locales, Language language) : locales_(locales), language_(language) {}
    ActivityResponse operator()(const ActivityEntry& entry) const {
        return ActivityResponse::of(entry, locales_, language_);
    }

private:
    const Locales& locales_;
    Language language_;
};

awaitable<Result<http::ListPage<ActivityResponse>>> list_of_user(Activity& activity, UserRepository& users, UserId user,
                                                                 http::List<UserActivityListing> wanted,
                                                                 InLanguage to_dto) {
    const auto account = co_await users.find(user);
    if (!account) co_return fail(errors::user_not_found);
    const auto found = co_await activity.list(user, wanted.query());
    co_return wanted.page(found, to_dto);
}

}  // namespace

void add_activity_endpoints(http::Router& router, Activity& activity, UserRepository& users, const Locales& locales) {
    router.get("/shared/user/activity-log/list")
        .also_at("/user/activity-log/list")
        .id("listActivity")
        .tag("activity")
        .says("List your activity")
        .describes(
            "Newest first: logins, password and two-factor changes, ended sessions. Consentry writes each entry in the "
            "same transaction as the change it records.")
        .message("activityLog.list")
        .handled_by(
            [&](const SignedIn& caller, const http::RequestContext& context, http::List<ActivityListing> wanted) {
                return http::reply(
                    std::move(wanted),
                    [&activity, user = caller.user()](const ListQuery& query) { return activity.list(user, query); },
                    InLanguage(locales, context.language));
            });

    router.get("/admin/user/:userId/activity-log/list")
        .id("listActivityOfUser")
        .tag("activity")
        .says("List the activity of an account")
        .describes(
            "Newest first. If an administrator acted, `createdBy` is the administrator's account ID, and their own log "
            "has "
            "the address and user agent.")
        .message("activityLog.list")
        .may_fail({&errors::user_not_found})
        .handled_by([&](const MayReadActivity&, const http::RequestContext& context, http::FromPath<AccountPath> path,
                        http::List<UserActivityListing> wanted) {
            return list_of_user(activity, users, path->user_id, std::move(wanted),
                                InLanguage(locales, context.language));
        });
}

}  // namespace consentry
