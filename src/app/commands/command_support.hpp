// Shared code of the commands that work on the service's data.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "app/commands/settings_file.hpp"
#include "app/services.hpp"
#include "base/new_file.hpp"
#include "base/run_to_end.hpp"

namespace consentry {

// Exit codes.
inline constexpr int wrong_use = 2;  // or wrong settings
inline constexpr int failed = 1;

// Returns the one context that a command uses throughout: an engine's connections are bound to it.
asio::io_context& command_context();

// Runs one coroutine on this thread to completion.
template <class T>
T run(awaitable<T> work) {
    return run_to_end(command_context(), std::move(work));
}

// Returns whether there is data to work on; reports on standard error if there is none. Only `serve`, `migrate` and
// `keys generate` may create an installation: any other command, run in the wrong folder, would create a second, empty
// one.
bool has_data(const Config& config);

// Opens the services. Returns null if the settings are invalid or there is no data, and has then reported it. Throws
// WrongSettings if the schema is that of an earlier version, or as require_keys() does. `statement_time` replaces
// DATABASE_TIMEOUT.
std::unique_ptr<Services> open_services(const Clock& clock, std::optional<milliseconds> statement_time = {});

// The account that a command works on. Exactly one of the options must name it.
struct AccountChoice {
    std::string email;
    std::string id;
};
// Opens the services, finds the account, and returns what `work` returns. If that fails, reports why on standard error
// and returns the exit code.
int with_account(const AccountChoice& choice, const std::function<int(Services&, User)>& work);

// Asks for a word that confirms a change that cannot be undone. Without a terminal there is no one to ask: then it
// says which option confirms instead. Returns 0 if the answer was `wanted`, and otherwise the exit code.
int confirm(const std::string& question, const std::string& wanted, std::string_view option);

// Where to put a file of this name: in place of the one to which a link leads, because the link stays. Throws
// WrongSettings if the name is that of something else than a file, such as a device or a pipe, or of a link to nothing.
std::filesystem::path place_of_file(const std::filesystem::path& name);

// Begins a file that the command line names, in place_of_file(). Throws WrongSettings if it cannot be created there,
// and std::system_error if the disk is full or fails.
NewFile begin_file(const std::string& path);

// The same for a command that opens the services, which must not be open yet: the file goes wherever the caller of the
// command may write, even if the command acts as the owner of the data meanwhile.
class CallersFile {
public:
    explicit CallersFile(const std::string& path);
    ~CallersFile();
    CallersFile(const CallersFile&) = delete;
    CallersFile& operator=(const CallersFile&) = delete;

    void write(std::string_view bytes) { file_.write(bytes); }
    void replace();

private:
    std::optional<ActAsCaller> at_end_;  // ends after the file
    NewFile file_;
};

// Reports the refusal on standard error; returns `failed`.
int tell(const Services& services, const Error& error);

}  // namespace consentry
