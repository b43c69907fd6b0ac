// What the operator does with the consent log: exports for auditors, and the comparison with the database.
#pragma once

#include <string>

namespace consentry {

struct ConsentExportOptions {
    std::string out;   // file
    std::string user;  // account ID; empty: all
    std::string type;
    std::string from;  // a day, or a time with its offset
    std::string to;
    bool without_addenda = false;
    bool json = false;
};

int export_consent(const ConsentExportOptions& options);

struct VerifyDatabaseOptions {
    std::string key;         // the log's verifier key; empty: the one that the database names
    std::string checkpoint;  // file with a checkpoint that was kept; empty: none
    bool json = false;
};

// Compares the database with the log.
int verify_database(const VerifyDatabaseOptions& options);

}  // namespace consentry
