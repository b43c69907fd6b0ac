// Bundles as tests look at them and forge them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/consent_proof/bundle_manifest.hpp"
#include "features/consent_proof/bundle_names.hpp"
#include "features/consent_proof/zip_format.hpp"
#include "features/consent_proof/zip_reader.hpp"
#include "tlog/checkpoint.hpp"
#include "tlog/compact_range.hpp"
#include "tlog/tiles.hpp"

namespace consentry::tests {

inline std::vector<std::string> names_in(const std::string& archive) {
    std::vector<std::string> out;
    for (const ZipEntry& entry : read_zip(as_bytes(archive)).value()) out.emplace_back(entry.name);
    return out;
}

inline std::string member_of(const std::string& archive, std::string_view name) {
    const auto entries = read_zip(as_bytes(archive)).value();
    const ZipEntry* found = find_member(entries, name);
    return found == nullptr ? std::string() : std::string(as_text(found->bytes));
}

// The archive with other members. CRCs and sums are those of the new ones. With the log's key, so is the manifest: the
// operator is the forger. `entries`: how many it claims, if others than before.
inline std::string forged(const std::string& archive, const std::map<std::string, std::optional<std::string>>& changes,
                          const tlog::NoteSigner* log = nullptr, std::optional<std::uint64_t> entries = {}) {
    std::map<std::string, std::string> members;
    for (const std::string& name : names_in(archive)) members[name] = member_of(archive, name);
    for (const auto& [name, bytes] : changes)
        if (bytes)
            members[name] = *bytes;
        else
            members.erase(name);
    std::string sums;
    for (const auto& [name, bytes] : members)
        if (name != bundle::sums && name != bundle::manifest) sums += bundle::sums_line(crypto::sha256(bytes), name);
    if (!changes.contains(std::string(bundle::sums))) members[std::string(bundle::sums)] = sums;
    if (log != nullptr && !changes.contains(std::string(bundle::manifest))) {
        auto manifest = open_manifest(member_of(archive, bundle::manifest), std::array{log->verifier()}).value();
        manifest.sums = crypto::sha256(members[std::string(bundle::sums)]);
        manifest.checkpoint = crypto::sha256(members[std::string(bundle::checkpoint)]);
        manifest.entries = entries.value_or(manifest.entries);
        tlog::Note note{.text = format_manifest(manifest), .signatures = {}};
        note.signatures.push_back(log->sign(note.text));
        members[std::string(bundle::manifest)] = tlog::format_note(note);
    }
    std::string out;
    std::string directory;
    for (const auto& [name, bytes] : members) {
        const ZipMember member{.name = name, .size = bytes.size(), .crc = zip_crc(0, as_bytes(bytes))};
        directory += zip_directory_record(member, out.size());
        out += zip_local_header(member) + bytes;
    }
    const std::uint64_t end = out.size();
    return out + directory + zip_end(members.size(), end, directory.size());
}

// The entries of a bundle of a whole log of less than 256 entries.
inline std::vector<Bytes> entries_in(const std::string& archive) {
    std::vector<Bytes> out;
    for (const std::string& name : names_in(archive)) {
        if (!name.starts_with(bundle::entries)) continue;
        const std::string tile = member_of(archive, name);
        const unsigned width = tlog::parse_tile_path(name).value().width;
        for (const BytesView entry : tlog::parse_entry_bundle(as_bytes(tile), width).value())
            out.emplace_back(entry.begin(), entry.end());
    }
    return out;
}

// The archive of a log with other entries, less than 256. Only the log's owner can make it.
inline std::string rebuilt(const std::string& archive, const std::vector<Bytes>& entries, const tlog::NoteSigner& log,
                           std::map<std::string, std::optional<std::string>> changes = {}) {
    for (const std::string& name : names_in(archive))
        if (name.starts_with(bundle::entries)) changes[name] = std::nullopt;
    tlog::CompactRange tree;
    for (const Bytes& entry : entries) tree.append(tlog::leaf_hash(entry));
    tlog::Note note{.text = tlog::format_checkpoint({log.verifier().name(), entries.size(), tree.root()}),
                    .signatures = {}};
    note.signatures.push_back(log.sign(note.text));
    changes[std::string(bundle::checkpoint)] = tlog::format_note(note);
    const tlog::TileId id{.level = tlog::entry_level, .index = 0, .width = static_cast<unsigned>(entries.size())};
    changes[tlog::tile_path(id)] = std::string(as_text(tlog::entry_bundle(entries).value()));
    return forged(archive, changes, &log, entries.size());
}

}  // namespace consentry::tests
