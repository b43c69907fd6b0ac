// Reads exports in JSON, one object at a time.
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
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include "base/error.hpp"
#include "features/administration/import/source.hpp"

namespace consentry {

namespace json = boost::json;
using ObjectToRow = std::function<void(const json::object&, ImportRow&)>;
using CheckOfArray = std::function<Result<void>(const json::array&)>;

// Reads one document: an array of accounts, or an object with that array as `users`. `check` may refuse the array.
std::unique_ptr<ImportSource> json_document(
    std::istream& stream, ObjectToRow convert, CheckOfArray check = [](const json::array&) { return Result<void>{}; });
// Reads one object per line.
std::unique_ptr<ImportSource> json_lines(std::istream& stream, ObjectToRow convert);
// Parses a text that a user of the other program may have filled.
json::value parsed(std::string_view text, boost::system::error_code& error);
// Calls `take` for the object of each line. Returns false if a line is not an object.
bool read_lines(std::istream& stream, const std::function<void(const json::object&)>& take);

// Return a member if it is present and of this type. An empty text counts as absent.
std::optional<std::string> text_of(const json::object& object, std::string_view name);
std::optional<bool> flag_of(const json::object& object, std::string_view name);
// Returns the objects in an array; empty if there is no such array.
std::vector<const json::object*> objects_of(const json::object& object, std::string_view name);

// Notes that converters add to a row.
void leave_out(ImportRow& row, std::string_view key);
// The account has a password in the source that cannot be imported.
void note_lost_password(ImportRow& row);
// The same, because the account must change the password at the next login, which no import could enforce: a person who
// knows a temporary password would keep access to the account.
void note_temporary_password(ImportRow& row);
void note_unknown_provider(ImportRow& row, std::string_view provider);
// An account has one identity at each provider: keeps the first subject, and notes the others, and one without a
// subject.
void take_subject(std::optional<std::string>& subject, std::optional<std::string> found, std::string_view provider,
                  ImportRow& row);
// Joins the parts of a name, as in "Ada Lovelace". Returns nullopt if there is none.
std::optional<std::string> joined(const std::optional<std::string>& first, const std::optional<std::string>& last);
// Sets the row's address. Returns false if there is none, or none that an account can have, and has then left the row
// out: users choose their addresses, so one user could otherwise stop the import of all.
bool take_address(ImportRow& row, std::optional<std::string> address);
// Sets the row's name without blanks around it. One that breaks a rule for names is noted instead: users choose them,
// so one user could otherwise stop the import of all.
void take_name(ImportRow& row, const std::optional<std::string>& name);
// Reduces "pt-BR" to "pt", if the service supports that language.
std::optional<std::string> language_of(const std::optional<std::string>& locale);
// Sets the row's username if the name is valid as one. The import generates another in place of one that is not, or
// that another account has: users choose them, so one user could otherwise stop the import of all.
void take_username(ImportRow& row, const std::optional<std::string>& name);
// Removes the padding from the base64 of a hash, as most text formats of hashes require.
std::string unpadded(std::string_view base64);
// Sets the row's hash, or notes that its format is unknown.
void take_hash(ImportRow& row, std::string hash);

}  // namespace consentry
