#include "tests/support/real_postgres.hpp"

#include <unistd.h>

#include "tests/support/shared_engines.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {

RealPostgres::RealPostgres(RealPostgresOptions options)
    : tls_(options.replica_of == nullptr ? options.tls : options.replica_of->tls_) {
    std::vector<std::string> words{"--owner", std::to_string(::getpid())};
    if (options.tls) words.emplace_back("--tls");
    if (options.fast) words.emplace_back("--fast");
    if (options.replica_of == nullptr) words.insert(words.end(), {"--template", postgres_template()});
    if (options.replica_of != nullptr) words.insert(words.end(), {"--replica-of", options.replica_of->folder_.path()});
    if (options.synchronous) words.emplace_back("--synchronous");
    for (const std::string& setting : options.settings) words.insert(words.end(), {"--setting", setting});
    try {
        const auto values = named_values(control("start", words));
        password_ = values.at("POSTGRES_PASSWORD");
        port_ = port_of(values.at("POSTGRES_URL"));
    } catch (...) {
        control("stop", {"--remove"});
        throw;
    }
}

RealPostgres::~RealPostgres() {
    try {
        control("stop", {"--remove"});
    } catch (const std::exception&) {
        // The watchdog stops the server when this process ends.
    }
}

std::string RealPostgres::control(const std::string& command, const std::vector<std::string>& options) const {
    std::vector<std::string> words{CONSENTRY_REAL_SERVERS "/postgres.sh", command};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(folder_.path());
    return output_of(words);
}

std::string RealPostgres::url() const { return url("app", password_); }

std::string RealPostgres::url(const std::string& user, const std::string& password) const {
    std::string out = "postgresql://" + user + ":" + password + "@127.0.0.1:" + std::to_string(port_) + "/app";
    if (tls_) out += "?sslmode=verify-full&sslrootcert=" + ca_file().string();
    return out;
}

void RealPostgres::pause() const { control("pause"); }
void RealPostgres::resume() const { control("resume"); }
void RealPostgres::stop() const { control("stop"); }
void RealPostgres::kill() const { control("kill"); }
void RealPostgres::start() const { control("start"); }
void RealPostgres::promote() const { control("promote"); }

}  // namespace consentry::tests
