// Request and response types of the consent log.
#pragma once

#include <optional>
#include <string>

#include "features/consent_log/entry.hpp"
#include "http/schema/fields.hpp"

namespace consentry {

struct ReceiptPath {
    AcceptanceId acceptance_id;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("acceptanceId", &ReceiptPath::acceptance_id, "ID of one of your acceptances or withdrawals")};
    }
};

struct TilePath {
    std::optional<std::string> path;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("path", &TilePath::path, "Path of a tile as in C2SP tlog-tiles; contains slashes")};
    }
};

struct TimestampPath {
    std::string file;

    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("file", &TimestampPath::file, "Size of the checkpoint and `.tsr`: `1067.tsr`")};
    }
};

struct ReceiptResponse {
    std::string receipt;

    static ReceiptResponse of(std::string receipt) { return {std::move(receipt)}; }
    static ReceiptResponse of(std::optional<std::string> receipt) { return {std::move(receipt).value()}; }

    static constexpr std::string_view schema_name = "ConsentReceiptResponseDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{field("receipt", &ReceiptResponse::receipt,
                                "Signed receipt: a JWT of type `consent-receipt+jwt`. Keep it; it proves what was "
                                "accepted, even after the account is deleted")};
    }
};

}  // namespace consentry
