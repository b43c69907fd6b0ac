#include "features/mail/file_transport.hpp"

#include <system_error>

#include <fmt/format.h>

#include "base/new_file.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

// Names start with e.g. 20231114T221330Z, which sorts by time and is valid on every file system.
std::string file_name(const PostedMail& mail) {
    std::string time;
    for (const char c : to_iso8601(mail.written_at).substr(0, 19))
        if (c != '-' && c != ':') time.push_back(c);
    return fmt::format("{}Z-{}.eml", time, mail.id.text());
}

}  // namespace

FileTransport::FileTransport(fs::path folder) : folder_(fs::absolute(std::move(folder))) { make_folder(folder_); }

Posting FileTransport::post(const PostedMail& mail, const std::stop_token&) {
    const fs::path file = folder_ / file_name(mail);
    try {
        replace_file(file, mail.content);
    } catch (const std::system_error& trouble) {
        return {Posting::Verdict::no_service, fmt::format("{}: {}", folder_.string(), trouble.code().message())};
    }
    return {Posting::Verdict::done, {}};
}

}  // namespace consentry
