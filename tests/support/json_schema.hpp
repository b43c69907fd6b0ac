// Checks a JSON value against a schema of the OpenAPI document. Supports the part of JSON Schema 2020-12 that the
// document uses. An unknown keyword is a complaint too, so that no constraint is silently skipped.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/text.hpp"
#include "base/uuid.hpp"

namespace consentry::tests {

class SchemaChecker {
public:
    // The document must outlive the checker, which resolves references ("#/components/...") in it.
    explicit SchemaChecker(const boost::json::value& document) : document_(document) {}

    // Returns all violations with their location; empty if the value conforms.
    std::vector<std::string> complaints(const boost::json::value& value, const boost::json::object& schema) const {
        std::vector<std::string> out;
        check(value, schema, "$", out);
        return out;
    }

    // Caches each compiled pattern once for all threads. Compiling costs far more than matching, and meanwhile
    // libstdc++ fills a locale table shared by all threads. Any number of threads may use a compiled pattern.
    static const std::regex& compiled(const std::string& pattern) {
        static std::mutex mutex;
        static std::map<std::string, std::regex> known;
        const std::lock_guard lock(mutex);
        auto found = known.find(pattern);
        if (found == known.end()) found = known.emplace(pattern, std::regex(pattern)).first;
        return found->second;
    }

    // Resolves "#/a/b"; returns nullptr if there is no such member.
    const boost::json::value* find(std::string_view reference) const {
        if (!reference.starts_with("#/")) return nullptr;
        const boost::json::value* at = &document_;
        for (std::string_view rest = reference.substr(1); !rest.empty() && at != nullptr;) {
            rest.remove_prefix(1);
            const std::string_view name = rest.substr(0, rest.find('/'));
            rest.remove_prefix(name.size());
            const auto* object = at->if_object();
            at = object == nullptr ? nullptr : object->if_contains(name);
        }
        return at;
    }

private:
    using Value = boost::json::value;
    using Object = boost::json::object;
    using Complaints = std::vector<std::string>;

    static bool is_of_type(const Value& value, std::string_view type) {
        if (type == "object") return value.is_object();
        if (type == "array") return value.is_array();
        if (type == "string") return value.is_string();
        if (type == "boolean") return value.is_bool();
        if (type == "null") return value.is_null();
        if (type == "integer") return value.is_int64() || value.is_uint64();
        if (type == "number") return value.is_number();
        return false;
    }

    static bool has_format(const std::string& text, std::string_view format) {
        if (format == "uuid") return Uuid::parse(text).has_value();
        if (format == "date-time")
            return std::regex_match(text, compiled(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))"));
        if (format == "email") return text.find('@') != std::string::npos;
        return format == "password" || format == "uri";
    }

    void check(const Value& value, const Object& schema, const std::string& place, Complaints& out) const {
        for (const auto& keyword : schema) {
            const std::string_view name = keyword.key();
            const Value& wanted = keyword.value();
            if (name == "$ref") {
                const Value* target = find(wanted.as_string());
                if (target == nullptr)
                    out.push_back(place + ": nothing at " + std::string(wanted.as_string()));
                else
                    check(value, target->as_object(), place, out);
            } else if (name == "allOf") {
                for (const Value& part : wanted.as_array()) check(value, part.as_object(), place, out);
            } else if (name == "anyOf") {
                if (std::ranges::none_of(wanted.as_array(), [&](const Value& part) {
                        Complaints ignored;
                        check(value, part.as_object(), place, ignored);
                        return ignored.empty();
                    }))
                    out.push_back(place + ": none of the alternatives");
            } else if (name == "oneOf") {
                check_one_of(value, wanted.as_array(), place, out);
            } else if (name == "type") {
                const auto fits = [&](const Value& type) { return is_of_type(value, type.as_string()); };
                const auto* types = wanted.if_array();
                if (types != nullptr ? std::ranges::none_of(*types, fits) : !fits(wanted))
                    out.push_back(
                        place + ": not of type " +
                        (types != nullptr ? boost::json::serialize(*types) : std::string(wanted.as_string())));
            } else if (name == "const") {
                if (value != wanted) out.push_back(place + ": not " + boost::json::serialize(wanted));
            } else if (name == "enum") {
                if (std::ranges::find(wanted.as_array(), value) == wanted.as_array().end())
                    out.push_back(place + ": not one of " + boost::json::serialize(wanted));
            } else if (!check_parts(value, name, wanted, schema, place, out) &&
                       std::ranges::find(notes, name) == notes.end()) {
                out.push_back(place + ": unknown keyword " + std::string(name));
            }
        }
    }

