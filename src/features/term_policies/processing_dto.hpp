// What a version says about the processing of personal data, in the terms of ISO/IEC TS 27560 and the Data Privacy
// Vocabulary (DPV). It is published with the version and hashed in the record of the publication.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/report.hpp"
#include "http/schema/fields.hpp"
#include "http/schema/rules.hpp"

namespace consentry {

// A term of the DPV or one of its extensions, such as `dpv:Marketing`, or the IRI of another term.
bool is_vocabulary_term(std::string_view text);
// Country or subdivision as in ISO 3166 (`DE`, `US-CA`), or `EU`.
bool is_region(std::string_view text);
// Years, months, weeks or days as in ISO 8601: `P2Y`, `P18M`.
bool is_period(std::string_view text);

struct VocabularyTerm {
    static constexpr std::string_view key = "isVocabularyTerm";
    bool holds(std::string_view text) const { return is_vocabulary_term(text); }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const {
        schema["pattern"] = "^((dpv|pd|loc|legal|eu-gdpr):[A-Za-z0-9-]+|https?://\\S+)$";
    }
};
struct Region {
    static constexpr std::string_view key = "isRegion";
    bool holds(std::string_view text) const { return is_region(text); }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const { schema["pattern"] = "^[A-Z]{2}(-[A-Z0-9]{1,3})?$"; }
};
struct Period {
    static constexpr std::string_view key = "isPeriod";
    bool holds(std::string_view text) const { return is_period(text); }
    boost::json::object placeholders() const { return {}; }
    void describe(boost::json::object& schema) const { schema["pattern"] = "^P[1-9][0-9]{0,4}[YMWD]$"; }
};

inline constexpr auto short_text = http::max_length(500);
inline constexpr std::size_t processing_entries_max = 50;  // of each list
inline constexpr http::MinItems some_entries(1);
inline constexpr http::MaxItems few_entries(processing_entries_max);

// The fields of all of these are in alphabetical order, because the hash is that of their JSON.
struct DescribedTerm {
    std::string category;
    std::optional<std::string> description;

    static constexpr std::string_view schema_name = "TermPolicyProcessingTermDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("category", &DescribedTerm::category, "Term of the Data Privacy Vocabulary, such as `dpv:Marketing`",
                  VocabularyTerm{}, short_text),
            field("description", &DescribedTerm::description, "The same in your own words", http::not_empty,
                  short_text),
        };
    }
};

struct Recipient {
    std::optional<std::string> category;
    std::string name;
    std::optional<std::string> region;

    static constexpr std::string_view schema_name = "TermPolicyProcessingRecipientDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("category", &Recipient::category, "Term of the vocabulary, such as `dpv:DataProcessor`",
                  VocabularyTerm{}, short_text),
            field("name", &Recipient::name, "Name of the recipient", http::not_empty, short_text, http::one_line_name),
            field("region", &Recipient::region, "Country of the recipient (ISO 3166)", Region{}),
        };
    }
};

struct StorageCondition {
    std::string duration;
    std::vector<std::string> locations;

    static constexpr std::string_view schema_name = "TermPolicyProcessingStorageDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("duration", &StorageCondition::duration, "How long the data are kept (ISO 8601), such as `P2Y`",
                  Period{}),
            field("locations", &StorageCondition::locations, "Countries in which they are kept (ISO 3166)",
                  some_entries, few_entries, http::Entries<Region>{}),
        };
    }
};

// Who is responsible. The settings CONSENT_CONTROLLER_* name it for all policies; a version may name another one.
struct Controller {
    std::string address;
    std::optional<std::string> dpo;
    std::string email;
    std::string name;
    std::optional<std::string> url;

    static constexpr std::string_view schema_name = "TermPolicyProcessingControllerDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("address", &Controller::address, "Postal address", http::not_empty, short_text),
            field("dpo", &Controller::dpo, "Email address of the data protection officer", http::email),
            field("email", &Controller::email, "Email address", http::email),
            field("name", &Controller::name, "Name", http::not_empty, short_text, http::one_line_name),
            field("url", &Controller::url, "Web address", http::not_empty, short_text),
        };
    }
};

struct Processing {
    std::optional<Controller> controller;
    std::vector<std::string> jurisdictions;
    std::vector<DescribedTerm> personal_data;
    std::vector<DescribedTerm> purposes;
    std::vector<Recipient> recipients;
    std::vector<std::string> rights;
    StorageCondition storage;

    static constexpr std::string_view schema_name = "TermPolicyProcessingDto";
    static constexpr auto fields() {
        using http::field;
        return std::tuple{
            field("controller", &Processing::controller, "Controller, if it differs from the one in the settings"),
            field("jurisdictions", &Processing::jurisdictions, "Countries (ISO 3166) whose law applies, or `EU`",
                  some_entries, few_entries, http::Entries<Region>{}),
            field("personalData", &Processing::personal_data,
                  "Personal data that are processed, such as `pd:EmailAddress`", some_entries, few_entries),
            field("purposes", &Processing::purposes, "Purposes of the processing, such as `dpv:Marketing`",
                  some_entries, few_entries),
            field("recipients", &Processing::recipients, "Recipients of the data; may be empty", few_entries),
            field("rights", &Processing::rights, "Rights of the data subject, such as `eu-gdpr:A7-3`; may be empty",
                  few_entries, http::Entries<VocabularyTerm>{}),
            field("storage", &Processing::storage, "How long and where the data are kept"),
        };
    }
    static std::vector<Processing> examples() {
        return {{.controller = Controller{.address = "1 Example Street, 10115 Berlin, Germany",
                                          .dpo = "dpo@example.org",
                                          .email = "privacy@example.org",
                                          .name = "Example Ltd",
                                          .url = "https://example.org/"},
                 .jurisdictions = {"EU"},
                 .personal_data = {{.category = "pd:EmailAddress", .description = "The address of the account"}},
                 .purposes = {{.category = "dpv:Marketing", .description = "Mails about our offers"}},
                 .recipients = {{.category = "dpv:DataProcessor", .name = "Mailer Ltd", .region = "IE"}},
                 .rights = {"eu-gdpr:A7-3"},
                 .storage = {.duration = "P2Y", .locations = {"DE"}}}};
    }
};

// Reports what fields() cannot express. `at` is the place of the document in the request: "processing." or empty.
void check_processing(const Processing& processing, std::string_view at, Report& report);

// JSON without white space, the members in alphabetical order: the form that is stored and hashed.
std::string processing_text(const Processing& processing);
// Parses the stored form. Throws std::runtime_error if the database is damaged.
Processing stored_processing(const std::string& text);
// Parses a document of an author. Violations name their places, such as "purposes.0.category".
Result<Processing> read_processing(std::string_view text);

}  // namespace consentry
