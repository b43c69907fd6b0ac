#include "features/mail/file_transport.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace consentry {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int error) { return std::generic_category().message(error); }

void make_folder(const fs::path& folder) {
    if (folder.empty() || fs::is_directory(folder)) return;
    make_folder(folder.parent_path());
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        throw std::runtime_error(fmt::format("{} cannot be created: {}", folder.string(), reason_of(errno)));
}

// Returns 0 once the content is durable, otherwise errno.
int write_file(const fs::path& path, std::string_view content) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return errno;
    int error = 0;
    while (error == 0 && !content.empty()) {
        const ssize_t bytes = ::write(fd, content.data(), content.size());
        if (bytes >= 0)
            content.remove_prefix(static_cast<std::size_t>(bytes));
        else if (errno != EINTR)
            error = errno;
    }
    if (error == 0 && ::fsync(fd) != 0) error = errno;
    if (::close(fd) != 0 && error == 0) error = errno;
    return error;
}

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
    const fs::path unfinished = file.string() + ".part";
    int error = write_file(unfinished, mail.content);
    if (error == 0 && ::rename(unfinished.c_str(), file.c_str()) != 0) error = errno;
    if (error == 0) return {Posting::Verdict::done, {}};
    ::unlink(unfinished.c_str());
    return {Posting::Verdict::no_service, fmt::format("{}: {}", folder_.string(), reason_of(error))};
}

}  // namespace consentry
