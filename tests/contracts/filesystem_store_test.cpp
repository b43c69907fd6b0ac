// Tests what the folder engine promises beyond the port: file permissions, symbolic links, and the handling of faults.
#include "storage/filesystem/filesystem_store.hpp"

#include <fstream>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/support/run.hpp"
#include "tests/support/temp_folder.hpp"

namespace consentry::tests {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using storage::Area;
using storage::FilesystemStore;

constexpr std::size_t plenty = std::size_t{1} << 20;

class FolderStore : public ::testing::Test {
protected:
    std::unique_ptr<FilesystemStore> open(std::vector<std::string> secrets = {"first"}) const {
        return std::make_unique<FilesystemStore>(storage::FilesystemOptions{
            .folder = root, .public_url = "https://login.example.org", .secrets = std::move(secrets)});
    }
    std::string get(Area area, const std::string& key) const {
        const auto object = run(store->get(area, key, plenty));
        return object ? object->bytes : "(none)";
    }
    void put(Area area, const std::string& key, std::string bytes) const {
        run(store->put(area, key, std::move(bytes), ""));
    }
    std::size_t unfinished() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(root / "unfinished"), {}));
    }

    const TempFolder folder;
    const fs::path root = folder / "of/files/storage";
    const std::unique_ptr<FilesystemStore> store = open();
};

fs::perms rights(const fs::path& path) { return fs::status(path).permissions(); }

