#include "app/commands/policy_commands.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/value_to.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/command_support.hpp"
#include "app/commands/policy_folder.hpp"
#include "app/commands/policy_values.hpp"
#include "app/terminal/results.hpp"
#include "app/terminal/terminal.hpp"
#include "base/error.hpp"
#include "base/json_values.hpp"
#include "base/line_diff.hpp"
#include "base/standard_error.hpp"
#include "base/text_rules.hpp"
#include "features/term_policies/content_check.hpp"
#include "features/term_policies/diff_page.hpp"
#include "features/term_policies/placeholders.hpp"

namespace consentry {
namespace {

std::string name_of(PolicyType type, std::int64_t version) { return fmt::format("{}/{}", name_of(type), version); }

// The placeholders as they appear in the text.
std::string in_braces(const std::vector<std::string>& unfilled) {
    std::string out;
    for (const std::string& one : unfilled)
        out += fmt::format("{}{{{{{}}}}}", out.empty() ? "" : ", ", on_its_lines(one));
    return out;
}

// Also lists the affected languages and their problems.
int tell_refusal(const Services& services, const Error& error) {
    if (const auto* contents = error.data().if_contains("contents"))
        for (const auto& one : contents->as_array()) {
            const auto* placeholders = one.as_object().if_contains("placeholders");
            const auto what =
                placeholders == nullptr
                    ? std::string(one.at("reason").as_string())
                    : "unfilled " + in_braces(boost::json::value_to<std::vector<std::string>>(*placeholders));
            say("consentry: {}: {}\n", std::string_view(one.at("language").as_string()), what);
        }
    return tell(services, error);
}

// Returns nullopt if there is none, and has then reported it.
std::optional<TermPolicy> find_policy(Services& services, const std::string& type, std::int64_t version) {
    const auto wanted = find_enum<PolicyType>(type).value();  // the command line accepts no other value
    auto policy = run(services.term_policies.find_version(wanted, version));
    if (!policy) say("consentry: {} does not exist\n", name_of(wanted, version));
    return policy;
}

// The outcome of importing one text.
enum class Fate { created, added, updated, unchanged, kept, published, refused };
constexpr std::string_view name_of(Fate fate) {
    constexpr std::array<std::string_view, 7> names{"created", "added",     "updated", "unchanged",
                                                    "kept",    "published", "refused"};
    return names[static_cast<std::size_t>(fate)];
}
constexpr bool is_written(Fate fate) { return fate == Fate::created || fate == Fate::added || fate == Fate::updated; }

struct Plan {
    PolicyVersion wanted;
    std::optional<TermPolicy> present;
    std::vector<Fate> fates;              // parallel to wanted.texts
    std::optional<Fate> processing = {};  // nullopt: the folder has none
};

Fate fate_of(Services& services, const std::optional<TermPolicy>& present, const PolicyText& text) {
    if (!present) return Fate::created;
    const bool is_draft = present->status == PolicyStatus::draft;
    const auto content = std::ranges::find(present->contents, text.language, &PolicyContent::language);
    if (content == present->contents.end()) return is_draft ? Fate::added : Fate::refused;
    const bool is_same = content->digest == digest_of(text.bytes);
    if (!is_draft) return is_same ? Fate::published : Fate::refused;
    // The file may have been replaced since its hash was recorded, in which case it could not be published.
    const auto stored = is_same ? run(services.term_policies.read(present->id, text.language)) : std::string();
    return stored && *stored == text.bytes ? Fate::unchanged : Fate::updated;
}

std::optional<Fate> processing_fate(const std::optional<TermPolicy>& present,
                                    const std::optional<std::string>& wanted) {
    if (!wanted) return std::nullopt;
    if (!present) return Fate::created;
    const bool is_same = present->processing == wanted;
    if (present->status == PolicyStatus::published) return is_same ? Fate::published : Fate::refused;
    return is_same ? Fate::unchanged : present->processing ? Fate::updated : Fate::added;
}

Plan plan_of(Services& services, PolicyVersion wanted) {
    Plan out{.wanted = std::move(wanted), .present = {}, .fates = {}};
    out.present = run(services.term_policies.find_version(out.wanted.type, out.wanted.version));
    for (const PolicyText& text : out.wanted.texts) out.fates.push_back(fate_of(services, out.present, text));
    out.processing = processing_fate(out.present, out.wanted.processing);
    return out;
}

// A new version is created in one step. For an existing draft, all files are uploaded first, and changes to existing
// contents are recorded last. Until then the files do not match their recorded hashes, so if the import stops halfway,
// a partial change cannot be published.
Result<void> carry_out(TermPolicies& policies, Plan plan) {
    const auto [type, version] = std::pair(plan.wanted.type, plan.wanted.version);
    std::vector<std::pair<Fate, ContentFile>> files;
    for (std::size_t i = 0; i < plan.fates.size(); ++i) {
        if (!is_written(plan.fates[i])) continue;
        PolicyText& text = plan.wanted.texts[i];
        auto file = run(policies.upload(type, version, text.language, std::move(text.bytes)));
        if (!file) return fail(std::move(file.error()));
        files.emplace_back(plan.fates[i], std::move(*file));
    }
    if (plan.present && plan.processing && is_written(*plan.processing)) {
        auto changed = run(
            policies.update_processing(Actor::operator_at_the_machine(), plan.present->id, plan.wanted.processing, {}));
        if (!changed) return changed;
    }
    if (files.empty()) return {};
    if (!plan.present) {
        NewTermPolicy policy{
            .type = type, .version = version, .contents = {}, .processing = std::move(plan.wanted.processing)};
        for (auto& [fate, file] : files) policy.contents.push_back(std::move(file));
        auto created = run(policies.create(Actor::operator_at_the_machine(), std::move(policy), {}));
        if (!created) return fail(std::move(created.error()));
        return {};
    }
    std::ranges::sort(files, {}, &std::pair<Fate, ContentFile>::first);  // added files before updated ones
    for (auto& [fate, file] : files) {
        auto changed =
            run(fate == Fate::added
                    ? policies.add_content(Actor::operator_at_the_machine(), plan.present->id, std::move(file), {})
                    : policies.update_content(Actor::operator_at_the_machine(), plan.present->id, std::move(file), {}));
        if (!changed) return changed;
    }
    return {};
}

void add_fates(ResultList& list, const Plan& plan) {
    const auto print = [&](Language language, Fate fate) {
        list.add({name_of(plan.wanted.type, plan.wanted.version, language), name_of(fate)});
    };
    for (std::size_t i = 0; i < plan.fates.size(); ++i) print(plan.wanted.texts[i].language, plan.fates[i]);
    if (plan.processing)
        list.add({fmt::format("{}/{}", name_of(plan.wanted.type, plan.wanted.version), processing_name),
                  name_of(*plan.processing)});
    if (!plan.present) return;
    for (const PolicyContent& content : plan.present->contents)
        if (std::ranges::find(plan.wanted.texts, content.language, &PolicyText::language) == plan.wanted.texts.end())
            print(content.language, Fate::kept);
}

void warn_of_unfilled(const Plan& plan) {
    for (const PolicyText& text : plan.wanted.texts)
        if (const auto unfilled = unfilled_in(text.bytes); !unfilled.empty())
            say("warning: {}: unfilled {}; this cannot be published\n",
                name_of(plan.wanted.type, plan.wanted.version, text.language), in_braces(unfilled));
}

void warn_of_unused(const PolicyValues& values) {
    if (const auto unused = values.unused(); !unused.empty())
        say("warning: no text uses the value of {}\n", on_its_lines(fmt::to_string(fmt::join(unused, ", "))));
}

std::vector<std::string> refusals_of(const Plan& plan) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < plan.fates.size(); ++i)
        if (plan.fates[i] == Fate::refused)
            out.push_back(
                fmt::format("{}: this version is already published with a different text; create a new version, or "
                            "restore the text and the values of its placeholders",
                            name_of(plan.wanted.type, plan.wanted.version, plan.wanted.texts[i].language)));
    if (plan.processing == Fate::refused)
        out.push_back(
            fmt::format("{}/{}: this version is already published with a different document; create a new version",
                        name_of(plan.wanted.type, plan.wanted.version), processing_name));
    return out;
}

