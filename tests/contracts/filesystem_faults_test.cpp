// Tests that the folder engine survives the failure of any of its system calls (STO-4), and that it syncs files and
// folders before it acknowledges a change (STO-1). This file wraps the libc functions; faults affect only the thread of
// the test.
#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "storage/filesystem/object_folder.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

struct Watch {
    bool on = false;
    int failing = 0;  // the call to fail, counted from 1; 0: none
    int error = 0;
    std::vector<std::string> calls{};  // such as "fsync public/a", with paths relative to the folder
    std::string folder{};

    std::string name_of(int fd) const {
        std::error_code ignored;
        const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored);
        return path.lexically_relative(folder).string();
    }
    // Records a call. Returns whether it must fail.
    bool see(const char* call, int fd) {
        if (!on) return false;
        on = false;  // name_of() makes system calls itself
        calls.push_back(std::string(call) + " " + name_of(fd));
        on = true;
        if (static_cast<int>(calls.size()) != failing) return false;
        errno = error;
        return true;
    }
};
thread_local Watch watch;

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    static auto* const real = next<int(const char*, int, ...)>("open");
    return watch.see("open", -1) ? -1 : real(path, flags, mode);
}
int openat(int fd, const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    static auto* const real = next<int(int, const char*, int, ...)>("openat");
    return watch.see("openat", fd) ? -1 : real(fd, path, flags, mode);
}
ssize_t write(int fd, const void* bytes, std::size_t size) {
    static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
    // Writes half of the bytes, so that callers must check the result.
    return watch.see("write", fd) ? -1 : real(fd, bytes, watch.on && size > 1 ? size / 2 : size);
}
// Named by its symbol, because _FORTIFY_SOURCE (release preset) defines `read` inline.
ssize_t read_or_fail(int fd, void* bytes, std::size_t size) __asm__("read");
ssize_t read_or_fail(int fd, void* bytes, std::size_t size) {
    static auto* const real = next<ssize_t(int, void*, std::size_t)>("read");
    return watch.see("read", fd) ? -1 : real(fd, bytes, watch.on && size > 1 ? size / 2 : size);
}
int fsync(int fd) {
    static auto* const real = next<int(int)>("fsync");
    return watch.see("fsync", fd) ? -1 : real(fd);
}
int fstat(int fd, struct stat* facts) noexcept {
    static auto* const real = next<int(int, struct stat*)>("fstat");
    return watch.see("fstat", fd) ? -1 : real(fd, facts);
}
int mkdirat(int fd, const char* path, mode_t mode) noexcept {
    static auto* const real = next<int(int, const char*, mode_t)>("mkdirat");
    return watch.see("mkdirat", fd) ? -1 : real(fd, path, mode);
}
int renameat(int from, const char* path, int to, const char* new_path) noexcept {
    static auto* const real = next<int(int, const char*, int, const char*)>("renameat");
    return watch.see("renameat", to) ? -1 : real(from, path, to, new_path);
}
int unlinkat(int fd, const char* path, int flags) noexcept {
    static auto* const real = next<int(int, const char*, int)>("unlinkat");
    // An unfinished file is removed while another fault is handled, and a second one is not simulated.
    if (watch.on && watch.name_of(fd) == "unfinished") return real(fd, path, flags);
    return watch.see("unlinkat", fd) ? -1 : real(fd, path, flags);
}

}  // extern "C"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
using storage::Area;
using storage::ObjectFolder;

constexpr Area area = Area::public_area;

