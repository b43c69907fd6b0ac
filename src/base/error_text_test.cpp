#include "base/error_text.hpp"

#include <filesystem>
#include <stdexcept>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

namespace consentry {
namespace {

TEST(ErrorText, IsASentenceForPeople) {
    const auto denied = std::make_error_code(std::errc::permission_denied);
    EXPECT_EQ(sentence_of(std::filesystem::filesystem_error("cannot create directories", "./data/keys", denied)),
              "./data/keys: Permission denied");
    EXPECT_EQ(sentence_of(std::filesystem::filesystem_error("cannot get current path", denied)), "Permission denied");
    EXPECT_EQ(sentence_of(boost::system::system_error(boost::asio::error::host_not_found, "resolve")),
              "host not found");
    EXPECT_EQ(sentence_of(boost::system::system_error(boost::asio::error::connection_refused, "connect")),
              "Connection refused");
    EXPECT_EQ(sentence_of(std::runtime_error("the key is damaged")), "the key is damaged");
}

}  // namespace
}  // namespace consentry
