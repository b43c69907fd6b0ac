#include "tests/support/faulty_vfs.hpp"

#include <atomic>
#include <mutex>
#include <stdexcept>

#include <sqlite3.h>

namespace consentry::tests {
namespace {

// One plan for all files; SQLite calls from several threads.
struct Plan {
    std::mutex mutex;
    int left = 0;  // operations until the fault; 0: no fault planned
    FaultyVfs::Kind kind{};
    FaultyVfs::Only only{};
    bool stays = false;
    bool active = false;
    bool fired = false;
};

std::atomic<int> checkpoint_count{0};

Plan& plan() {
    static Plan instance;
    return instance;
}

// SQLite allocates szOsFile bytes: this header followed by the real VFS's file.
struct File {
    sqlite3_file head;
    bool is_database;
    alignas(sqlite3_file) unsigned char after[1];
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(after); }
};

File& self(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
sqlite3_file* real(sqlite3_file* file) { return self(file).real(); }

// Whether the operation about to start must fail.
bool fails(sqlite3_file* file, bool is_sync, FaultyVfs::Kind* kind) {
    Plan& it = plan();
    const std::lock_guard lock(it.mutex);
    if (it.only != FaultyVfs::Only::everything && !self(file).is_database) return false;
    if (it.only == FaultyVfs::Only::database_syncs && !is_sync) return false;
    if (it.left > 0 && --it.left == 0) {
        it.active = true;
        it.fired = true;
    } else if (!it.active) {
        return false;
    }
    *kind = it.kind;
    it.active = it.stays;
    return true;
}

int close(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }
int read(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), into, amount, offset);
}
int write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
    FaultyVfs::Kind kind{};
    if (fails(file, false, &kind)) {
        if (kind == FaultyVfs::Kind::disk_full) return SQLITE_FULL;
        if (kind == FaultyVfs::Kind::torn_write) real(file)->pMethods->xWrite(real(file), from, amount / 2, offset);
        return SQLITE_IOERR_WRITE;
    }
    return real(file)->pMethods->xWrite(real(file), from, amount, offset);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
    FaultyVfs::Kind kind{};
    if (fails(file, false, &kind)) return SQLITE_IOERR_TRUNCATE;
    return real(file)->pMethods->xTruncate(real(file), size);
}
int sync(sqlite3_file* file, int flags) {
    FaultyVfs::Kind kind{};
    if (fails(file, true, &kind)) return SQLITE_IOERR_FSYNC;
    return real(file)->pMethods->xSync(real(file), flags);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) { return real(file)->pMethods->xFileSize(real(file), size); }
int lock(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlock(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int check_reserved_lock(sqlite3_file* file, int* result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
int file_control(sqlite3_file* file, int operation, void* argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int device_characteristics(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** at) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, at);
}
int shm_lock(sqlite3_file* file, int offset, int n, int flags) {
    constexpr int checkpoint_lock = 1;  // https://sqlite.org/walformat.html#wal_locks
    if (offset == checkpoint_lock && flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)) ++checkpoint_count;
    return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}
void shm_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int shm_unmap(sqlite3_file* file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

// Version 2: shared memory for the WAL, but no memory-mapped pages.
constexpr sqlite3_io_methods methods{.iVersion = 2,
                                     .xClose = close,
                                     .xRead = read,
                                     .xWrite = write,
                                     .xTruncate = truncate,
                                     .xSync = sync,
                                     .xFileSize = file_size,
                                     .xLock = lock,
                                     .xUnlock = unlock,
                                     .xCheckReservedLock = check_reserved_lock,
                                     .xFileControl = file_control,
                                     .xSectorSize = sector_size,
                                     .xDeviceCharacteristics = device_characteristics,
                                     .xShmMap = shm_map,
                                     .xShmLock = shm_lock,
                                     .xShmBarrier = shm_barrier,
                                     .xShmUnmap = shm_unmap,
                                     .xFetch = nullptr,
                                     .xUnfetch = nullptr};

sqlite3_vfs* real_vfs = nullptr;

int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* flags_out) {
    const int result = real_vfs->xOpen(real_vfs, path, self(file).real(), flags, flags_out);
    self(file).is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    file->pMethods = self(file).real()->pMethods == nullptr ? nullptr : &methods;
    return result;
}

}  // namespace

void FaultyVfs::install() {
    static sqlite3_vfs layer;
    static std::once_flag once;
    std::call_once(once, [] {
        real_vfs = sqlite3_vfs_find(nullptr);
        layer = *real_vfs;  // inherits everything not related to file contents
        layer.zName = name;
        layer.szOsFile = static_cast<int>(sizeof(File)) + real_vfs->szOsFile;
        layer.pNext = nullptr;
        layer.xOpen = open;
        if (sqlite3_vfs_register(&layer, 0) != SQLITE_OK) throw std::runtime_error("the faulty VFS is refused");
    });
}

void FaultyVfs::arm(int n, Kind kind, bool stays, Only only) {
    Plan& it = plan();
    const std::lock_guard lock(it.mutex);
    it.left = n;
    it.kind = kind;
    it.only = only;
    it.stays = stays;
    it.active = false;
    it.fired = false;
}

int FaultyVfs::checkpoints() { return checkpoint_count; }

bool FaultyVfs::disarm() {
    Plan& it = plan();
    const std::lock_guard lock(it.mutex);
    it.left = 0;
    it.active = false;
    return it.fired;
}

}  // namespace consentry::tests
