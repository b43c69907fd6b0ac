#include "app/commands/witness_command.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/prctl.h>

#include <fmt/format.h>

#include "app/commands/command_support.hpp"
#include "app/commands/ending_signals.hpp"
#include "app/config/dotenv.hpp"
#include "app/observation/standard_error_log.hpp"
#include "app/open_server.hpp"
#include "app/terminal/results.hpp"
#include "base/host_port.hpp"
#include "base/new_file.hpp"
#include "base/numbers.hpp"
#include "base/open_files.hpp"
#include "base/standard_error.hpp"
#include "base/whole_file.hpp"
#include "base/wrong_settings.hpp"
#include "features/witness/application.hpp"
#include "features/witness/repository.hpp"
#include "http/server.hpp"
#include "storage/sqlite/sqlite_database.hpp"

namespace consentry {
namespace {

constexpr const char* key_variable = "CONSENTRY_WITNESS_KEY";

std::string read_key(const std::string& file) {
    if (file.empty()) {
        const Environment environment = process_environment();
        const auto given = environment.find(key_variable);
        if (given == environment.end())
            throw WrongSettings(fmt::format(
                "a witness needs a key: name its file with --key, or set {}. `consentry witness key` creates one",
                key_variable));
        return given->second;
    }
    auto text = read_whole_file(file);
    if (!text) throw WrongSettings("cannot read the key file " + file);
    return std::move(*text);
}

tlog::NoteSigner load_signer(const std::string& file) {
    const std::string place = file.empty() ? key_variable : file;
    std::string text = read_key(file);
    auto signer = tlog::NoteSigner::parse(std::string_view(text).substr(0, text.find_last_not_of(" \r\n") + 1));
    crypto::wipe(text);
    if (!signer) throw WrongSettings(fmt::format("{}: {}", place, signer.error()));
    if (signer->verifier().type() != tlog::KeyType::cosignature)
        throw WrongSettings(fmt::format("{}: this is the key of a log, not of a witness", place));
    return std::move(*signer);
}

std::string full_name(const std::string& file) { return std::filesystem::absolute(file).lexically_normal().string(); }

// Why the file cannot be a database that a witness has used; nullopt if it can.
std::optional<std::string> doubt_about(const std::string& database) {
    std::error_code error;
    const auto size = std::filesystem::file_size(database, error);
    if (error) return error.message();
    return size == 0 ? std::optional<std::string>("it is empty") : std::nullopt;
}

void require_memory(const std::string& database) {
    if (const auto doubt = doubt_about(database))
        throw WrongSettings(fmt::format(
            "the database {} cannot be used: {}. Without it, the witness does not know what it has "
            "cosigned. Name the file that `consentry witness key` created, with --database. If it is lost, "
            "create another key and database, start the witness with this key, and tell the owners of the logs",
            full_name(database), *doubt));
}

struct ListenAddress {
    std::string host;
    std::uint16_t port = 0;
};
// HOST:PORT, with the brackets of an IPv6 address. nullopt if it is not of this form.
std::optional<ListenAddress> parse_address(std::string_view text) {
    const auto parts = split_host_port(text);
    if (!parts || !parts->port) return std::nullopt;
    const std::string_view host = without_brackets(parts->host);
    const auto port = parse_number<std::uint16_t>(*parts->port);
    if (host.empty() || !port) return std::nullopt;
    return ListenAddress{.host = std::string(host), .port = *port};
}

http::ServerOptions server_options(const ListenAddress& address) {
    http::ServerOptions out;
    out.host = address.host;
    out.port = address.port;
    // Whatever media type a log claims for its request.
    out.json_bytes_max = tlog::add_checkpoint_bytes_max;
    out.text_bytes_max = tlog::add_checkpoint_bytes_max;
    return out;
}

}  // namespace

int serve_witness(const WitnessOptions& options) {
    const auto address = parse_address(options.listen);
    if (!address) {
        say("consentry: --listen must be HOST:PORT, for example localhost:3080\n");
        return wrong_use;
    }
    prctl(PR_SET_DUMPABLE, 0);  // a core dump would contain the key
    std::signal(SIGPIPE, SIG_IGN);
    raise_file_limit();
    EndingSignals ending;
    const StandardErrorLog messages;

    auto logs = read_witnessed_logs(options.logs);
    const tlog::NoteSigner signer = load_signer(options.key_file);
    require_memory(options.database);
    const SystemClock clock;
    // Declared first, hence destroyed last: the database delivers its last results on the server's executors.
    std::unique_ptr<http::Server> server;
    storage::SqliteDatabase database({.file = options.database});
    database.migrate(witness_migrations());
    if (!run(WitnessRepository(database).belongs_to(signer.verifier().text())))
        throw WrongSettings(fmt::format(
            "the database {} was created with a key other than {}, and does not record what this key "
            "has cosigned. Use the database that came with this key, or the key that came with this database",
            full_name(options.database), signer.verifier().name()));
    const std::size_t log_count = logs.size();
    Witness witness(database, clock, signer, std::move(logs));
    WitnessApplication application(witness);
    server = open_server(server_options(*address), application, "--listen");
    ending.begin_serving();
    server->start();
    const bool is_v6 = address->host.contains(':');
    say("Witness {} for {} {} listens on http://{}{}{}:{}\nDatabase: {}\nVerifier key: {}\n", signer.verifier().name(),
        log_count, log_count == 1 ? "log" : "logs", is_v6 ? "[" : "", address->host, is_v6 ? "]" : "", server->port(),
        full_name(options.database), signer.verifier().text());

    ending.wait();
    say("Stopping; waiting for open requests to finish...\n");
    server->stop();
    ending.let_next_one_terminate();
    server->join();
    return 0;
}

int make_witness_key(const std::string& name, const std::string& file, const std::string& database, bool as_json) {
    const auto signer = tlog::NoteSigner::generate(name, tlog::KeyType::cosignature);
    if (!signer) {
        say("consentry: {}\n", signer.error());
        return wrong_use;
    }
    // Never replaces a file: a witness that loses its key loses what others trust.
    NewFile made = begin_file(file);
    std::string text = signer->text() + "\n";
    made.write(text);
    crypto::wipe(text);
    const bool needs_database = doubt_about(database).has_value();
    if (needs_database) begin_file(database);  // refuses a place where none can be created
    if (!made.take_free_name()) {
        say("consentry: {} exists; nothing was changed\n", file);
        return wrong_use;
    }
    try {
        storage::SqliteDatabase memory({.file = database});
        memory.migrate(witness_migrations());
        run(WitnessRepository(memory).add_key(signer->verifier().text()));
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
        throw;
    }
    if (as_json)
        print_json(boost::json::object{
            {"verifierKey", signer->verifier().text()}, {"file", file}, {"database", full_name(database)}});
    else
        fmt::print("{}\n", signer->verifier().text());
    say("Keep {} like a password. Logs and verifiers need the line above.\n", file);
    say("The witness records in {} what it cosigns{}.\n", full_name(database),
        needs_database ? "" : ", beside what it contains already");
    return 0;
}

}  // namespace consentry
