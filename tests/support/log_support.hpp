// Runs a service with its log in a separate folder, because `./logs/api.log` is relative to the working directory.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {

// Changes the test's working directory for the lifetime of this object.
class WorkingFolder {
public:
    WorkingFolder() : before_(std::filesystem::current_path()) { std::filesystem::current_path(folder_.path()); }
    ~WorkingFolder() { std::filesystem::current_path(before_); }
    WorkingFolder(const WorkingFolder&) = delete;
    WorkingFolder& operator=(const WorkingFolder&) = delete;

    std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }

private:
    TempFolder folder_;
    std::filesystem::path before_;
};

inline Environment everything_logged(Environment more = {}) {
    more.merge(Environment{
        {"LOGGER_ENABLE", "true"}, {"LOGGER_LEVEL", "debug"}, {"LOGGER_INTO_FILE", "true"}, {"LOGGER_AUTO", "true"}});
    return more;
}

// Parses every line of a log as JSON. A line that is not JSON fails the test.
inline std::vector<boost::json::object> entries_in(const std::filesystem::path& path) {
    std::vector<boost::json::object> out;
    std::ifstream in(path, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
        boost::json::error_code error;
        const boost::json::value value = boost::json::parse(line, error);
        EXPECT_FALSE(error) << line;
        if (error || !value.is_object()) continue;
        out.push_back(value.as_object());
    }
    return out;
}

}  // namespace consentry::tests
