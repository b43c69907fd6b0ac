#include "app/commands/clean_up_command.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/periodic_tasks.hpp"
#include "app/terminal/results.hpp"
#include "base/standard_error.hpp"

namespace consentry {
namespace {

boost::json::array json_of(const std::vector<TaskTrouble>& troubles) {
    boost::json::array out;
    for (const TaskTrouble& trouble : troubles) out.push_back({{"task", trouble.task}, {"reason", trouble.reason}});
    return out;
}

}  // namespace

int clean_up(bool as_json) {
    const SystemClock clock;
    const auto services = open_services(clock);
    if (!services) return wrong_use;
    const auto troubles = run(services->clean_up());
    const ErasureCount erased = services->accounts.erased();
    if (as_json)
        print_json({{"erasedAccounts", erased.accounts},
                    {"erasedConsents", erased.consents},
                    {"troubles", json_of(troubles)}});
    else
        fmt::print("Erased {} deleted {} and {} {} of consent.\n", erased.accounts,
                   erased.accounts == 1 ? "account" : "accounts", erased.consents,
                   erased.consents == 1 ? "record" : "records");
    for (const TaskTrouble& trouble : troubles) say("consentry: {}: {}\n", trouble.task, trouble.reason);
    if (!troubles.empty()) return failed;
    say("All due cleanup tasks are done.\n");
    return 0;
}

}  // namespace consentry
