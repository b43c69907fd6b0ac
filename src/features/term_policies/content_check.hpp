// Validates a document's files and reports what is wrong with them. Their bytes are treated as text and never evaluated
// (DOC-9).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>

#include "base/error.hpp"
#include "features/term_policies/policy.hpp"
#include "storage/object_store.hpp"

namespace consentry {

// The digest as PolicyContent stores it.
std::string digest_of(std::string_view bytes);

// Returns why the object is unfit, or an empty text if it is fit: UTF-8 without zero bytes, of at most
// policy_text_bytes_max bytes.
std::string_view unfit(const storage::Object& object);

// Collects what is wrong with which languages, for one error that names them all.
class ContentComplaints {
public:
    // "absent", "size" (not the one that was announced), "tooLarge", "notText", "changed" (since it was checked).
    void add(Language language, std::string_view reason) {
        list_.push_back({{"language", name_of(language)}, {"reason", reason}});
    }
    bool empty() const { return list_.empty(); }
    Error error() const;

private:
    boost::json::array list_;
};

// Collects the texts that still hold placeholders (placeholders.hpp), for one error that names them all.
class UnfilledTexts {
public:
    void look_at(Language language, std::string_view text);
    bool empty() const { return list_.empty(); }
    Error error() const;

private:
    boost::json::array list_;
};

}  // namespace consentry
