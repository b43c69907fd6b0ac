#include "net/system_authorities.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temp_folder.hpp"

namespace consentry::net {
namespace {

namespace fs = std::filesystem;

TEST(SystemAuthorities, AreFoundWhereADistributionHasThem) {
    const tests::TempFolder root;
    EXPECT_EQ(system_authorities(root.path()), "");
    const auto put = [&](const char* place) {
        const fs::path file = root / place;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << "certificates";
        return file.string();
    };
    const std::string fedora = put("etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem");
    EXPECT_EQ(system_authorities(root.path()), fedora);
    const std::string older_fedora = put("etc/pki/tls/certs/ca-bundle.crt");
    EXPECT_EQ(system_authorities(root.path()), older_fedora);
    const std::string debian = put("etc/ssl/certs/ca-certificates.crt");
    EXPECT_EQ(system_authorities(root.path()), debian);
    // A link that leads nowhere is what a removed package leaves behind.
    fs::remove(debian);
    fs::create_symlink("/nowhere", debian);
    EXPECT_EQ(system_authorities(root.path()), older_fedora);
}

}  // namespace
}  // namespace consentry::net
