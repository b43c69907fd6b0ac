// The archive of a bundle with many members, and that making it leaves the thread to others now and then.
#include "features/consent_proof/bundle_stream.hpp"

#include <algorithm>
#include <functional>

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "features/consent_proof/bundle_names.hpp"
#include "tests/support/run.hpp"

namespace consentry {
namespace {

using tests::run_on;

constexpr std::size_t proofs = 20'000;

// As a filtered bundle has them: many proofs in their order, and around them texts in any order.
BundleMembers some_members() {
    BundleMembers out;
    const auto add = [&](const std::string& name) {
        out.push_back(make_member(name, BundleMember::Source::text, "of " + name));
    };
    for (const std::string_view name : {bundle::readme, bundle::checkpoint, bundle::verifier}) add(std::string(name));
    for (int i = 0; i < 300; ++i) add(bundle::document_name(crypto::sha256(std::to_string(i))));
    for (std::size_t i = 0; i < proofs; ++i) add(bundle::proof_name(i));
    for (int i = 300; i < 600; ++i) add(bundle::document_name(crypto::sha256(std::to_string(i))));
    add(std::string(bundle::addenda));
    return out;
}

std::string manifest_of(const crypto::Sha256& sums) { return "signed: " + to_hex(sums) + "\n"; }

std::string sorted_archive(BundleMembers members) {
    const auto name = [](const BundleMember& member) -> const std::string& { return member.zip.name; };
    std::ranges::sort(members, {}, name);
    std::string lines;
    for (const BundleMember& member : members) lines += bundle::sums_line(member.digest, member.zip.name);
    members.push_back(make_member(std::string(bundle::sums), BundleMember::Source::text, lines));
    members.push_back(
        make_member(std::string(bundle::manifest), BundleMember::Source::text, manifest_of(crypto::sha256(lines))));
    std::ranges::sort(members, {}, name);
    std::string out;
    std::string directory;
    for (const BundleMember& member : members) {
        directory += zip_directory_record(member.zip, out.size());
        out += zip_local_header(member.zip) + member.text;
    }
    const std::uint64_t end = out.size();
    return out + directory + zip_end(members.size(), end, directory.size());
}

TEST(BundleStream, IsTheArchiveOfItsMembersInTheirOrder) {
    boost::asio::io_context context{1};
    BundleStream stream(nullptr);
    run_on(context, stream.prepare(some_members(), manifest_of, {}));
    std::string archive;
    while (const auto piece = run_on(context, stream.next())) archive += *piece;
    EXPECT_EQ(archive.size(), stream.size());
    EXPECT_TRUE(archive == sorted_archive(some_members()));
}

TEST(BundleStream, LeavesTheThreadToOthersBetweenPortions) {
    boost::asio::io_context context{1};
    std::size_t steps = 0;
    std::size_t turns = 0;
    bool is_prepared = false;
    const std::function<void()> take_turn = [&] {
        if (is_prepared) return;
        ++turns;
        boost::asio::post(context, take_turn);
    };
    boost::asio::post(context, take_turn);
    BundleStream stream(nullptr);
    const auto prepare = [&]() -> boost::asio::awaitable<void> {
        co_await stream.prepare(some_members(), manifest_of, [&] { ++steps; });
        is_prepared = true;
    };
    run_on(context, prepare());
    EXPECT_GE(steps, 4 * proofs / 1'000) << "for the runs, their merging, the sums and the offsets";
    EXPECT_GE(turns, steps);
}

}  // namespace
}  // namespace consentry
