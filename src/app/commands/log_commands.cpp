#include "app/commands/log_commands.hpp"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/commands/verify_input.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/results.hpp"
#include "base/standard_error.hpp"

namespace consentry {
namespace {

constexpr std::int64_t acts_at_once = 500;

std::string_view name_of(LogFault fault) {
    switch (fault) {
        case LogFault::altered:
            return "altered";
        case LogFault::missing:
            return "missing";
        case LogFault::added:
            return "added";
        case LogFault::moved:
            return "moved";
        case LogFault::object:
            return "object";
        case LogFault::checkpoint:
            return "checkpoint";
        case LogFault::witness:
            return "witness";
    }
    return {};
}

// Null if there is none, and has then reported it.
std::unique_ptr<Services> open_with_log(const Clock& clock) {
    auto services = open_services(clock);
    if (!services || services->administration_log) return services;
    say("consentry: the logs are off; set CONSENT_LOG_ENABLE and CONSENT_LOG_PRIVATE_KEY\n");
    return nullptr;
}

std::string text_of(const std::optional<ShownAccount>& account, std::string_view otherwise) {
    if (!account) return std::string(otherwise);
    if (!account->email.empty()) return account->email;
    return account->id ? account->id->text() : "tag " + account->tag;
}

boost::json::value json_of(const std::optional<ShownAccount>& account) {
    if (!account) return {};
    boost::json::object out{{"tag", account->tag}};
    if (account->id) out["id"] = account->id->text();
    if (!account->email.empty()) out["email"] = account->email;
    return out;
}

boost::json::object json_of(const ShownAct& act) {
    boost::json::object out{{"index", act.position}};
    if (!act.damage.empty()) {
        out["damage"] = act.damage;
        return out;
    }
    out["time"] = to_iso8601(TimePoint(act.time));
    out["action"] = act_name(act.code);
    out["late"] = act.is_late;
    out["actor"] = json_of(act.actor);  // null: the operator on the command line
    out["subject"] = json_of(act.subject);
    return out;
}

ResultRow row_of(const ShownAct& act) {
    if (!act.damage.empty()) return {act.position, nullptr, "damaged: " + act.damage, nullptr, nullptr};
    return {act.position, to_iso8601(TimePoint(act.time)),
            fmt::format("{}{}", act_name(act.code), act.is_late ? " (logged late)" : ""),
            text_of(act.actor, "operator"), text_of(act.subject, "-")};
}

boost::json::object json_of(const ActFindings& findings) {
    boost::json::array found;
    for (const LogFinding& one : findings.log.found) {
        boost::json::object finding{{"fault", name_of(one.fault)}, {"text", one.text}};
        if (one.position) finding["index"] = *one.position;
        found.push_back(std::move(finding));
    }
    boost::json::object out{{"ok", findings.are_none()},
                            {"entries", findings.entries},
                            {"evidence", findings.evidence},
                            {"waiting", findings.waiting},
                            {"unlogged", findings.unlogged},
                            {"findings", std::move(found)},
                            {"unnamedFindings", findings.log.unnamed}};
    if (findings.cosigned) out["cosigned"] = findings.cosigned->checkpoint.size;
    if (findings.log.checkpoint) {
        out["origin"] = findings.log.checkpoint->origin;
        out["size"] = findings.log.checkpoint->size;
    }
    return out;
}

// Who has cosigned how much of the log.
std::string witnessed_text(const ActFindings& findings) {
    if (!findings.cosigned) return {};
    std::string out = fmt::format("; witnesses have cosigned {} entries", findings.cosigned->checkpoint.size);
    for (const auto& one : findings.cosigned->cosignatures)
        out += fmt::format(", {} at {}", one.witness, to_iso8601(time_point_cast<milliseconds>(one.time)));
    return out;
}

// Of findings, the gravest.
std::string_view verdict(const ActFindings& findings) {
    const auto has_other_than = [&](std::initializer_list<LogFault> faults) {
        return findings.log.unnamed > 0 || std::ranges::any_of(findings.log.found, [&](const LogFinding& one) {
                   return std::ranges::find(faults, one.fault) == faults.end();
               });
    };
    if (has_other_than({LogFault::object, LogFault::witness})) return "the log was changed after it was signed";
    if (has_other_than({LogFault::witness})) return "the published log is incomplete or damaged";
    if (findings.unlogged > 0) return "the log lacks acts";
    return "the quorum of the witnesses has not cosigned the log";
}

void print(const ActFindings& findings) {
    for (const LogFinding& one : findings.log.found) fmt::print("{}\n", one.text);
    if (findings.log.unnamed > 0) fmt::print("And {} more entries differ.\n", findings.log.unnamed);
    if (findings.unlogged > 0)
        fmt::print(
            "{} acts are marked as logged, but have no entry in the log. Run UPDATE administration_acts SET is_logged "
            "= FALSE in the database; the service then adds the missing entries.\n",
            findings.unlogged);
    const std::string origin = findings.log.checkpoint ? findings.log.checkpoint->origin : "the administration log";
    const std::uint64_t size = findings.log.checkpoint ? findings.log.checkpoint->size : 0;
    if (findings.are_none())
        fmt::print(
            "{}: the database matches the signed checkpoint of {} entries; {} of {} entries have their evidence, "
            "{} acts have no log entry yet{}.\n",
            origin, size, findings.evidence, findings.entries, findings.waiting, witnessed_text(findings));
    else
        say("consentry: {}: {}\n", origin, verdict(findings));
}

}  // namespace

int show_administration_log(const LogOptions& options) try {
    const SystemClock clock;
    const auto services = open_with_log(clock);
    if (!services) return wrong_use;
    AdministrationLog& log = *services->administration_log;
    const std::int64_t size = run(log.size());
    boost::json::array shown;
    ResultList list({{.name = "index", .heading = "INDEX"},
                     {.name = "time", .heading = "TIME"},
                     {.name = "action", .heading = "ACTION"},
                     {.name = "actor", .heading = "ACTOR"},
                     {.name = "subject", .heading = "SUBJECT"}},
                    false);
    for (std::int64_t from = std::max<std::int64_t>(0, size - options.limit); from < size; from += acts_at_once) {
        const auto acts = run(log.show(from, std::min(size, from + acts_at_once)));
        for (const ShownAct& act : acts) {
            if (options.json)
                shown.push_back(json_of(act));
            else
                list.add(row_of(act));
        }
    }
    if (options.json)
        print_json(shown);
    else
        list.end();
    return 0;
} catch (const std::logic_error& error) {
    // A reader of rows refuses a value of a type that no statement of the service writes.
    say("consentry: the log has values of a wrong type ({}): run `consentry log verify admin`, which names them\n",
        error.what());
    return failed;
}

int verify_administration_log(const LogOptions& options) {
    std::optional<tlog::VerifierKey> key;
    std::optional<std::string> kept;
    try {
        if (!options.key.empty()) key = given_key(options.key, LogKind::administration);
        if (!options.checkpoint.empty()) kept = kept_checkpoint(options.checkpoint, LogKind::administration);
    } catch (const WrongUse& error) {
        say("consentry: {}\n", error.what());
        return wrong_use;
    }
    const SystemClock clock;
    const auto services = open_with_log(clock);
    if (!services) return wrong_use;
    std::optional<ProgressBar> bar(std::in_place);
    const auto findings = run(services->administration_log->verify(
        std::move(key), std::move(kept),
        [&bar](std::uint64_t done, std::uint64_t all) { bar->show("comparing", done, all); },
        std::chrono::days{options.retention}));
    bar.reset();
    if (options.json)
        fmt::print("{}\n", boost::json::serialize(json_of(findings)));
    else
        print(findings);
    return findings.are_none() ? 0 : failed;
}

}  // namespace consentry
