// Helpers for tests that look at the consent log from outside.
#pragma once

#include <algorithm>
#include <utility>

#include "app/app.hpp"
#include "crypto/jws.hpp"
#include "tests/support/calls/consent_calls.hpp"
#include "tests/support/run.hpp"
#include "tlog/policy.hpp"

namespace consentry::tests {

// Does what the service does once a second: publishes the log.
inline void publish_log(Service& service) {
    auto loops = service.app().services().task_loops();
    const auto log = std::ranges::find(loops, "the consent log", [](const auto& loop) { return loop.front().name; });
    for (const TaskTrouble& trouble : run(do_all(std::move(*log))))
        ADD_FAILURE() << trouble.task << ": " << trouble.reason;
}

// publish() of documents, with what the service adds to its log at once: the versions are there before the acceptances.
inline std::string publish_with_entry(Service& service, const std::string& type, int version,
                                      const std::vector<std::string>& languages = {"en"}) {
    const std::string id = publish(service, type, version, languages);
    run(service.app().services().publications.complete());
    publish_log(service);
    return id;
}

// What a publication puts into the object store.
inline void put_text(Service& service, const std::string& type, int version, const std::string& language) {
    run(service.app().services().object_store.put(
        storage::Area::public_area, "term-policies/" + type + "/" + std::to_string(version) + "/" + language + ".hbs",
        type + " " + std::to_string(version) + " " + language, "text/plain"));
}

inline std::string publish_with_texts(Service& service, const std::string& type, int version,
                                      const std::vector<std::string>& languages = {"en"}) {
    for (const std::string& language : languages) put_text(service, type, version, language);
    return publish_with_entry(service, type, version, languages);
}

inline std::string verifier_key_of(const Service& service) {
    const json::value facts = json::parse(service.get("/.well-known/consent-log").body);
    return std::string(facts.at("verifierKey").as_string());
}

inline tlog::Policy policy_of(const Service& service) {
    return tlog::Policy::of_log(tlog::VerifierKey::parse(verifier_key_of(service)).value()).value();
}

inline std::string proof_of(const Service& service, const std::string& token, const std::string& receipt) {
    const json::object claims = crypto::parse_jws(receipt).value().claims;
    const std::string id(claims.at("jti").as_string());
    const Answer answer = service.get("/api/shared/user/term-policy/receipt/" + id + "/proof", bearer(token));
    EXPECT_EQ(answer.status, 200U) << answer.body;
    return answer.body;
}

}  // namespace consentry::tests
