// Input of the verify commands: files from untrusted sources.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/bytes.hpp"
#include "tlog/note_keys.hpp"

namespace consentry {

// The command was called wrongly, for example with a file that does not exist; the text says how.
class WrongUse : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A file as a view, which takes no memory of its own however long it is. "-" is standard input, which is read.
class InputFile {
public:
    explicit InputFile(const std::string& path);  // throws WrongUse
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile();

    std::string_view text() const { return text_; }

private:
    std::string read_;
    void* mapped_ = nullptr;
    std::size_t size_ = 0;
    std::string_view text_;
};

enum class LogKind : std::uint8_t { consent, administration };

// What --key and --checkpoint say of a log: its verifier key, and the signed note in a file that a reader has kept.
// Both throw WrongUse if it is none, or that of a log of the other kind: it would accuse a log that is sound.
tlog::VerifierKey given_key(const std::string& text, LogKind kind);
std::string kept_checkpoint(const std::string& path, LogKind kind);

// The members that a row and its addendum both have; what is absent is null.
inline constexpr std::array<std::string_view, 4> evidence_members{"ipAddress", "sessionId", "shownDiffHash",
                                                                  "userAgent"};
using FoundEvidence = std::array<boost::json::value, evidence_members.size()>;
FoundEvidence evidence_in(const boost::json::object& object);

// A receipt in a file, and what the file says about it, if it says anything.
struct FoundReceipt {
    std::string place;  // "line 3", "consentLog.entries[0]"
    std::string receipt;
    std::optional<std::string> proof = {};
    std::optional<std::string> acceptance_id = {};
    std::optional<std::string> addendum = {};
    std::optional<std::string> user = {};  // `id` of the `profile` above it
    std::string damage = {};               // not empty: which of these members cannot be read
};

// A row of `acceptances` in the export of an account, as ExportedAcceptance writes it. What is missing is empty.
struct FoundAcceptance {
    std::string place;
    std::string id;
    std::string type;
    std::optional<std::int64_t> version;
    std::string action;
    std::string language;
    std::optional<std::string> content_hash;  // of the text in this language
    std::uint64_t other_hashes = 0;           // of texts in other languages
    std::string accepted_at;
    FoundEvidence evidence;
    std::optional<std::string> user;  // `id` of the `profile` above it
};

// A timestamp in the export of an account, as ExportedStamp writes it.
struct FoundStamp {
    std::string text;
    std::string answer;  // in base64
    std::string consistency;
};

struct FoundReceipts {
    std::vector<FoundReceipt> receipts;
    std::vector<FoundAcceptance> acceptances;
    std::optional<std::string> description_note;
    std::optional<std::string> checkpoint;  // that of all proofs, if it is an export
    std::optional<FoundStamp> stamp;
};

// Empty if an archive has no such member.
std::string_view member_in(std::string_view archive, std::string_view name);

bool is_json(std::string_view text);
// From an answer of the API or the export of an account. The error is a sentence.
std::expected<FoundReceipts, std::string> find_receipts(std::string_view text);

// The description note in a file that is one, or in an export or a bundle that contains one; nullopt if it has none.
std::optional<std::string> find_description(std::string_view file);

}  // namespace consentry
