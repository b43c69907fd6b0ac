#include "storage/postgres/values.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace consentry::storage::postgres {
namespace {

// OIDs from pg_type.dat, which never change.
constexpr Oid bool_type = 16;
constexpr Oid bytea_type = 17;
constexpr Oid name_type = 19;
constexpr Oid int8_type = 20;
constexpr Oid int2_type = 21;
constexpr Oid int4_type = 23;
constexpr Oid text_type = 25;
constexpr Oid float4_type = 700;
constexpr Oid float8_type = 701;
constexpr Oid bpchar_type = 1042;
constexpr Oid varchar_type = 1043;
constexpr Oid void_type = 2278;
constexpr Oid uuid_type = 2950;
constexpr Oid uuid_array_type = 2951;

template <class Unsigned>
void put(char* to, Unsigned value) {
    if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
    std::memcpy(to, &value, sizeof value);
}

template <class Unsigned>
Unsigned take(const char* from) {
    Unsigned value{};
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::endian::native == std::endian::little) value = std::byteswap(value);
    return value;
}

Value read(Oid type, const char* data, std::size_t size) {
    switch (type) {
        case bool_type:
            return *data != 0;
        case int2_type:
            return std::int64_t{static_cast<std::int16_t>(take<std::uint16_t>(data))};
        case int4_type:
            return std::int64_t{static_cast<std::int32_t>(take<std::uint32_t>(data))};
        case int8_type:
            return static_cast<std::int64_t>(take<std::uint64_t>(data));
        case float4_type:
            return double{std::bit_cast<float>(take<std::uint32_t>(data))};
        case float8_type:
            return std::bit_cast<double>(take<std::uint64_t>(data));
        case text_type:
        case varchar_type:
        case bpchar_type:
        case name_type:
            return std::string(data, size);
        case bytea_type:
            return Bytes(data, data + size);
        case uuid_type: {
            std::array<std::uint8_t, 16> bytes{};
            std::memcpy(bytes.data(), data, bytes.size());
            return Uuid(bytes);
        }
        case void_type:
            return std::monostate{};
        default:
            throw std::logic_error(fmt::format("postgres: a column of type {} is not in the dialect: cast it", type));
    }
}

}  // namespace

Encoded::Encoded(const Params& params) {
    numbers_.reserve(params.size());  // libpq gets pointers into it
    types.reserve(params.size());
    values.reserve(params.size());
    lengths.reserve(params.size());
    struct Visitor {
        Encoded& out;
        void number(Oid type, std::uint64_t value) const {
            auto& slot = out.numbers_.emplace_back();
            put(slot.data(), value);
            out.add(type, {slot.data(), slot.size()});
        }
        void operator()(std::monostate) const { out.add(0, {}); }
        void operator()(bool value) const {
            auto& slot = out.numbers_.emplace_back();
            slot[0] = value ? 1 : 0;
            out.add(bool_type, {slot.data(), 1});
        }
        void operator()(std::int64_t value) const { number(int8_type, static_cast<std::uint64_t>(value)); }
        void operator()(double value) const { number(float8_type, std::bit_cast<std::uint64_t>(value)); }
        void operator()(const std::string& value) const { out.add(text_type, value); }
        void operator()(const Bytes& value) const {
            // A null pointer would mean NULL, not zero bytes.
            out.add(bytea_type, value.empty() ? std::string_view("") : as_text(value));
        }
        void operator()(const Uuid& value) const { out.add(uuid_type, as_text(value.bytes())); }
    };
    for (const Param& param : params) std::visit(Visitor{*this}, param);
}

Encoded::Encoded(const std::vector<Uuid>& keys) {
    // array_send: number of dimensions, whether there are NULLs, element type; then length and lower bound of each
    // dimension; then each element with its length.
    constexpr std::size_t head = 20;
    constexpr std::size_t element = 4 + 16;
    array_.resize(head + keys.size() * element);
    char* at = array_.data();
    for (const std::uint32_t number : {1U, 0U, uuid_type, static_cast<std::uint32_t>(keys.size()), 1U}) {
        put(at, number);
        at += 4;
    }
    for (const Uuid& key : keys) {
        put(at, std::uint32_t{16});
        std::memcpy(at + 4, key.bytes().data(), 16);
        at += element;
    }
    add(uuid_array_type, array_);
}

void Encoded::add(Oid type, std::string_view value) {
    types.push_back(type);
    values.push_back(value.data());
    lengths.push_back(static_cast<int>(value.size()));
    formats.push_back(1);
}

Rows decode(const PGresult* result, bool affected_in_last_column) {
    const int columns = PQnfields(result) - (affected_in_last_column ? 1 : 0);
    const int rows = PQntuples(result);
    std::int64_t affected = 0;
    if (affected_in_last_column) {
        const char* count = PQgetvalue(result, 0, columns);
        affected = std::get<std::int64_t>(read(PQftype(result, columns), count, 8));
        if (affected == 0) return {static_cast<std::size_t>(columns), {}, 0};
    } else {
        auto* asked = const_cast<PGresult*>(result);  // libpq's two functions only read it
        const std::string_view count = PQcmdTuples(asked);
        if (!std::string_view(PQcmdStatus(asked)).starts_with("SELECT"))
            std::from_chars(count.data(), count.data() + count.size(), affected);
    }
    std::vector<Value> values;
    values.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            if (PQgetisnull(result, row, column) == 1)
                values.emplace_back(std::monostate{});
            else
                values.push_back(read(PQftype(result, column), PQgetvalue(result, row, column),
                                      static_cast<std::size_t>(PQgetlength(result, row, column))));
        }
    return {static_cast<std::size_t>(columns), std::move(values), affected};
}

}  // namespace consentry::storage::postgres
