#include "app/commands/consent_commands.hpp"

#include <optional>

#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/commands/verify_input.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/results.hpp"
#include "base/standard_error.hpp"
#include "features/consent_proof/database_check.hpp"
#include "tlog/checkpoint.hpp"

namespace consentry {
namespace {

constexpr std::chrono::days one_day{1};

// Days are those of UTC. As an end, a day is included as a whole.
std::optional<TimePoint> time_of(const std::string& text, bool is_end) {
    if (const auto time = from_iso8601(text)) return time;
    const auto day = from_iso8601(text + "T00:00:00Z");
    if (!day || !is_end) return day;
    return *day + one_day;
}

// Returns nullopt if an option is wrong, and has then reported it.
std::optional<BundleFilter> filter_of(const ConsentExportOptions& options) {
    BundleFilter out{.with_addenda = !options.without_addenda};
    const auto refuse = [](const char* option, const std::string& value, const char* wanted) {
        say("consentry: {} {} is not {}\n", option, value, wanted);
        return std::nullopt;
    };
    if (!options.user.empty()) {
        out.user = UserId::parse(options.user);
        if (!out.user) return refuse("--user", options.user, "an account ID");
    }
    if (!options.type.empty()) out.type = find_enum<PolicyType>(options.type);  // the command line accepts no other
    constexpr const char* time_wanted = "a day (2026-01-31) or a time with its offset (2026-01-31T12:00:00Z)";
    if (!options.from.empty()) {
        out.from = time_of(options.from, false);
        if (!out.from) return refuse("--from", options.from, time_wanted);
    }
    if (!options.to.empty()) {
        out.before = time_of(options.to, true);
        if (!out.before) return refuse("--to", options.to, time_wanted);
    }
    // Such a bundle would be valid, and look as if the log had no entries.
    if (out.from && out.before && *out.before <= *out.from) {
        say("consentry: --from {} and --to {} leave no time in between\n", options.from, options.to);
        return std::nullopt;
    }
    return out;
}

// Returns nullopt if an option is wrong, and has then reported it.
std::optional<KnownLog> known_log(const VerifyDatabaseOptions& options) {
    KnownLog out;
    try {
        if (!options.key.empty()) out.key = given_key(options.key, LogKind::consent);
        if (!options.checkpoint.empty()) out.checkpoint = kept_checkpoint(options.checkpoint, LogKind::consent);
    } catch (const WrongUse& error) {
        say("consentry: {}\n", error.what());
        return std::nullopt;
    }
    return out;
}

}  // namespace

int export_consent(const ConsentExportOptions& options) {
    const auto filter = filter_of(options);
    if (!filter) return wrong_use;
    CallersFile file(options.out);  // for the operator alone, because a bundle names people
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    if (!services->bundles) {
        say("consentry: the consent log is off; set CONSENT_LOG_ENABLE=true and its key\n");
        return wrong_use;
    }
    run(services->open_logs());
    auto bundle = run(services->bundles->make(*filter));
    if (!bundle) return tell(*services, bundle.error());
    {
        ProgressBar bar;
        std::uint64_t written = 0;
        while (const auto piece = run(bundle->next())) {
            file.write(*piece);
            written += piece->size();
            bar.show(fmt::format("{} of {} bytes", written, bundle->size), written, bundle->size);
        }
    }
    file.replace();
    boost::json::array lost;
    for (const std::string& text : bundle->lost_texts) {
        say("consentry: warning: the bundle lacks {}: it was lost or altered\n", text);
        lost.emplace_back(text);
    }
    if (!bundle->is_cosigned)
        say("consentry: warning: the witnesses have not cosigned the checkpoint of the bundle yet, so verifiers that "
            "require their cosignatures refuse it; export again once they have\n");
    tell_done(fmt::format("Exported {} entries to {} ({} bytes).", bundle->entries, options.out, bundle->size),
              {{"entries", bundle->entries},
               {"file", options.out},
               {"bytes", bundle->size},
               {"lostTexts", std::move(lost)},
               {"cosigned", bundle->is_cosigned}},
              options.json);
    return 0;
}

int verify_database(const VerifyDatabaseOptions& options) {
    auto known = known_log(options);
    if (!known) return wrong_use;
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    if (services->consent_log) known->witness_lines = services->consent_log->witness_lines();
    std::optional<ProgressBar> bar(std::in_place);
    DatabaseCheck check(services->database, services->object_store, services->term_policies.paths(),
                        services->clock.now(), std::move(*known),
                        [&bar, former = std::string()](std::string_view doing, std::optional<double> done) mutable {
                            if (doing == former) return bar->show(doing, done);
                            former = doing;
                            bar->restart();
                            bar->show_now(doing, done);
                        });
    const DatabaseFindings findings = run(check.run());
    bar.reset();
    const auto published = findings.checkpoint ? findings.checkpoint->size : 0;
    if (options.json) {
        boost::json::array found;
        for (const std::string& one : findings.found) found.emplace_back(one);
        print_json(boost::json::object{{"valid", findings.are_none()},
                                       {"entries", findings.entries},
                                       {"published", published},
                                       {"found", std::move(found)},
                                       {"unnamed", findings.unnamed}});
    } else {
        for (const std::string& one : findings.found) fmt::print("{}\n", one);
        if (findings.unnamed > 0) fmt::print("and {} more\n", findings.unnamed);
    }
    if (findings.former_keys > 0)
        say("consentry: warning: receipt keys of a version before 0.2 are not signed yet ({}), so verifiers refuse "
            "their receipts; start the service, which signs them\n",
            findings.former_keys);
    if (!findings.are_none()) {
        say("consentry: the database differs from the consent log\n");
        return failed;
    }
    if (!options.json)
        fmt::print("The database matches the consent log: {} entries, {} of them covered by the checkpoint of {}.\n",
                   findings.entries, published, findings.checkpoint ? findings.checkpoint->origin : "no log");
    return 0;
}

}  // namespace consentry