    // Exactly one alternative must match. If none does, the complaint quotes the one that came closest.
    void check_one_of(const Value& value, const boost::json::array& wanted, const std::string& place,
                      Complaints& out) const {
        std::size_t fitting = 0;
        Complaints fewest;
        for (const Value& part : wanted) {
            Complaints complaints;
            check(value, part.as_object(), place, complaints);
            if (complaints.empty()) ++fitting;
            if (fewest.empty() || complaints.size() < fewest.size()) fewest = std::move(complaints);
        }
        if (fitting == 1) return;
        std::string text = place + ": " + std::to_string(fitting) + " of the alternatives fit";
        if (fitting == 0)
            for (const std::string& complaint : fewest) text.append("; ").append(complaint);
        out.push_back(std::move(text));
    }

    // Handles the keywords that constrain values of one type. Returns false for any other keyword.
    bool check_parts(const Value& value, std::string_view name, const Value& wanted, const Object& schema,
                     const std::string& place, Complaints& out) const {
        if (const auto* object = value.if_object()) check_object(*object, name, wanted, schema, place, out);
        if (const auto* array = value.if_array(); array != nullptr && name == "items")
            for (std::size_t i = 0; i < array->size(); ++i)
                check((*array)[i], wanted.as_object(), place + "." + std::to_string(i), out);
        if (const auto* array = value.if_array(); array != nullptr && name == "maxItems")
            if (array->size() > wanted.to_number<std::size_t>()) out.push_back(place + ": too many");
        if (const auto* array = value.if_array(); array != nullptr && name == "minItems")
            if (array->size() < wanted.to_number<std::size_t>()) out.push_back(place + ": too few");
        if (const auto* array = value.if_array(); array != nullptr && name == "uniqueItems")
            for (const Value& item : *array)
                if (std::ranges::count(*array, item) > 1) out.push_back(place + ": not unique");
        if (const auto* text = value.if_string()) check_text(std::string(*text), name, wanted, place, out);
        if (value.is_number() && name == "minimum" && value.to_number<double>() < wanted.to_number<double>())
            out.push_back(place + ": too small");
        if (value.is_number() && name == "maximum" && value.to_number<double>() > wanted.to_number<double>())
            out.push_back(place + ": too large");
        constexpr std::array known{"required",   "properties", "additionalProperties",
                                   "items",      "pattern",    "minLength",
                                   "maxLength",  "format",     "minimum",
                                   "maximum",    "maxItems",   "minItems",
                                   "uniqueItems"};
        return std::ranges::find(known, name) != known.end();
    }

    void check_object(const Object& object, std::string_view name, const Value& wanted, const Object& schema,
                      const std::string& place, Complaints& out) const {
        if (name == "required") {
            for (const Value& member : wanted.as_array())
                if (!object.contains(member.as_string()))
                    out.push_back(place + ": lacks " + std::string(member.as_string()));
        } else if (name == "properties") {
            for (const auto& property : wanted.as_object())
                if (const Value* member = object.if_contains(property.key()))
                    check(*member, property.value().as_object(), place + "." + std::string(property.key()), out);
        } else if (name == "additionalProperties" && (wanted.is_object() || wanted == false)) {
            const Value* known = schema.if_contains("properties");
            for (const auto& member : object) {
                if (known != nullptr && known->as_object().contains(member.key())) continue;
                if (wanted.is_object())
                    check(member.value(), wanted.get_object(), place + "." + std::string(member.key()), out);
                else
                    out.push_back(place + ": " + std::string(member.key()) + " is not documented");
            }
        }
    }

    static void check_text(const std::string& text, std::string_view name, const Value& wanted,
                           const std::string& place, Complaints& out) {
        const auto length = static_cast<std::int64_t>(code_points(text).value_or(0));
        if (name == "minLength" && length < wanted.as_int64()) out.push_back(place + ": too short");
        if (name == "maxLength" && length > wanted.as_int64()) out.push_back(place + ": too long");
        if (name == "pattern" && !std::regex_search(text, compiled(std::string(wanted.as_string()))))
            out.push_back(place + ": does not fit " + std::string(wanted.as_string()));
        if (name == "format" && !has_format(text, wanted.as_string()))
            out.push_back(place + ": not a " + std::string(wanted.as_string()));
    }

    // Keywords without constraints.
    static constexpr std::array notes{std::string_view{"description"}, std::string_view{"title"},
                                      std::string_view{"default"}, std::string_view{"example"},
                                      std::string_view{"examples"}};
    const boost::json::value& document_;
};

}  // namespace consentry::tests
