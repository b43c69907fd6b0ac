// An administrator who writes term policies, over HTTP, and a look at what lies in the store.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/service.hpp"

namespace consentry::tests {

// Texts by language.
using Texts = std::map<std::string, std::string>;

// Names and gives a text to each: what "privacy" 2 in "de" says is nobody else's.
Texts texts_in(const std::vector<std::string>& languages, const std::string& about = "text");
// Below data/storage; nullopt: there is none.
std::optional<std::string> stored_object(const Service& service, const std::string& area, const std::string& key);
std::size_t stored_objects(const Service& service, const std::string& area);
std::string draft_key(const std::string& type, int version, const std::string& language);
// Behind the service's back.
void overwrite_object(const Service& service, const std::string& area, const std::string& key,
                      const std::string& bytes);
// "en absent, de changed": what error 6110 says.
std::string complaints_of(const Answer& answer);

struct PolicyDesk {
    explicit PolicyDesk(Service& its_service) : service(its_service), admin(service.make_person(Role::admin)) {}

    // Good for an hour of the test's clock; then the next one.
    const std::string& token() const;

    Answer call(const std::string& method, const std::string& path, const json::object& body = {}) const;

    Answer presign(const std::string& type, int version, const std::string& language, std::size_t size) const;
    // To an address of presign() or content(); what comes before /files is that of a service which knows its port.
    Answer put(const std::string& url, const std::string& bytes,
               const std::string& mime = "text/x-handlebars-template") const;
    Answer fetch(const std::string& url) const;
    // Presigned and put: what create(), add() and update() want of it.
    json::object upload(const std::string& type, int version, const std::string& language,
                        const std::string& text) const;
    json::array upload(const std::string& type, int version, const Texts& texts) const;

    Answer create(const std::string& type, int version, const json::array& contents) const;
    // All of it; the id.
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
