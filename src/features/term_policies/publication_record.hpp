// The text that describes a publication, and who records it. The consent log names the SHA-256 of this text, so it
// cannot be claimed later that a version had other texts, or that its change was material or not.
#pragma once

#include <string>

#include "features/term_policies/policy.hpp"
#include "storage/database.hpp"

namespace consentry {

// JSON without white space, the members in alphabetical order. Must not change: the log holds digests of it.
std::string publication_text(const TermPolicy& published);

class PublicationLog {
public:
    virtual ~PublicationLog() = default;
    // Adds the record to the transaction of the publication.
    virtual void add(storage::Transaction& transaction, const TermPolicy& published) const = 0;
};

}  // namespace consentry
