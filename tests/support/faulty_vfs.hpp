// A file layer for SQLite that fails on command: the n-th write, truncation or sync of a database file or its log.
//
// Registered under its own name, next to the real one, and used only by who asks for it (SqliteOptions::vfs).
#pragma once

namespace consentry::tests {

class FaultyVfs {
public:
    static constexpr const char* name = "consentry-faulty";
    enum class Kind {
        io_error,    // SQLITE_IOERR_WRITE, or SQLITE_IOERR_FSYNC for a sync
        disk_full,   // SQLITE_FULL
        torn_write,  // as io_error, but half of the bytes are written first
    };

    enum class Only {
        everything,
        database,  // not its log: what a checkpoint does
        database_syncs,
    };

    // Makes SQLite know the layer; once for the process.
    static void install();
    // The n-th operation from now (1: the next) fails; where `stays`, so does each one after it until disarm().
    static void arm(int n, Kind kind, bool stays, Only only = Only::everything);
    // Ends the faults and returns whether there were any.
    static bool disarm();
};

}  // namespace consentry::tests
