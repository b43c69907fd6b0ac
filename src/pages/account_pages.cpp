#include "pages/account_pages.hpp"

#include <algorithm>

#include "base/report.hpp"
#include "features/activity/audit.hpp"
#include "pages/accept_language.hpp"
#include "pages/account_words.hpp"
#include "pages/notes.hpp"

namespace consentry {
namespace {

constexpr std::int64_t few_backup_codes = 2;

awaitable<Result<PageAnswer>> show_deleted(const Visit& visit) {
    // A link may lead here although nothing has been deleted.
    if (visit.is_signed_in()) co_return PageAnswer::to(Address("/account"));
    co_return PageAnswer{};
}

}  // namespace

void AccountPages::add_to(Pages& pages) {
    pages.show("/account",
               {.id = "account",
                .file = "account.html",
                .title = "account.title",
                .names = {"email", "name", "mail_language", "has_factor", "has_password", "few_codes", "left"},
                .links = {{.name = "no_change", .flag = "changePassword"}}},
               [this](const Member& visit) { return show(visit); });
    pages.form(
        "/account/profile",
        {.id = "accountProfile",
         .file = "account_profile.html",
         .title = "profile.title",
         .names = {"owner", "has_name", "languages", "value", "label", "is_selected", "genders"}},
        [this](const Member& visit) { return show_profile(visit); },
        [this](const Sent<ProfileForm, Member>& sent) { return save_profile(sent); });
    pages.form(
        "/account/data",
        {.id = "accountData",
         .file = "account_data.html",
         .title = "data.title",
         .names = {"owner", "has_factor", "is_user"}},
        [this](const VisitOf<SignedIn>& visit) { return show_data(visit); },
        [this](const Sent<DeletionForm, VisitOf<SignedIn>>& sent) { return erase(sent); });
    pages.action("/account/data/export", "accountExport",
                 [this](const Sent<NothingForm, VisitOf<SignedIn>>& sent) { return hand_out(sent); },
                 {.if_expired = Address("/account/data")});
    pages.show("/account/deleted", {.id = "accountDeleted", .file = "account_deleted.html", .title = "data.deleted"},
               [](const Visit& visit) { return show_deleted(visit); });
}

awaitable<Result<PageAnswer>> AccountPages::show(const Member& visit) const {
    const auto user = co_await parts_.users.find(visit.caller().user());
    if (!user) co_return fail(errors::jwt_access_token_invalid);
    const auto factor = co_await parts_.two_factor.state(user->id);
    View view;
    view.text("email", user->email)
        .text("name", user->name.value_or(""))
        .text("mail_language", own_name_of(user->language))
        .flag("has_factor", factor.active())
        .flag("has_password", user->password_hash.has_value())
        .flag("few_codes", factor.active() && factor.backup_codes <= few_backup_codes)
        .text("left", std::to_string(factor.backup_codes));
    co_return PageAnswer::of(std::move(view));
}

awaitable<Result<PageAnswer>> AccountPages::show_profile(const Member& visit) const {
    auto profile = co_await parts_.profiles.get(visit.caller().user(), visit.caller().grounds().policy_state);
    if (!profile) co_return fail(std::move(profile.error()));
    std::vector<Language> offered = parts_.languages;
    // A browser would select the first one instead, and the next click would store it.
    if (std::ranges::find(offered, profile->language) == offered.end()) offered.push_back(profile->language);
    std::vector<View> languages;
    languages.reserve(offered.size());
    for (const Language language : offered)
        languages.push_back(std::move(View()
                                          .text("value", name_of(language))
                                          .text("label", own_name_of(language))
                                          .flag("is_selected", language == profile->language)));
    std::vector<View> genders;
    genders.reserve(EnumNames<Gender>::names.size());
    for (const auto& [gender, name] : EnumNames<Gender>::names)
        genders.push_back(
            std::move(View()
                          .text("value", name)
                          .text("label", parts_.locales.text(visit.language(), "pages.gender." + std::string(name)))
                          .flag("is_selected", gender == profile->gender)));
    co_return PageAnswer::of(std::move(View()
                                           .text("owner", profile->email)
                                           .text("name", profile->name.value_or(""))
                                           .flag("has_name", profile->name.has_value())
                                           .list("languages", std::move(languages))
                                           .list("genders", std::move(genders))));
}

awaitable<Result<PageAnswer>> AccountPages::save_profile(const Sent<ProfileForm, Member>& sent) {
    const ProfileForm& form = sent.form();
    auto saved = co_await parts_.accounts.update_profile(
        sent.visit().caller().actor(), sent.visit().caller().user(),
        {.name = form.name, .language = form.mail_language, .gender = form.gender}, cause_of(sent.visit().context()));
    if (!saved) co_return fail(std::move(saved.error()));
    co_return PageAnswer::to(Address("/account"), tell(PageNote::profile_saved, sent.visit()));
}

awaitable<Result<PageAnswer>> AccountPages::show_data(const VisitOf<SignedIn>& visit) const {
    const auto factor = co_await parts_.two_factor.state(visit.caller().user());
    co_return PageAnswer::of(std::move(View()
                                           .text("owner", visit.caller().email())
                                           .flag("has_factor", factor.active())
                                           .flag("is_user", visit.caller().role() == Role::user)));
}

awaitable<Result<PageAnswer>> AccountPages::hand_out(const Sent<NothingForm, VisitOf<SignedIn>>& sent) {
    const auto& visit = sent.visit();
    const UserId user = visit.caller().user();
    auto pieces = co_await parts_.account_export.of(user, visit.language(), cause_of(visit.context()));
    if (!pieces) co_return fail(std::move(pieces.error()));
    co_return PageAnswer::of_file(http::Stream{.content_type = "application/json; charset=utf-8",
                                               .file_name = "account-" + user.text() + ".json",
                                               .next = std::move(*pieces)});
}

awaitable<Result<PageAnswer>> AccountPages::erase(const Sent<DeletionForm, VisitOf<SignedIn>>& sent) {
    const auto& caller = sent.visit().caller();
    // Only the operator can delete an administrator, as with the API.
    if (caller.role() != Role::user) co_return fail(errors::role_forbidden);
    if (sent.form().email != caller.email()) {
        Report report;
        report.add("isOwnAddress", "email");
        co_return fail(Error{errors::validation, report.take()});
    }
    auto deleted = co_await parts_.accounts.delete_self(caller.actor(), caller.user(), proof_of(sent.form()),
                                                        cause_of(sent.visit().context()));
    if (!deleted) co_return fail(std::move(deleted.error()));
    co_return PageAnswer::to(Address("/account/deleted"),
                             cookies_.clear(PageCookie::session) + cookies_.clear(PageCookie::step));
}

}  // namespace consentry
