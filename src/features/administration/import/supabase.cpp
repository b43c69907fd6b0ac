#include <algorithm>

#include "base/errors.hpp"
#include "features/administration/import/converters.hpp"
#include "features/administration/import/csv_reader.hpp"
#include "features/administration/import/json_export.hpp"

namespace consentry {
namespace {

// Applications keep data of their own in the metadata of a user, such as pictures.
constexpr std::size_t record_bytes_max = std::size_t{1} << 20;

// Converts PostgreSQL's "2024-03-05 16:35:16.775432+00" to ISO 8601.
std::optional<std::string> iso_time(std::string text) {
    if (text.empty()) return std::nullopt;
    if (const auto space = text.find(' '); space != std::string::npos) text[space] = 'T';
    const auto offset = text.find_last_of("+-");
    if (offset != std::string::npos && text.size() - offset == 3) text += ":00";
    return text;
}

json::object object_in(const std::string& text) {
    boost::system::error_code error;
    json::value value = parsed(text, error);
    return error || !value.is_object() ? json::object() : std::move(value.get_object());
}

class SupabaseExport final : public ImportSource {
public:
    SupabaseExport(std::istream& stream, TimePoint now) : reader_(stream, record_bytes_max), now_(now) {}

    Result<std::optional<ImportRow>> next() override {
        if (columns_.empty()) {
            auto header = reader_.next();
            if (!header) return std::unexpected(std::move(header.error()));
            if (*header) columns_ = std::move((*header)->fields);
            for (const char* needed : {"email", "encrypted_password", "email_confirmed_at"})
                if (std::ranges::find(columns_, needed) == columns_.end())
                    return std::unexpected(
                        Error{errors::file_unreadable, json::object{{"column", needed}}}.with_message(
                            "file.error.columnMissing"));
        }
        auto record = reader_.next();
        if (!record) return std::unexpected(std::move(record.error()));
        if (!*record) return std::nullopt;
        ImportRow row{.number = row_++};
        fields_ = std::move((*record)->fields);
        if ((*record)->malformed || fields_.size() != columns_.size())
            row.broken.push_back({"isRow", "row", {{"property", "row"}, {"columns", columns_.size()}}});
        else
            convert(row);
        return std::optional(std::move(row));
    }

private:
    std::string column(std::string_view name) const {
        const auto found = std::ranges::find(columns_, name);
        return found == columns_.end() ? std::string() : fields_[static_cast<std::size_t>(found - columns_.begin())];
    }

    void convert(ImportRow& row) const {
        if (!column("deleted_at").empty()) return leave_out(row, "isDeleted");
        if (!take_address(row, column("email"))) return;
        const json::object profile = object_in(column("raw_user_meta_data"));
        const auto name = text_of(profile, "name");
        take_name(row, name ? name : text_of(profile, "full_name"));
        row.language = language_of(text_of(profile, "locale"));
        row.is_verified = column("email_confirmed_at").empty() ? "false" : "true";
        const auto banned_until = iso_time(column("banned_until"));
        const auto end = banned_until ? from_iso8601(*banned_until) : std::nullopt;
        // An unreadable end ("infinity") has not passed.
        row.status = banned_until && (!end || *end > now_) ? "inactive" : "active";
        row.created_at = iso_time(column("created_at"));
        if (std::string hash = column("encrypted_password"); !hash.empty()) take_hash(row, std::move(hash));
        // The subjects at providers are in another table, auth.identities. The users' metadata contain them too, but
        // users can edit their metadata.
        const json::object origin = object_in(column("raw_app_meta_data"));
        const json::value* providers = origin.if_contains("providers");
        if (providers == nullptr || !providers->is_array()) return;
        for (const json::value& provider : providers->get_array())
            if (provider.is_string() && provider.get_string() != "email")
                note_unknown_provider(row, provider.get_string());
    }

    CsvReader reader_;
    const TimePoint now_;
    std::vector<std::string> columns_;
    std::vector<std::string> fields_;
    std::int64_t row_ = 0;
};

}  // namespace

std::unique_ptr<ImportSource> supabase_export(std::istream& stream, TimePoint now) {
    return std::make_unique<SupabaseExport>(stream, now);
}

}  // namespace consentry
