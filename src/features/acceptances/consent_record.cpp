#include "features/acceptances/consent_record.hpp"

#include <algorithm>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace consentry {
namespace {

using boost::json::array;
using boost::json::object;

// ISO/IEC TS 27560 in DPV, as the W3C's guide "Implementing ISO/IEC TS 27560" names it.
constexpr std::string_view record_schema = "https://w3id.org/dpv/schema/dpv-27560#record";

object context() {
    return {{"dpv", "https://w3id.org/dpv#"},
            {"pd", "https://w3id.org/dpv/pd#"},
            {"loc", "https://w3id.org/dpv/loc#"},
            {"legal", "https://w3id.org/dpv/legal#"},
            {"eu-gdpr", "https://w3id.org/dpv/legal/eu/gdpr#"},
            {"dct", "http://purl.org/dc/terms/"},
            {"consentry", "urn:consentry:"}};
}

object reference(std::string_view term) { return {{"@id", term}}; }

array references(const std::vector<std::string>& terms, std::string_view prefix = {}) {
    array out;
    for (const std::string& term : terms) out.push_back(reference(std::string(prefix) + term));
    return out;
}

array described(const std::vector<DescribedTerm>& terms) {
    array out;
    for (const DescribedTerm& term : terms) {
        object one{{"@type", term.category}};
        if (term.description) one["dct:description"] = *term.description;
        out.push_back(std::move(one));
    }
    return out;
}

object controller_of(const Controller& controller) {
    object out{{"@type", "dpv:DataController"},
               {"dpv:hasName", controller.name},
               {"dpv:hasAddress", controller.address},
               {"dpv:hasContact", controller.email}};
    if (controller.url) out["dct:source"] = *controller.url;
    if (controller.dpo)
        out["dpv:hasRepresentative"] =
            object{{"@type", "dpv:DataProtectionOfficer"}, {"dpv:hasContact", *controller.dpo}};
    return out;
}

array recipients_of(const std::vector<Recipient>& recipients) {
    array out;
    for (const Recipient& recipient : recipients) {
        object one{{"@type", recipient.category.value_or("dpv:Recipient")}, {"dpv:hasName", recipient.name}};
        if (recipient.region) one["dpv:hasLocation"] = reference("loc:" + *recipient.region);
        out.push_back(std::move(one));
    }
    return out;
}

object process_of(const Processing& processing) {
    return {{"@type", "dpv:Process"},
            {"dpv:hasPurpose", described(processing.purposes)},
            {"dpv:hasPersonalData", described(processing.personal_data)},
            {"dpv:hasStorageCondition", object{{"@type", "dpv:StorageCondition"},
                                               {"dpv:hasDuration", processing.storage.duration},
                                               {"dpv:hasLocation", references(processing.storage.locations, "loc:")}}},
            {"dpv:hasRecipient", recipients_of(processing.recipients)},
            {"dpv:hasJurisdiction", references(processing.jurisdictions, "loc:")},
            {"dpv:hasRight", references(processing.rights)}};
}

std::string name_of_version(const TermPolicy& policy) {
    return std::string(name_of(policy.type)) + "/" + std::to_string(policy.version);
}

object notice_of(const RecordFacts& facts, const TermPolicy& policy, const RecordSettings& settings) {
    const Acceptance& acceptance = facts.acceptance;
    object out{{"@type", settings.is_consent                 ? "dpv:ConsentNotice"
                         : facts.type == PolicyType::privacy ? "dpv:PrivacyNotice"
                                                             : "dpv:Notice"},
               {"dct:identifier", name_of_version(policy)},
               {"dct:language", name_of(acceptance.language)},
               {"dct:source", settings.notice_address}};
    if (policy.published_at) out["dct:date"] = to_iso8601(*policy.published_at);
    const auto hash =
        std::ranges::find(acceptance.hashes, acceptance.language, [](const auto& one) { return one.first; });
    if (hash != acceptance.hashes.end()) out["consentry:contentHash"] = hash->second;
    if (facts.shown_diff_hash) out["consentry:shownDiffHash"] = *facts.shown_diff_hash;
    return out;
}

object status_of(const RecordFacts& facts) {
    const bool is_withdrawn = facts.acceptance.action == ConsentAction::withdrawn;
    return {{"@type", is_withdrawn       ? "dpv:ConsentWithdrawn"
                      : facts.is_renewed ? "dpv:RenewedConsentGiven"
                                         : "dpv:ConsentGiven"},
            {"dct:date", to_iso8601(facts.acceptance.at)}};
}

array continued_versions(const std::vector<TermPolicy>& continued) {
    array out;
    for (const TermPolicy& policy : continued) {
        object one{{"dct:identifier", name_of_version(policy)}};
        if (policy.published_at) one["dct:date"] = to_iso8601(*policy.published_at);
        if (policy.material_reason) one["consentry:materialReason"] = *policy.material_reason;
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace

std::string consent_record(const RecordFacts& facts, const TermPolicy& policy, const std::vector<TermPolicy>& continued,
                           const RecordSettings& settings) {
    std::optional<Processing> processing;
    if (policy.processing) processing = stored_processing(*policy.processing);
    const auto& controller = processing && processing->controller ? processing->controller : settings.controller;
    object out{{"@context", context()},
               {"@id", "urn:uuid:" + facts.acceptance.id.text()},
               {"@type", settings.is_consent ? "dpv:ConsentRecord" : "consentry:AcceptanceReceipt"}};
    // Without them the record lacks what the schema demands.
    if (settings.is_consent && processing && controller) out["dct:conformsTo"] = record_schema;
    out["dct:identifier"] = facts.acceptance.id.text();
    out["dpv:hasDataSubject"] =
        object{{"@id", "urn:uuid:" + facts.acceptance.user.text()}, {"@type", "dpv:DataSubject"}};
    out["dpv:hasNotice"] = notice_of(facts, policy, settings);
    object process = processing ? process_of(*processing) : object{{"@type", "dpv:Process"}};
    if (controller) process["dpv:hasDataController"] = controller_of(*controller);
    if (settings.is_consent) {
        process["dpv:hasConsentControl"] = array{reference("dpv:ProvideConsent"), reference("dpv:WithdrawConsent")};
        out["dpv:hasConsentStatus"] = status_of(facts);
    } else {
        out["consentry:action"] = name_of(facts.acceptance.action);
        out["dct:date"] = to_iso8601(facts.acceptance.at);
    }
    out["dpv:hasProcess"] = std::move(process);
    if (!continued.empty()) out["consentry:holdsFor"] = continued_versions(continued);
    if (facts.acceptance.log_state) out["consentry:logState"] = *facts.acceptance.log_state;
    return boost::json::serialize(out);
}

}  // namespace consentry