int tell_problems(const std::vector<std::string>& problems, bool json) {
    ResultList list({{.name = "problem", .heading = "PROBLEM"}}, json);
    for (const std::string& problem : problems) list.add({problem});
    list.end();
    say("consentry: {} problems; nothing was imported\n", problems.size());
    return failed;
}

// 0 if none is published.
std::int64_t latest_version(const std::vector<TermPolicy>& policies, PolicyType type) {
    std::int64_t latest = 0;
    for (const TermPolicy& policy : policies)
        if (policy.type == type && policy.status == PolicyStatus::published) latest = std::max(latest, policy.version);
    return latest;
}

}  // namespace

int import_policies(const PolicyOptions& options) {
    PolicyFolder folder;
    std::optional<PolicyValues> values;
    try {
        folder = read_policy_folder(options.folder);
        values.emplace(options.folder, options.values);
    } catch (const std::runtime_error& error) {
        say("consentry: {}\n", on_its_lines(error.what()));
        return wrong_use;
    }
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;

    values->add_built_in("homeName", services->config.mail.home_name);
    values->add_built_in("supportEmail", services->config.mail.support);
    values->fill(folder);
    std::vector<Plan> plans;
    for (PolicyVersion& version : folder.versions) {
        plans.push_back(plan_of(*services, std::move(version)));
        std::ranges::move(refusals_of(plans.back()), std::back_inserter(folder.problems));
    }
    if (!folder.problems.empty()) return tell_problems(folder.problems, options.json);

    warn_of_unused(*values);
    for (const Plan& plan : plans) warn_of_unfilled(plan);
    ResultList list({{.name = "text", .heading = "TEXT"}, {.name = "outcome", .heading = "OUTCOME"}}, options.json);
    const bool has_documents = std::ranges::any_of(plans, [](const Plan& plan) { return plan.processing.has_value(); });
    const char* files = has_documents ? "texts and documents" : "texts";
    std::ptrdiff_t written = 0;
    std::ptrdiff_t all = 0;
    for (Plan& plan : plans) {
        if (!options.dry_run) {
            if (const auto done = carry_out(services->term_policies, plan); !done) {
                list.end();
                say("consentry: {}: refused; the import stopped after {} {}\n",
                    name_of(plan.wanted.type, plan.wanted.version), written, files);
                return tell_refusal(*services, done.error());
            }
        }
        add_fates(list, plan);
        written += std::ranges::count_if(plan.fates, is_written);
        all += std::ssize(plan.fates);
        if (plan.processing) {
            written += is_written(*plan.processing) ? 1 : 0;
            ++all;
        }
    }
    list.end();
    say("{} of {} {} {}imported{}\n", written, all, files, options.dry_run ? "would be " : "",
        written < all ? "; the others are unchanged" : "");
    return 0;
}

