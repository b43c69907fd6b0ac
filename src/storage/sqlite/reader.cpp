#include "storage/sqlite/reader.hpp"

#include <utility>

namespace consentry::storage::sqlite {
namespace {

// Writes the cache key: the statement's text and its only parameter. Returns false if the statement does not have
// exactly one parameter, or its type is not cached.
bool write_key(std::string& key, std::string_view sql, const Params& params) {
    if (params.size() != 1) return false;
    key.assign(sql);
    key.push_back(static_cast<char>(params[0].index()));
    if (const auto* uuid = std::get_if<Uuid>(&params[0])) {
        key.append(as_text(uuid->bytes()));
    } else if (const auto* text = std::get_if<std::string>(&params[0])) {
        key.append(*text);
    } else if (const auto* bytes = std::get_if<Bytes>(&params[0])) {
        key.append(as_text(*bytes));
    } else {
        return false;
    }
    return true;
}

}  // namespace

Reader::Entry* Reader::find() {
    if (const auto young = young_.find(key_); young != young_.end()) return &young->second;
    const auto old = old_.find(key_);
    if (old == old_.end()) return nullptr;
    auto used_again = old_.extract(old);
    return &young_.insert(std::move(used_again)).position->second;
}

Rows Reader::read(std::string_view sql, const Params& params) {
    if (!write_key(key_, sql, params)) return connection_.run(sql, params);
    return read_remembered(sql, params);
}

Rows Reader::read_shared(std::string_view sql) {
    key_.assign(sql);
    return read_remembered(sql, {});
}

// Reads or caches the rows under key_.
Rows Reader::read_remembered(std::string_view sql, const Params& params) {
    if (connection_.has_moved_on(seen_)) ++version_;
    Entry* known = find();
    if (known != nullptr && known->version == version_) return known->rows;
    Rows rows = connection_.run(sql, params);
    if (known != nullptr) {
        *known = {version_, rows};
    } else {
        if (young_.size() >= entries_max) {
            old_ = std::move(young_);
            young_.clear();
        }
        young_.emplace(key_, Entry{version_, rows});
    }
    return rows;
}

}  // namespace consentry::storage::sqlite
