#include "tests/support/log_mirror.hpp"

#include <array>
#include <stdexcept>

#include <boost/json/parse.hpp>

#include "crypto/jws.hpp"
#include "crypto/signature_keys.hpp"
#include "tlog/growing_tree.hpp"
#include "tlog/lines.hpp"

namespace consentry::tests {
namespace {

std::string tile_at(const tlog::TileId& id) { return "/consent-log/" + tlog::tile_path(id); }

}  // namespace

tlog::VerifierKey log_key(const Fetch& fetch) {
    const Answer answer = fetch("/.well-known/consent-log");
    if (answer.status != 200U) throw std::runtime_error("no description of the log: " + answer.body);
    const auto key = tlog::VerifierKey::parse(std::string(answer.json.at("verifierKey").as_string()));
    if (!key) throw std::runtime_error(key.error());
    return *key;
}

tlog::Checkpoint checkpoint_in(const std::string& note, const tlog::VerifierKey& key) {
    const auto opened = tlog::open_checkpoint(note, key);
    if (!opened) throw std::runtime_error(opened.error() + ": " + note);
    return opened->checkpoint;
}

LogMirror mirror_of(const Fetch& fetch, const tlog::VerifierKey& key) {
    LogMirror out;
    out.checkpoint = checkpoint_in(fetch("/consent-log/checkpoint").body, key);
    std::vector<tlog::Hash> leaves;
    // The log may grow meanwhile, and then a full tile replaces a partial one.
    const auto get = [&](const tlog::TileId& id) {
        Answer answer = fetch(tile_at(id));
        if (answer.status == 404U && !id.is_full()) answer = fetch(tile_at({.level = id.level, .index = id.index}));
        if (answer.status != 200U) out.complaints.push_back(tile_at(id) + " answers " + std::to_string(answer.status));
        return std::move(answer.body);
    };
    for (const tlog::TileId& id : tlog::new_entry_bundles(0, out.checkpoint.size)) {
        const std::string bundle = get(id);
        auto entries = tlog::parse_entry_bundle(as_bytes(bundle), id.width);
        if (!entries) entries = tlog::parse_entry_bundle(as_bytes(bundle), tlog::tile_width);
        if (!entries) {
            out.complaints.push_back(tile_at(id) + ": " + entries.error());
            continue;
        }
        for (const BytesView entry : std::span(*entries).first(id.width)) {
            out.entries.emplace_back(entry.begin(), entry.end());
            leaves.push_back(tlog::leaf_hash(entry));
        }
    }
    if (leaves.size() != out.checkpoint.size) return out;
    tlog::GrowingTree tree;
    for (const tlog::Tile& tile : tree.append(leaves))
        if (!get(tile.id).starts_with(as_text(tile.bytes))) out.complaints.push_back(tile_at(tile.id) + " differs");
    if (tree.root() != out.checkpoint.root) out.complaints.emplace_back("the entries do not have the root");
    for (const tlog::Hash& leaf : leaves) out.leaves.insert(to_hex(leaf));
    return out;
}

DescribedReceiptKeys::DescribedReceiptKeys(const std::string& note, const tlog::VerifierKey& key) {
    const auto parsed = tlog::parse_note(note);
    if (!parsed) throw std::runtime_error(parsed.error());
    const std::array keys{key};
    if (const auto verified = tlog::verify_note(*parsed, keys); !verified) throw std::runtime_error(verified.error());
    tlog::LineReader lines(parsed->text);
    if (lines.next() != "description of a consent log") throw std::runtime_error("no description: " + note);
    jwks_ = json::parse(lines.next().value()).at("receiptKeys").at("keys").as_array();
}

json::object DescribedReceiptKeys::claims_of(const std::string& receipt) const {
    const auto jws = crypto::parse_jws(receipt);
    if (!jws || jws->typ != "consent-receipt+jwt") return {};
    for (const json::value& jwk : jwks_) {
        if (jwk.at("kid") != jws->kid.c_str()) continue;
        const auto key = crypto::PublicKey::from_jwk(jwk.as_object());
        if (key && key->verify(jws->signing_input, jws->signature)) return jws->claims;
    }
    return {};
}

}  // namespace consentry::tests
