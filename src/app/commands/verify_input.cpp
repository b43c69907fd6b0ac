#include "app/commands/verify_input.hpp"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "base/json_values.hpp"
#include "base/strict_json.hpp"
#include "features/administration_log/administration_log.hpp"
#include "features/consent_log/consent_log.hpp"
#include "features/consent_proof/bundle_names.hpp"
#include "features/consent_proof/zip_reader.hpp"
#include "tlog/checkpoint.hpp"

namespace consentry {
namespace {

namespace json = boost::json;

constexpr JsonLimits limits{.depth_max = 64, .members_max = 1'000'000'000};

// What is missing is empty, and refused later.
FoundStamp stamp_in(const json::object& object) {
    return {.text = std::string(text_or_empty(object, "text")),
            .answer = std::string(text_or_empty(object, "answer")),
            .consistency = std::string(text_or_empty(object, "consistency"))};
}

// Of a member that may be absent. Anything but a string is damage: taken for absent, it would never be verified.
std::optional<std::string_view> text_beside(const json::object& object, std::string_view name, std::string& damage) {
    const auto text = text_member(object, name);
    if (!text && object.contains(name)) damage = fmt::format("`{}` is not a string", name);
    return text;
}

FoundReceipt receipt_in(const json::object& object, std::string place, std::optional<std::string> user) {
    FoundReceipt out{.place = std::move(place), .receipt = {}};
    out.user = std::move(user);
    out.receipt = text_beside(object, "receipt", out.damage).value_or("");
    out.proof = text_beside(object, "proof", out.damage);
    out.acceptance_id = text_beside(object, "acceptanceId", out.damage);
    out.addendum = text_beside(object, "addendum", out.damage);
    return out;
}

// Sets the hash of the text in the language of the row, and counts the others. More than one is none.
void read_hashes(const json::object& row, FoundAcceptance& out) {
    const json::value* hashes = row.if_contains("contentHashes");
    if (hashes == nullptr || !hashes->is_array()) return;
    bool is_known = false;
    for (const json::value& one : hashes->get_array()) {
        if (!one.is_object() || text_or_empty(one.get_object(), "language") != out.language) {
            ++out.other_hashes;
            continue;
        }
        const json::value* hash = one.get_object().if_contains("contentHash");
        if (is_known)
            out.content_hash = "not unique";
        else if (hash != nullptr && !hash->is_null())
            out.content_hash = hash->is_string() ? std::string(hash->get_string()) : "not a string";
        is_known = true;
    }
}

FoundAcceptance acceptance_in(const json::value& value, std::string place, std::optional<std::string> user) {
    FoundAcceptance out;
    out.place = std::move(place);
    out.user = std::move(user);
    const json::object* row = value.if_object();
    if (row == nullptr) return out;
    out.id = text_or_empty(*row, "id");
    out.type = text_or_empty(*row, "type");
    if (const json::value* version = row->if_contains("version"); version != nullptr && version->is_int64())
        out.version = version->get_int64();
    out.action = text_or_empty(*row, "action");
    out.language = text_or_empty(*row, "language");
    read_hashes(*row, out);
    out.accepted_at = text_or_empty(*row, "acceptedAt");
    out.evidence = evidence_in(*row);
    return out;
}

// Recursion is bounded by the depth that the parser accepts. `user`: of the innermost `profile` above.
void collect(const json::value& value, const std::string& place, std::optional<std::string> user, FoundReceipts& out) {
    if (const auto* list = value.if_array()) {
        for (std::size_t i = 0; i < list->size(); ++i) collect((*list)[i], fmt::format("{}[{}]", place, i), user, out);
        return;
    }
    const auto* object = value.if_object();
    if (object == nullptr) return;
    if (const auto* profile = object_member(*object, "profile"); profile != nullptr && profile->contains("id"))
        user = text_or_empty(*profile, "id");
    if (object->contains("receipt"))
        out.receipts.push_back(receipt_in(*object, place.empty() ? "receipt" : place, user));
    const json::value* rows = object->if_contains("acceptances");
    for (std::size_t i = 0; rows != nullptr && rows->is_array() && i < rows->get_array().size(); ++i)
        out.acceptances.push_back(acceptance_in(
            rows->get_array()[i], fmt::format("{}{}acceptances[{}]", place, place.empty() ? "" : ".", i), user));
    if (const auto note = text_member(*object, "descriptionNote")) {
        out.description_note = *note;
        out.checkpoint = text_member(*object, "checkpoint");
        out.stamp.reset();  // that of another description
        if (const auto* stamp = object_member(*object, "timestamp")) out.stamp = stamp_in(*stamp);
    }
    for (const auto& [name, member] : *object)
        collect(member, place.empty() ? std::string(name) : fmt::format("{}.{}", place, std::string_view(name)), user,
                out);
}

std::string_view a_log_of(LogKind kind) { return kind == LogKind::consent ? "a consent log" : "an administration log"; }

// Asks for the suffix alone. The rest of the name could only be compared with that in the database, and an attacker
// there could then turn the finding about a log into one about the command line.
bool is_of_other_kind(std::string_view log, LogKind kind) {
    return log.ends_with(kind == LogKind::consent ? administration_log_suffix : consent_log_suffix);
}

}  // namespace

InputFile::InputFile(const std::string& path) {
    if (path == "-") {
        read_.assign(std::istreambuf_iterator<char>(std::cin), {});
        text_ = read_;
        return;
    }
    const auto refuse = [&](int error) -> WrongUse {
        return WrongUse(fmt::format("{} cannot be read: {}", path, std::strerror(error)));
    };
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw refuse(errno);
    struct stat facts{};
    const bool is_known = fstat(file, &facts) == 0 && !S_ISDIR(facts.st_mode);
    if (is_known && S_ISREG(facts.st_mode) && facts.st_size > 0) {
        size_ = static_cast<std::size_t>(facts.st_size);
        mapped_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    const int error = mapped_ == MAP_FAILED ? errno : EISDIR;
    if (is_known && mapped_ == nullptr) {  // a pipe, or empty
        char part[65'536];
        for (ssize_t count = 0; (count = ::read(file, part, sizeof part)) > 0;)
            read_.append(part, static_cast<std::size_t>(count));
    }
    ::close(file);
    if (!is_known || mapped_ == MAP_FAILED) {
        mapped_ = nullptr;
        throw refuse(error);
    }
    text_ = mapped_ == nullptr ? std::string_view(read_) : std::string_view(static_cast<const char*>(mapped_), size_);
}

InputFile::~InputFile() {
    if (mapped_ != nullptr) munmap(mapped_, size_);
}

tlog::VerifierKey given_key(const std::string& text, LogKind kind) {
    auto key = tlog::VerifierKey::parse(text);
    if (!key) throw WrongUse("--key: " + key.error());
    if (is_of_other_kind(key->name(), kind))
        throw WrongUse(fmt::format("--key: this is the key of {}, not of {}", key->name(), a_log_of(kind)));
    return std::move(*key);
}

std::string kept_checkpoint(const std::string& path, LogKind kind) {
    try {
        std::string out(InputFile(path).text());
        const auto parsed = tlog::parse_signed_checkpoint(out);
        if (!parsed) throw WrongUse(fmt::format("{} is not a checkpoint: {}", path, parsed.error()));
        const std::string& origin = parsed->checkpoint.origin;
        if (is_of_other_kind(origin, kind))
            throw WrongUse(fmt::format("{} is a checkpoint of {}, not of {}", path, origin, a_log_of(kind)));
        return out;
    } catch (const WrongUse& error) {
        throw WrongUse(fmt::format("--checkpoint: {}", error.what()));
    }
}

FoundEvidence evidence_in(const boost::json::object& object) {
    FoundEvidence out;
    for (std::size_t i = 0; i < evidence_members.size(); ++i)
        if (const json::value* member = object.if_contains(evidence_members[i])) out[i] = *member;
    return out;
}

std::string_view member_in(std::string_view archive, std::string_view name) {
    const auto members = read_zip(as_bytes(archive));
    const ZipEntry* found = members ? find_member(*members, name) : nullptr;
    return found == nullptr ? std::string_view() : as_text(found->bytes);
}

bool is_json(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

std::expected<FoundReceipts, std::string> find_receipts(std::string_view text) {
    const auto value = read_strict_json(text, limits);
    if (!value) return std::unexpected(fmt::format("the JSON is malformed at byte {}", value.error().offset));
    FoundReceipts out;
    collect(*value, "", std::nullopt, out);
    return out;
}

std::optional<std::string> find_description(std::string_view file) {
    if (is_json(file)) {
        auto found = find_receipts(file);
        return found ? std::move(found->description_note) : std::nullopt;
    }
    if (!file.starts_with("PK")) return std::string(file);
    const std::string_view note = member_in(file, bundle::description);
    return note.empty() ? std::nullopt : std::optional(std::string(note));
}

}  // namespace consentry