std::size_t open_files() {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

class FolderFaults : public ::testing::Test {
protected:
    FolderFaults() { watch.folder = folder.path().string(); }
    ~FolderFaults() override { watch = {}; }

    static ObjectFolder::Deadline soon() { return std::chrono::steady_clock::now() + 1h; }
    void put(const std::string& key, const std::string& bytes) const { files.put(area, key, bytes, soon()); }
    void put_compressed(const std::string& key, const std::string& bytes) const {
        files.put_compressed(area, key, bytes, soon());
    }
    std::string get(const std::string& key) const {
        const auto object = files.get(area, key, 1'000'000);
        return object ? object->bytes : "(none)";
    }
    // Returns the calls that `work` makes.
    static std::vector<std::string> calls_of(const std::function<void()>& work) {
        watch.calls.clear();
        watch.on = true;
        work();
        watch.on = false;
        return watch.calls;
    }
    // Runs `work` repeatedly, failing its first call, then its second, and so on until no call fails. After each run,
    // passes to `check` whether `work` was acknowledged.
    void fail_each(int error, const std::function<void()>& work, const std::function<void(bool)>& check) const {
        for (int failing = 1;; ++failing) {
            const std::size_t before = open_files();
            watch.calls.clear();
            watch.failing = failing;
            watch.error = error;
            watch.on = true;
            bool acknowledged = true;
            try {
                work();
            } catch (const Unavailable&) {
                acknowledged = false;
            }
            watch.on = false;
            const bool untouched = static_cast<int>(watch.calls.size()) < failing;
            SCOPED_TRACE(untouched ? "untouched" : watch.calls[static_cast<std::size_t>(failing) - 1]);
            EXPECT_EQ(open_files(), before) << "a descriptor was lost";
            EXPECT_TRUE(std::filesystem::is_empty(folder / "unfinished"));
            check(acknowledged);
            if (untouched) {
                EXPECT_TRUE(acknowledged);
                EXPECT_GT(failing, 3) << "hardly a call was seen";
                return;
            }
        }
    }

    const TempFolder folder;
    const ObjectFolder files{folder.path()};
};

TEST_F(FolderFaults, STO_4_APutThatFailsAnywhereLeavesTheFormerOrTheNewObject) {
    for (const int error : {EIO, ENOSPC, EMFILE, ENOMEM, EACCES}) {
        put("a/b.hbs", "former");
        fail_each(
            error, [&] { put("a/b.hbs", "the new one"); },
            [&](bool acknowledged) {
                const std::string found = get("a/b.hbs");
                EXPECT_TRUE(found == "the new one" || (!acknowledged && found == "former")) << found;
                if (!acknowledged) put("a/b.hbs", "former");
            });
        fail_each(
            error, [&] { put("x/y/z.hbs", "the new one"); },
            [&](bool acknowledged) {
                const std::string found = get("x/y/z.hbs");
                EXPECT_TRUE(found == "the new one" || (!acknowledged && found == "(none)")) << found;
                std::filesystem::remove_all(folder / "public/x");
            });
    }
}

TEST_F(FolderFaults, STO_4_AFormThatReplacesTheOtherLeavesTheFormerOrTheNewObject) {
    using Put = decltype(&ObjectFolder::put);
    const auto replace = [&](int error, Put first, Put second) {
        fail_each(
            error,
            [&] {
                watch.on = false;
                (files.*first)(area, "a/b", "former", soon());
                watch.on = true;
                (files.*second)(area, "a/b", "new", soon());
            },
            [&](bool acknowledged) {
                const std::string found = get("a/b");
                EXPECT_TRUE(found == "new" || (!acknowledged && found == "former")) << found;
            });
    };
    for (const int error : {EIO, EMFILE, ENOMEM, EACCES}) {
        replace(error, &ObjectFolder::put, &ObjectFolder::put_compressed);
        replace(error, &ObjectFolder::put_compressed, &ObjectFolder::put);
    }
}

TEST_F(FolderFaults, STO_4_AFaultIsNeverTakenForAbsence) {
    for (const int error : {EIO, EMFILE, ENOMEM, EACCES}) {
        put("a/b.hbs", "bytes");
        std::string found;
        fail_each(
            error, [&] { found = get("a/b.hbs"); },
            [&](bool acknowledged) {
                if (acknowledged) EXPECT_EQ(found, "bytes");
            });
        put_compressed("a/c", "packed");
        fail_each(
            error, [&] { found = get("a/c"); },
            [&](bool acknowledged) {
                if (acknowledged) EXPECT_EQ(found, "packed");
            });
        std::optional<std::uint64_t> size;
        fail_each(
            error, [&] { size = files.size(area, "a/b.hbs"); },
            [&](bool acknowledged) {
                if (acknowledged) EXPECT_EQ(size, 5U);
            });
        fail_each(
            error, [&] { files.erase(area, "a/b.hbs", soon()); },
            [&](bool acknowledged) {
                if (acknowledged) EXPECT_EQ(get("a/b.hbs"), "(none)");
                put("a/b.hbs", "bytes");
            });
    }
}

std::size_t place_of(const std::vector<std::string>& calls, const std::string& call) {
    const auto found = std::ranges::find(calls, call);
    EXPECT_NE(found, calls.end()) << call;
    return static_cast<std::size_t>(found - calls.begin());
}

TEST_F(FolderFaults, STO_1_WhatIsAcknowledgedWasSynced) {
    // The second put syncs the folders again, because another process may have created them without having synced them
    // yet.
    for (int round = 0; round < 2; ++round) {
        const auto calls = calls_of([&] { put("a/b/c.hbs", "bytes"); });
        const auto renamed = place_of(calls, "renameat public/a/b");
        std::size_t written = 0;
        std::size_t synced = 0;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if (calls[i].starts_with("write unfinished/")) written = i;
            if (calls[i].starts_with("fsync unfinished/")) synced = i;
        }
        EXPECT_LT(0U, written);
        EXPECT_LT(written, synced);
        EXPECT_LT(synced, renamed) << "the bytes before the name";
        EXPECT_GT(place_of(calls, "fsync public/a/b"), renamed) << "the name before the answer";
        EXPECT_LT(place_of(calls, "mkdirat public"), place_of(calls, "fsync public"));
        EXPECT_LT(place_of(calls, "mkdirat public/a"), place_of(calls, "fsync public/a"));
    }
    const auto calls = calls_of([&] { put_compressed("a/b/c.hbs", "bytes"); });
    EXPECT_EQ(calls.back(), "fsync public/a/b");
    EXPECT_EQ(calls.at(calls.size() - 2), "unlinkat public/a/b") << "the other form, whose removal is synced";
    EXPECT_EQ(calls.at(calls.size() - 3), "fsync public/a/b") << "the new form before that";
    EXPECT_EQ(calls_of([&] { files.erase(area, "a/b/c.hbs", soon()); }).back(), "fsync public/a/b");
    EXPECT_EQ(calls_of([&] { files.erase(area, "a/b/c.hbs", soon()); }).back(), "fsync public/a/b")
        << "another one may have erased it, and not have synced that yet";
}

}  // namespace
}  // namespace consentry::tests
