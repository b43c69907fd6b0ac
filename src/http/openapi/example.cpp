#include "http/openapi/example.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace consentry::http::openapi {
namespace {

namespace json = boost::json;

struct Sample {
    std::string_view ending;  // of the property name, case-insensitive
    std::string_view text;
};
// The first match wins. Values that look like secrets are published here and grant no access anywhere.
constexpr std::array samples{
    Sample{"email", "ada@example.org"},
    Sample{"newPassword", "Copper-Meadow-77"},
    Sample{"password", "Velvet-Harbor-42"},
    Sample{"backupCode", "7K2M9QX4TB"},
    Sample{"code", "492039"},
    Sample{"accessToken", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl"},
    Sample{"refreshToken", "eyJhbGciOiJFUzUxMiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl"},
    Sample{"token", "rT0o3y1xXn4kq0m5bC7aPz"},
    Sample{"tokenType", "Bearer"},
    Sample{"secret", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"},
    Sample{"otpauthUrl",
           "otpauth://totp/Consentry:ada%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Consentry"},
    Sample{"url", "https://example.org/"},
    Sample{"ipAddress", "203.0.113.7"},
    Sample{"userAgent", "Mozilla/5.0 (X11; Linux x86_64)"},
    Sample{"fingerprint", "3f9a61c2"},
    Sample{"deviceName", "Ada's laptop"},
    Sample{"name", "Ada"},
    Sample{"language", "en"},
    Sample{"timezone", "UTC"},
    Sample{"env", "production"},
    Sample{"iso", "2026-03-01T09:30:00.000Z"},
};

struct Number {
    std::string_view ending;
    std::int64_t value;
};
constexpr std::array numbers{
    Number{"timestamp", 1'772'357'400'000},
    Number{"challengeExpiresIn", 300'000},
    Number{"expiresIn", 3'600},
    Number{"perPage", 20},
    Number{"InBytes", 1'048'576},
    Number{"InMs", 30'000},
    Number{"InSeconds", 3'600},
    Number{"Remaining", 8},
};

bool ends_with(std::string_view name, std::string_view ending) {
    return name.size() >= ending.size() && equal_ignoring_case(name.substr(name.size() - ending.size()), ending);
}

std::string text_of(const json::object& schema, std::string_view name) {
    if (const auto* format = schema.if_contains("format")) {
        if (*format == "uuid") return "01956f3a-7c00-7d21-8a55-0242ac120002";
        if (*format == "date-time") return "2026-03-01T09:30:00.000Z";
        if (*format == "email") return "ada@example.org";
    }
    const auto sample = std::ranges::find_if(samples, [&](const Sample& one) { return ends_with(name, one.ending); });
    std::string out(sample != samples.end() ? sample->text : "text");
    if (const auto* least = schema.if_contains("minLength"))
        out.resize(std::max(out.size(), least->to_number<std::size_t>()), 'x');
    if (const auto* most = schema.if_contains("maxLength"))
        out.resize(std::min(out.size(), most->to_number<std::size_t>()));
    return out;
}

std::int64_t number_of(const json::object& schema, std::string_view name) {
    const auto known = std::ranges::find_if(numbers, [&](const Number& one) { return ends_with(name, one.ending); });
    std::int64_t out = known != numbers.end() ? known->value : 1;
    if (const auto* least = schema.if_contains("minimum")) out = std::max(out, least->to_number<std::int64_t>());
    if (const auto* most = schema.if_contains("maximum")) out = std::min(out, most->to_number<std::int64_t>());
    return out;
}

const json::object* resolved(const json::object* schema, const Components& schemas) {
    const auto* reference = schema->if_contains("$ref");
    if (reference == nullptr) return schema;
    const std::string_view path = reference->as_string();
    return &schemas.at(path.substr(path.rfind('/') + 1)).as_object();
}

}  // namespace

json::value example_of(const json::object& schema, const Components& schemas, std::string_view name) {
    if (schema.contains("$ref")) return example_of(*resolved(&schema, schemas), schemas, name);
    if (const auto* own = schema.if_contains("examples")) return own->as_array().front();
    for (const char* fixed : {"const", "default"})
        if (const auto* value = schema.if_contains(fixed)) return *value;
    if (const auto* values = schema.if_contains("enum")) return values->as_array().front();
    const auto* named_type = schema.if_contains("type");
    const auto* types = named_type != nullptr ? named_type->if_array() : nullptr;  // of a value that may be null
    if (types != nullptr) named_type = &types->front();
    const std::string_view type = named_type != nullptr ? std::string_view(named_type->as_string()) : "object";
    if (type == "array") {
        if (name.ends_with('s')) name.remove_suffix(1);
        return json::array{example_of(schema.at("items").as_object(), schemas, name)};
    }
    if (type == "object") {
        json::object out;
        if (const auto* properties = schema.if_contains("properties"))
            for (const auto& property : properties->as_object())
                out[property.key()] = example_of(property.value().as_object(), schemas, property.key());
        return out;
    }
    if (type == "boolean") return true;
    if (type == "integer") return number_of(schema, name);
    return json::string(text_of(schema, name));
}

void add_examples(json::object& media_type, const json::object& schema, const Components& schemas) {
    const auto* own = resolved(&schema, schemas)->if_contains("examples");
    if (own == nullptr || own->as_array().size() == 1) {
        media_type["example"] = example_of(schema, schemas);
        return;
    }
    json::object named;
    for (const json::value& value : own->as_array())
        named[std::to_string(named.size() + 1)] = json::object{{"value", value}};
    media_type["examples"] = std::move(named);
}

json::object example_metadata(std::string_view path) {
    return {{"language", "en"},
            {"timestamp", 1'772'357'400'000},
            {"timezone", "UTC"},
            {"path", path},
            {"version", "1"},
            {"repoVersion", "1.0.0"},
            {"requestId", "01956f3a-7c00-7d21-8a55-0242ac120002"},
            {"correlationId", "01956f3a-7c00-7d21-8a55-0242ac120002"}};
}

}  // namespace consentry::http::openapi
