#include "app/sole_service.hpp"

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

namespace consentry {
namespace {

constexpr milliseconds between_attempts{20};

}  // namespace

SoleService::SoleService(const Config& config)
    : file_(config.database.url.empty() ? std::filesystem::absolute(config.database.file) : std::filesystem::path()) {}

SoleService::~SoleService() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void SoleService::lock(milliseconds patience) {
    if (file_.empty() || descriptor_ >= 0) return;
    descriptor_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) return;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return;
        if (std::chrono::steady_clock::now() > end)
            throw std::runtime_error(
                fmt::format("DATA_DIR: another service uses {}. SQLite serves one: stop the other "
                            "service, or use PostgreSQL and Redis",
                            file_.lexically_normal().string()));
        std::this_thread::sleep_for(between_attempts);
    }
}

}  // namespace consentry
