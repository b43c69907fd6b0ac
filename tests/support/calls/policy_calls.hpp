// An administrator who manages term policies over HTTP, with access to the stored objects.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/service.hpp"

namespace consentry::tests {

// The service of the suite without policies, for tests that publish. Once no announcement waits, it erases what earlier
// tests left: policies, their acceptances and their stored files.
Service& service_without_policies();

// Texts by language.
using Texts = std::map<std::string, std::string>;

// Returns a distinct text for each language: it contains `about` and the language.
Texts texts_in(const std::vector<std::string>& languages, const std::string& about = "text");
// A version's description of the processing of personal data.
json::object some_processing();
// Reads an object below data/storage; nullopt if there is none.
std::optional<std::string> stored_object(const Service& service, const std::string& area, const std::string& key);
std::size_t stored_objects(const Service& service, const std::string& area);
std::string draft_key(const std::string& type, int version, const std::string& language);
// Overwrites an object behind the service's back.
void overwrite_object(const Service& service, const std::string& area, const std::string& key,
                      const std::string& bytes);
// Returns the details of error 6110: "en absent, de changed".
std::string complaints_of(const Answer& answer);

struct PolicyDesk {
    explicit PolicyDesk(Service& its_service) : service(its_service), admin(service.make_person(Role::admin)) {}

    // Returns an access token, renewed after an hour of the test's clock.
    const std::string& token() const;

    Answer call(const std::string& method, const std::string& path, const json::object& body = {}) const;

    Answer presign(const std::string& type, int version, const std::string& language, std::size_t size) const;
    // Uploads to an address of presign() or content(). Ignores the part before /files, because a service on port 0
    // does not know its own port.
    Answer put(const std::string& url, const std::string& bytes,
               const std::string& mime = "text/x-handlebars-template") const;
    Answer fetch(const std::string& url) const;
    // Presigns and uploads. Returns the content that create(), add() and update() expect.
    json::object upload(const std::string& type, int version, const std::string& language,
                        const std::string& text) const;
    json::array upload(const std::string& type, int version, const Texts& texts) const;

    Answer create(const std::string& type, int version, const json::array& contents) const;
    // Runs all steps and returns the id.
    std::string draft(const std::string& type, int version, const Texts& texts) const;
    std::string published(const std::string& type, int version, const Texts& texts) const;
    Answer add(const std::string& id, const json::object& content) const;
    Answer update(const std::string& id, const json::object& content) const;
    Answer remove(const std::string& id, const std::string& language) const;
    Answer erase(const std::string& id) const { return call("DELETE", "delete/" + id); }
    Answer content(const std::string& id, const std::string& language) const;
    Answer publish(const std::string& id) const { return call("PATCH", "publish/" + id); }

    // "draft", "published" or "none".
    std::string status(const std::string& id) const;
    void sweep() const;

    Service& service;
    const Person admin;

private:
    mutable std::string token_;
    mutable TimePoint token_made_{};
};

inline void expect_error(const Answer& answer, unsigned status, int code) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_EQ(answer.number("statusCode"), code) << answer.body;
}

}  // namespace consentry::tests
