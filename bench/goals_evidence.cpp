// What consent costs those who verify it: very many acceptances, each with a receipt, from the request to the verdict.
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "goals.hpp"
#include "load.hpp"

namespace consentry::bench {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t acceptances_full = 1'000'000;
constexpr std::size_t acceptances_quick = 20'000;
constexpr std::size_t accept_connections = 64;
constexpr double verify_floor_s = 60;  // of a million receipts on two cores
constexpr auto merge_delay = 60s;      // that each receipt promises

// By the program's own commands, so that the bundle has the text.
void publish_marketing(const Stage& stage, const Environment& more) {
    const fs::path texts = stage.working_folder("texts");
    fs::create_directories(texts / "marketing" / "1");
    std::ofstream(texts / "marketing" / "1" / "en.hbs") << "We send you news by mail.\n";
    stage.run_command({"policy", "import", texts.string()}, more);
    stage.run_command({"policy", "publish", "marketing", "1"}, more);
}

// The receipts of so many acceptances and withdrawals go to a file, a line each.
Outcome collect_receipts(const Stage& stage, const Server& service, std::size_t wanted, const fs::path& file) {
    struct Turn {
        std::string accept, withdraw;
        bool accepted = false;
    };
    std::array<Turn, accept_connections> turns;
    for (std::size_t i = 0; i < accept_connections; ++i) {
        const std::string& token = stage.people().readers.at(i).access_token;
        constexpr std::string_view body = R"({"type":"marketing"})";
        turns[i] = {.accept = post_request("/api/v1/shared/user/term-policy/accept", body, token),
                    .withdraw = post_request("/api/v1/shared/user/term-policy/withdraw", body, token)};
    }
    std::ofstream out(file, std::ios::binary);
    std::size_t sent = 0;
    Outcome outcome = run({.port = service.port,
                           .connections = accept_connections,
                           .duration = 1h,
                           .next = [&](std::size_t connection) -> std::string_view {
                               if (sent == wanted) return {};
                               ++sent;
                               Turn& turn = turns[connection];
                               turn.accepted = !turn.accepted;
                               return turn.accepted ? turn.accept : turn.withdraw;
                           },
                           .answered =
                               [&](std::size_t, const Answer& answer) {
                                   if (answer.status == 200) out << member(answer.body, "receipt") << '\n';
                               }});
    outcome.all_well();
    out.close();
    if (!out) throw std::runtime_error("evidence: the receipts cannot be written");
    return outcome;
}

std::uint64_t published_size(const Server& service) {
    const std::string answer = once(service.port, get_request("/consent-log/checkpoint"));
    const std::size_t line = answer.find('\n');  // the second line (C2SP tlog-checkpoint)
    return line == std::string::npos ? 0 : std::strtoull(answer.c_str() + line + 1, nullptr, 10);
}

// Until the published log has so many entries.
double seconds_until_merged(const Server& service, std::uint64_t entries) {
    const auto begin = steady_clock::now();
    while (published_size(service) < entries) {
        if (steady_clock::now() - begin > 2 * merge_delay)
            throw std::runtime_error("evidence: the log lacks acceptances after two minutes");
        std::this_thread::sleep_for(20ms);
    }
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

}  // namespace

void measure_evidence(const Stage& stage, Report& report) {
    const std::size_t wanted = stage.length().large.users >= 1'000'000 ? acceptances_full : acceptances_quick;
    const std::string many = count(static_cast<double>(wanted));
    const Environment more{{"CONSENT_LOG_PRIVATE_KEY", new_key(crypto::SignatureAlgorithm::eddsa)}};
    const fs::path folder = stage.working_folder("evidence");
    const std::string receipts = (folder / "receipts.jwt").string();
    const std::string description = (folder / "description.note").string();
    const std::string bundle = (folder / "bundle.zip").string();
    publish_marketing(stage, more);
    std::string key;
    {
        const Server service = stage.serve(more);
        constexpr std::uint64_t publications = 1;
        seconds_until_merged(service, publications);
        const Outcome outcome = collect_receipts(stage, service, wanted, receipts);
        const double merged = seconds_until_merged(service, publications + wanted);
        report.add({.goal = fmt::format("evidence: {} acceptances and withdrawals with receipts", many),
                    .floor = "2,000/s",
                    .measured = fmt::format("{}/s, p99 {:.1f} ms", count(outcome.per_second()),
                                            outcome.latencies(200).milliseconds(0.99)),
                    .judged = {at_least(only(outcome.per_second()), 2'000, "per second")}});
        report.add({.goal = "evidence: after the last of them, until all are in the log",
                    .floor = "60 s",
                    .measured = fmt::format("{:.1f} s", merged),
                    .judged = {at_most(only(merged), std::chrono::duration<double>(merge_delay).count(), "s")}});
        std::ofstream(description) << once(service.port, get_request("/.well-known/consent-log.note"));
        key = member(once(service.port, get_request("/.well-known/consent-log")), "verifierKey");
    }
    const double receipt_seconds =
        stage.run_command({"verify", "receipt", receipts, "--key", key, "--description", description}, more);
    report.add({.goal = fmt::format("evidence: `verify receipt` of {} receipts", many),
                .floor = "60 s",
                .measured = fmt::format("{:.1f} s", receipt_seconds),
                .judged = {at_most(only(receipt_seconds), verify_floor_s, "s")}});
    const double export_seconds = stage.run_command({"consent", "export", "--out", bundle}, more);
    const double bundle_seconds = stage.run_command({"verify", "bundle", bundle, "--key", key}, more);
    report.add({.goal = fmt::format("evidence: `consent export` of all {} entries, `verify bundle`", many),
                .floor = "",
                .measured = fmt::format("{:.1f} s, {:.1f} s; {:.0f} MB", export_seconds, bundle_seconds,
                                        static_cast<double>(fs::file_size(bundle)) / 1e6)});
    const double database_seconds = stage.run_command({"verify", "database", "--key", key}, more);
    report.add({.goal = "evidence: `verify database` of the same",
                .floor = "",
                .measured = fmt::format("{:.1f} s", database_seconds)});
}

}  // namespace consentry::bench
