// An SQLite VFS that fails on command: the n-th write, truncation or sync of a database file or its log.
//
// Registered under its own name next to the real VFS; only connections that ask for it use it (SqliteOptions::vfs).
#pragma once

namespace consentry::tests {

class FaultyVfs {
public:
    static constexpr const char* name = "consentry-faulty";
    enum class Kind {
        io_error,    // SQLITE_IOERR_WRITE, or SQLITE_IOERR_FSYNC for a sync
        disk_full,   // SQLITE_FULL
        torn_write,  // like io_error, after half of the bytes have been written
    };

    enum class Only {
        everything,
        database,  // not its log: the writes of a checkpoint
        database_syncs,
    };

    // Registers the VFS with SQLite, once per process.
    static void install();
    // Makes the n-th operation from now (1: the next) fail. With `stays`, all later ones fail too, until disarm().
    static void arm(int n, Kind kind, bool stays, Only only = Only::everything);
    // Ends the faults. Returns whether any occurred.
    static bool disarm();
    // How often connections have locked a log in order to copy it into its database, or tried to.
    static int checkpoints();
};

}  // namespace consentry::tests
