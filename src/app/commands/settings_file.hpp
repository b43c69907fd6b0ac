// The file that settings are read from, and the account that commands act as.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/backup/files.hpp"
#include "app/config/config.hpp"

namespace consentry {

// `.env` in the working directory, unless the program was built for a package, which has a file of its own. A packaged
// program ignores `.env`: it may run with the rights of root in any folder.
std::filesystem::path settings_file();
// Overrides it for this process; from then on the file must exist.
void choose_settings_file(std::filesystem::path file);
bool chosen_settings_file_is_missing();
// Whether no other file has been chosen. In a package, it is the one that the systemd unit reads.
bool is_usual_settings_file();
// The option that makes a command read the same file, for command lines that the operator pastes into a shell: empty
// for the usual file, otherwise " --env-file FILE".
std::string settings_file_option();

// Where `consentry init` keeps data: ./data, or the folder of the package.
std::filesystem::path usual_data_folder();

// If root runs a command on the data of another account, permanently switches to that account, unless keep_way_back()
// was called: files that the command creates must be the service's. Where the unit of the package runs the service,
// root's data are a mistake: the program goes on as the account of the service, which cannot open them either. Throws
// std::system_error.
void act_as_owner_of_data(const Config& config);
// The account to which root gives what it creates in this folder, by the same rule. If the folder does not exist yet,
// the nearest one above it counts.
Owner owner_in(const std::filesystem::path& folder);

// Before that: lets the command act as its caller again, to finish a file in a folder that is not the service's.
void keep_way_back();
// Does so for files while it exists, if the command has switched to another account and may come back.
class ActAsCaller {
public:
    ActAsCaller();
    ~ActAsCaller();
    ActAsCaller(const ActAsCaller&) = delete;
    ActAsCaller& operator=(const ActAsCaller&) = delete;
};

// Lets root read files below a folder with the rights of the folder's owner while it exists: a link that the owner made
// there leads no further than the owner can read. For this thread alone. Has no effect if root is not the caller.
class ReadAsOwnerOf {
public:
    explicit ReadAsOwnerOf(const std::filesystem::path& folder);
    ~ReadAsOwnerOf();
    ReadAsOwnerOf(const ReadAsOwnerOf&) = delete;
    ReadAsOwnerOf& operator=(const ReadAsOwnerOf&) = delete;
};

// What the settings ask for and the unit of the package forbids. Empty unless it runs the service.
std::vector<ConfigProblem> unit_warnings(const Config& config);

}  // namespace consentry
