// Exports in JSON, one object after the other.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "features/administration/import/source.hpp"

namespace consentry {

namespace json = boost::json;
using ObjectToRow = std::function<void(const json::object&, ImportRow&)>;

// One document: an array of accounts, or an object that holds it as `users`.
std::unique_ptr<ImportSource> json_document(std::istream& stream, ObjectToRow convert);
// One object a line.
std::unique_ptr<ImportSource> json_lines(std::istream& stream, ObjectToRow convert);
// Each object of such lines; false where one is none.
bool read_lines(std::istream& stream, const std::function<void(const json::object&)>& take);

// Members, where they are there and of this type; an empty text is none.
std::optional<std::string> text_of(const json::object& object, std::string_view name);
std::optional<bool> flag_of(const json::object& object, std::string_view name);
const json::object* object_of(const json::object& object, std::string_view name);
// The objects in an array; none where there is no array.
std::vector<const json::object*> objects_of(const json::object& object, std::string_view name);

// What conversions say of a row.
void leave_out(ImportRow& row, std::string_view key);
// It has a password there that does not come along.
void note_lost_password(ImportRow& row);
void note_unknown_provider(ImportRow& row, std::string_view provider);
// "Ada Lovelace" of its parts; nullopt of none.
std::optional<std::string> joined(const std::optional<std::string>& first, const std::optional<std::string>& last);
// "pt-BR" is "pt", where the service speaks it.
std::optional<std::string> language_of(const std::optional<std::string>& locale);
// One that can be a username here.
std::optional<std::string> username_of(const std::optional<std::string>& name);
// The base64 of hashes without its padding, as most text forms of hashes have it.
std::string unpadded(std::string_view base64);
// Takes the hash, or notes that it is of no known kind.
void take_hash(ImportRow& row, std::string hash);

}  // namespace consentry
