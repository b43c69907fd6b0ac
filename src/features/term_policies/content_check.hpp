// What a file of a document must be, and how it is told what one is not. Its bytes are looked at as text, and never
// evaluated (DOC-9).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>

#include "base/error.hpp"
#include "features/term_policies/policy.hpp"
#include "storage/object_store.hpp"

namespace consentry {

// As PolicyContent keeps it.
std::string digest_of(std::string_view bytes);

// Why it is not fit; empty where it is: text in UTF-8 without zero bytes, of at most policy_bytes_max.
std::string_view unfit(const storage::Object& object);

// What is wrong with which languages, for one error that names all of them.
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

// Which texts are not filled (placeholders.hpp), for one error that names all of them.
class UnfilledTexts {
public:
    void look_at(Language language, std::string_view text);
    bool empty() const { return list_.empty(); }
    Error error() const;

private:
    boost::json::array list_;
};

}  // namespace consentry
