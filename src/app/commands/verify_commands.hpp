// Verifies receipts, proofs and auditor's bundles offline, from nothing but the files and keys that are named: these
// commands read neither settings nor data.
#pragma once

#include <string>
#include <vector>

namespace consentry {

struct VerifyOptions {
    std::string file;         // "-": standard input
    std::string key;          // verifier key; empty if a policy is given
    std::string policy;       // file
    std::string description;  // file; empty: the receipts come with it
    bool json = false;
    std::vector<std::string> earlier;  // files that a bundle must not contradict
    std::string authorities;           // file with certificates of timestamp authorities; empty: none is trusted
};

int verify_receipts(const VerifyOptions& options);
int verify_proof_file(const VerifyOptions& options);
int verify_bundle_file(const VerifyOptions& options);

}  // namespace consentry