TEST_F(FolderStore, NobodyElseMayReadOrWrite) {
    const mode_t before = ::umask(0);
    const auto other = open();
    put(Area::private_area, "a/b/c.hbs", "x");
    ::umask(before);
    for (const char* name : {"private", "public", "unfinished", "private/a", "private/a/b"})
        EXPECT_EQ(rights(root / name), fs::perms::owner_all) << name;
    EXPECT_EQ(rights(root / "private/a/b/c.hbs"), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(unfinished(), 0U);
}

TEST_F(FolderStore, APrivateFolderThatIsOpenToOthersIsRefused) {
    EXPECT_NO_THROW(store->check());
    for (const char* name : {"private", "unfinished"}) {
        for (const auto mode : {fs::perms::group_read, fs::perms::others_exec, fs::perms::group_write}) {
            fs::permissions(root / name, fs::perms::owner_all | mode);
            EXPECT_THROW(store->check(), std::runtime_error) << name;
        }
        fs::permissions(root / name, fs::perms::owner_all);
    }
    fs::permissions(root / "public", fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
    EXPECT_NO_THROW(store->check());
    for (const char* name : {"private", "public", "unfinished"}) EXPECT_TRUE(fs::is_empty(root / name)) << name;
}

TEST_F(FolderStore, WhatCannotBeWrittenIsFoundBeforeServing) {
    fs::remove_all(root / "public");
    std::ofstream(root / "public") << "no folder";
    EXPECT_THROW(store->check(), std::runtime_error);
    EXPECT_THROW(open(), std::runtime_error);
    std::ofstream(folder / "file") << "x";
    EXPECT_THROW(FilesystemStore({.folder = folder / "file/storage", .public_url = "", .secrets = {"-"}}),
                 std::runtime_error);
}

// DOC-1: even if there are symbolic links in the folder, the service never follows them to files elsewhere.
TEST_F(FolderStore, LinksLeadNowhere) {
    std::ofstream(folder / "secret.hbs") << "secret";
    put(Area::private_area, "draft/a.hbs", "draft");
    fs::create_directories(root / "public/dir");
    fs::create_symlink(folder / "secret.hbs", root / "public/leaf.hbs");
    fs::create_symlink(folder.path(), root / "public/dir/out");
    fs::create_symlink("../private/draft", root / "public/draft");
    for (const char* key : {"leaf.hbs", "dir/out/secret.hbs", "draft/a.hbs"}) {
        EXPECT_EQ(get(Area::public_area, key), "(none)") << key;
        EXPECT_FALSE(run(store->head(Area::public_area, key))) << key;
    }
    EXPECT_THROW(put(Area::public_area, "dir/out/new.hbs", "x"), Unavailable);
    EXPECT_THROW(put(Area::public_area, "draft/a.hbs", "x"), Unavailable);
    EXPECT_FALSE(fs::exists(folder / "new.hbs"));
    EXPECT_NO_THROW(run(store->erase(Area::public_area, "draft/a.hbs")));
    EXPECT_EQ(get(Area::private_area, "draft/a.hbs"), "draft");
    put(Area::public_area, "leaf.hbs", "own");
    EXPECT_EQ(get(Area::public_area, "leaf.hbs"), "own") << "the link is replaced, not followed";
    EXPECT_EQ(std::ifstream(folder / "secret.hbs").peek(), 's');
    run(store->erase(Area::public_area, "leaf.hbs"));
    EXPECT_TRUE(fs::exists(folder / "secret.hbs"));
    EXPECT_EQ(unfinished(), 0U);
}

TEST_F(FolderStore, OnlyFilesAreObjects) {
    put(Area::public_area, "a/b.hbs", "x");
    EXPECT_EQ(get(Area::public_area, "a"), "(none)");
    EXPECT_NO_THROW(run(store->erase(Area::public_area, "a")));
    EXPECT_THROW(put(Area::public_area, "a", "x"), Unavailable);
    EXPECT_THROW(put(Area::public_area, "a/b.hbs/c", "x"), Unavailable);
    ASSERT_EQ(::mkfifo((root / "public/pipe").c_str(), 0600), 0);
    EXPECT_EQ(get(Area::public_area, "pipe"), "(none)");
    EXPECT_EQ(get(Area::public_area, "a/b.hbs"), "x");
    EXPECT_EQ(unfinished(), 0U);
}

// STO-4: a limit on the file size stands in for a full disk.
TEST_F(FolderStore, WhatDoesNotFitLeavesTheFormerObjectAndNothingElse) {
    put(Area::public_area, "a.hbs", "former");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = 50'000, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(put(Area::public_area, "a.hbs", std::string(100'000, 'x')), Unavailable);
    EXPECT_THROW(put(Area::public_area, "b.hbs", std::string(100'000, 'x')), Unavailable);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ::signal(SIGXFSZ, handler);
    EXPECT_EQ(get(Area::public_area, "a.hbs"), "former");
    EXPECT_EQ(get(Area::public_area, "b.hbs"), "(none)");
    EXPECT_EQ(unfinished(), 0U);
    put(Area::public_area, "a.hbs", std::string(100'000, 'x'));
    EXPECT_EQ(get(Area::public_area, "a.hbs").size(), 100'000U);
}

// A missing disk must not look like an empty one, because the sweeper and the publisher would act on that.
TEST_F(FolderStore, AFolderThatIsGoneIsAnOutageAndItsReturnTheEnd) {
    put(Area::private_area, "a.hbs", "x");
    fs::rename(root, folder / "elsewhere");
    EXPECT_THROW(get(Area::private_area, "a.hbs"), Unavailable);
    EXPECT_THROW(put(Area::private_area, "a.hbs", "y"), Unavailable);
    EXPECT_THROW(run(store->erase(Area::private_area, "a.hbs")), Unavailable);
    EXPECT_THROW(run(store->head(Area::private_area, "a.hbs")), Unavailable);
    EXPECT_THROW(run(store->ping(Area::private_area)), Unavailable);
    EXPECT_FALSE(fs::exists(root)) << "nothing is made in the place of a disk";
    fs::rename(folder / "elsewhere", root);
    EXPECT_NO_THROW(run(store->ping(Area::private_area)));
    EXPECT_EQ(get(Area::private_area, "a.hbs"), "x");
}

TEST_F(FolderStore, WhatNobodyFinishesIsForgottenAndWhatSomebodyWritesIsNot) {
    std::ofstream(root / "unfinished/old") << "half";
    std::ofstream(root / "unfinished/fresh") << "half";
    fs::last_write_time(root / "unfinished/old", fs::file_time_type::clock::now() - 61min);
    open();
    EXPECT_FALSE(fs::exists(root / "unfinished/old"));
    EXPECT_TRUE(fs::exists(root / "unfinished/fresh"));
}

// A former version of the service stored every object as it is, and reads none that is compressed.
TEST_F(FolderStore, ACompressedObjectIsAFileThatWebServersKnow) {
    const std::string bytes(5'000, 'b');
    run(store->put_compressed(Area::public_area, "a/b", bytes, ""));
    EXPECT_FALSE(fs::exists(root / "public/a/b"));
    EXPECT_LT(fs::file_size(root / "public/a/b.gz"), 100U);
    EXPECT_EQ(rights(root / "public/a/b.gz"), fs::perms::owner_read | fs::perms::owner_write);
    std::ofstream(root / "public/a/b") << "of a former version";
    EXPECT_EQ(get(Area::public_area, "a/b"), "of a former version");
    run(store->put_compressed(Area::public_area, "a/b", bytes, ""));
    EXPECT_FALSE(fs::exists(root / "public/a/b"));
    EXPECT_EQ(get(Area::public_area, "a/b"), bytes);
    std::ofstream(root / "public/a/b.gz") << "damaged";
    EXPECT_EQ(get(Area::public_area, "a/b"), "(none)");
}

// A call that misses its deadline must have no effect, because others may already act as if it had failed.
TEST_F(FolderStore, WhatComesTooLateHasNoEffect) {
    const storage::ObjectFolder files(root);
    const auto now = std::chrono::steady_clock::now();
    files.put(Area::public_area, "a.hbs", "first", now + 1h);
    EXPECT_THROW(files.put(Area::public_area, "a.hbs", "late", now), Unavailable);
    EXPECT_THROW(files.erase(Area::public_area, "a.hbs", now), Unavailable);
    EXPECT_EQ(get(Area::public_area, "a.hbs"), "first");
    EXPECT_EQ(unfinished(), 0U);
}

std::string query_of(const std::string& address) { return address.substr(address.find('?') + 1); }

TEST_F(FolderStore, AddressesAreOfTheServiceAndTellWhatTheyAreFor) {
    const TimePoint until = from_epoch_ms(1'780'000'000'999);
    EXPECT_EQ(store->public_address("a/b.hbs"), "https://login.example.org/files/public/a/b.hbs");
    EXPECT_THAT(store->address_to_get("a/b.hbs", until - 1h, until),
                testing::MatchesRegex("https://login\\.example\\.org/files/private/a/b\\.hbs\\?expires=1780000000&"
                                      "signature=[A-Za-z0-9_-]{43}"));
    EXPECT_THAT(store->address_to_put("a/b.hbs", "text/x+y; z=\"&\"", 12, until - 1h, until),
                testing::MatchesRegex("https://login\\.example\\.org/files/private/a/b\\.hbs\\?expires=1780000000&"
                                      "type=text/x%2By%3B%20z%3D%22%26%22&size=12&signature=[A-Za-z0-9_-]{43}"));
}

// CRY-4: the new secret is put first. Addresses signed with the former one stay valid until that one is removed.
TEST_F(FolderStore, AddressesOutliveTheRotationOfTheSecret) {
    const TimePoint now = from_epoch_ms(1'780'000'000'000);
    const std::string query = query_of(store->address_to_put("a.hbs", "text/x", 3, now, now + 30min));
    const auto admits = [&](const std::vector<std::string>& secrets) {
        const auto other = open(secrets);
        return other->own_addresses()->admits_put("a.hbs", "text/x", 3, query, now);
    };
    EXPECT_TRUE(admits({"first"}));
    EXPECT_TRUE(admits({"second", "first"}));
    EXPECT_FALSE(admits({"second"}));
    EXPECT_NE(query, query_of(open({"second", "first"})->address_to_put("a.hbs", "text/x", 3, now, now + 30min)));
}

TEST_F(FolderStore, AnAddressHasOneSpelling) {
    const TimePoint now = from_epoch_ms(1'780'000'000'000);
    const storage::OwnAddresses& addresses = *store->own_addresses();
    const std::string query = query_of(store->address_to_get("a.hbs", now, now + 30min));
    ASSERT_TRUE(addresses.admits_get("a.hbs", query, now));
    EXPECT_TRUE(addresses.admits_get("a.hbs", query, now + 30min - 1ms));
    EXPECT_FALSE(addresses.admits_get("a.hbs", query, now + 30min));
    EXPECT_FALSE(addresses.admits_put("a.hbs", "", 0, query, now));
    EXPECT_FALSE(addresses.admits_get("b.hbs", query, now));
    EXPECT_FALSE(addresses.admits_get("../a.hbs", query, now));
    const auto amp = query.find('&');
    const std::string signature = query.substr(amp + 1);
    for (const std::string& other :
         {std::string(), "?" + query, query + "&", "&" + query, query + "=", signature + "&" + query.substr(0, amp),
          "expires=0" + query.substr(8), "expires=+" + query.substr(8), "expires=9" + query.substr(8),
          "expires=-" + query.substr(8), "expires=99999999999999999999&" + signature, "expires=&" + signature,
          "Expires" + query.substr(7), query + "&a=b", query.substr(0, amp),
          query.substr(0, amp) + "&signature=", "a=b&" + query, query.substr(0, query.size() - 1), query + "A"})
        EXPECT_FALSE(addresses.admits_get("a.hbs", other, now)) << other;
    for (std::size_t i = 0; i < query.size(); ++i) {
        std::string altered = query;
        altered[i] = altered[i] == 'A' ? 'B' : 'A';
        EXPECT_FALSE(addresses.admits_get("a.hbs", altered, now)) << altered;
    }
}

}  // namespace
}  // namespace consentry::tests