namespace {

PublicationTerms terms_of(const PolicyOptions& options) {
    return {
        .is_material = !options.not_material, .reason = options.not_material, .grace_in_days = options.grace_in_days};
}

}  // namespace

int publish_policy(const PolicyOptions& options) {
    const auto& reason = options.not_material;
    if (reason && (reason->empty() || !is_one_line_name(*reason) || !is_at_most(*reason, material_reason_length_max))) {
        say("consentry: --not-material: expected the reason, one line of at most {} characters\n",
            material_reason_length_max);
        return wrong_use;
    }
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    TermPolicies& policies = services->term_policies;
    const auto policy = find_policy(*services, options.type, options.version);
    if (!policy) return failed;
    if (options.preview) {
        const auto impact = run(policies.impact(policy->id));
        if (!impact) return tell_refusal(*services, impact.error());
        static constexpr std::array columns{ResultColumn{.name = "affectedUsers", .heading = "Affected users"},
                                            ResultColumn{.name = "activeUsers", .heading = "Active users"}};
        print_result(columns, {impact->affected_users, impact->active_users}, options.json);
        return 0;
    }
    const auto published = run(policies.publish(Actor::operator_at_the_machine(), policy->id, {}, terms_of(options)));
    if (!published) return tell_refusal(*services, published.error());
    const std::int64_t latest = latest_version(run(policies.list_all()), published->type);
    ResultList list({{.name = "language", .heading = "LANGUAGE"},
                     {.name = "sha256", .heading = "SHA-256"},
                     {.name = "url", .heading = "URL"}},
                    options.json);
    for (const PolicyContent& content : published->contents)
        list.add({name_of(content.language), content.digest,
                  services->object_store.public_address(
                      policies.paths().publication(published->type, published->version, content.language))});
    list.end();
    say("Published {}. The latest version is {}.\n", name_of(published->type, published->version), latest);
    return 0;
}

int list_policies(const PolicyOptions& options) {
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    const auto policies = run(services->term_policies.list_all());
    ResultList list({{.name = "type", .heading = "TYPE"},
                     {.name = "version", .heading = "VERSION"},
                     {.name = "state", .heading = "STATE", .is_state = true},
                     {.name = "languages", .heading = "LANGUAGES"},
                     {.name = "publishedAt", .heading = "PUBLISHED"}},
                    options.json);
    for (const TermPolicy& policy : policies) {
        const bool is_latest = policy.version == latest_version(policies, policy.type);
        boost::json::array languages;
        for (const PolicyContent& content : policy.contents)
            languages.push_back(boost::json::value(name_of(content.language)));
        list.add({name_of(policy.type), policy.version,
                  policy.status == PolicyStatus::draft ? "draft"
                  : is_latest                          ? "latest"
                                                       : "published",
                  std::move(languages), json_or_null(policy.published_at.transform(to_iso8601))});
    }
    list.end();
    return 0;
}

int diff_policies(const PolicyOptions& options) {
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    const auto language = find_language(options.language).value();  // the command line accepts no other value
    std::vector<std::string> names;
    std::vector<std::string> texts;
    for (const std::int64_t version : {options.version, options.other_version}) {
        const auto policy = find_policy(*services, options.type, version);
        if (!policy) return failed;
        auto text = run(services->term_policies.read(policy->id, language));
        names.push_back(name_of(policy->type, version, language));
        if (!text) {
            say("consentry: {}\n", names.back());
            return tell_refusal(*services, text.error());
        }
        texts.push_back(std::move(*text));
    }
    if (options.html) {
        const auto labels = labeled_page(services->locales, language, "termPolicy.type." + options.type,
                                         options.version, options.other_version);
        fmt::print("{}", diff_page(labels, texts[0], texts[1]));
        return 0;
    }
    fmt::print("{}", on_its_lines(unified_diff(texts[0], texts[1], names[0], names[1])));
    return 0;
}

}  // namespace consentry
