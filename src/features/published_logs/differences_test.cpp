// Every edit of one copy is found and gets its right name, whichever copy it is.
#include "features/published_logs/differences.hpp"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

namespace consentry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Leaves = std::vector<std::optional<tlog::Hash>>;

tlog::Hash leaf(std::uint64_t number) { return tlog::leaf_hash(as_bytes(std::to_string(number))); }

struct Copies {
    explicit Copies(std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) database.emplace_back(leaf(i));
        bundles = tiles = database;
        for (const auto& one : database) signed_tree.append(*one);
    }
    // The rows behind the end of the log are those that the edit has moved there.
    std::vector<std::string> findings() const {
        LogDifferences differences;
        for (std::size_t i = 0; i < bundles.size(); ++i)
            differences.add({i < database.size() ? database[i] : std::nullopt, bundles[i], tiles[i]});
        for (std::size_t i = bundles.size(); i < database.size(); ++i)
            if (database[i]) differences.add_behind(static_cast<std::int64_t>(i), *database[i], i < waiting);
        std::vector<std::string> out;
        for (const LogFinding& one : differences.findings(signed_tree.root())) out.push_back(one.text);
        return out;
    }
    Leaves database, bundles, tiles;
    tlog::CompactRange signed_tree;
    std::size_t waiting = 0;
};

TEST(LogDifferences, NamesEachKindOfEdit) {
    EXPECT_THAT(Copies(0).findings(), IsEmpty());
    EXPECT_THAT(Copies(9).findings(), IsEmpty());

    Copies altered(9);
    altered.database[4] = leaf(100);
    EXPECT_THAT(altered.findings(), ElementsAre("Entry 4 was altered in the database."));

    Copies missing(9);
    missing.database[8] = std::nullopt;
    EXPECT_THAT(missing.findings(), ElementsAre("Entry 8 is missing from the database."));

    Copies swapped(9);
    std::swap(swapped.database[2], swapped.database[5]);
    EXPECT_THAT(swapped.findings(),
                ElementsAre("Entry 5 is at position 2 in the database.", "Entry 2 is at position 5 in the database."));

    Copies inserted(4);
    inserted.database.insert(inserted.database.begin() + 2, leaf(100));
    EXPECT_THAT(inserted.findings(),
                ElementsAre("The database has an entry at position 2 that is not in the log.",
                            "Entry 2 is at position 3 in the database.", "Entry 3 is at position 4 in the database."));

    Copies closed_up(4);
    closed_up.database.erase(closed_up.database.begin() + 1);
    EXPECT_THAT(closed_up.findings(),
                ElementsAre("Entry 2 is at position 1 in the database.", "Entry 1 is missing from the database.",
                            "Entry 3 is at position 2 in the database."));

    Copies appended(4);
    appended.database.emplace_back(leaf(100));
    EXPECT_THAT(appended.findings(), ElementsAre("The database has an entry at position 4, where the log has none."));
    appended.waiting = 5;
    EXPECT_THAT(appended.findings(), IsEmpty()) << "it waits for its publication";
}

TEST(LogDifferences, TellsWhichCopyWasEdited) {
    Copies objects(9);
    objects.bundles[3] = leaf(100);
    objects.tiles[4] = leaf(101);
    EXPECT_THAT(objects.findings(), ElementsAre("The entries in the object store differ from entry 3.",
                                                "The hashes in the object store differ from entry 4."));
    // Two against one, and the signed root decides for the one.
    Copies both(9);
    both.bundles[3] = both.tiles[3] = leaf(100);
    EXPECT_THAT(both.findings(), ElementsAre("The entries in the object store differ from entry 3.",
                                             "The hashes in the object store differ from entry 3."));
    // No copy is whole.
    Copies all(9);
    all.database[1] = leaf(100);
    all.bundles[2] = leaf(101);
    all.tiles[3] = leaf(102);
    EXPECT_THAT(all.findings(), ElementsAre("Entry 1 was altered in the database.",
                                            "The entries in the object store differ from entry 2.",
                                            "The hashes in the object store differ from entry 3."));
    // Objects that could not be read are absent; they are no evidence.
    Copies unread(9);
    for (std::size_t i = 0; i < 9; ++i) unread.bundles[i] = std::nullopt;
    EXPECT_THAT(unread.findings(), IsEmpty());
    unread.database[1] = leaf(100);
    EXPECT_THAT(unread.findings(), ElementsAre("Entry 1 was altered in the database."));
}

TEST(LogDifferences, FindsEveryOneOfThousandsOfRandomEdits) {
    std::mt19937_64 random(17);
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    for (int round = 0; round < 10'000; ++round) {
        Copies copies(1 + below(40));
        Leaves& rows = copies.database;
        const auto place = static_cast<std::ptrdiff_t>(below(rows.size()));
        switch (below(6)) {
            case 0:
                rows[static_cast<std::size_t>(place)] = leaf(1'000 + below(1'000));
                break;
            case 1:
                rows[static_cast<std::size_t>(place)] = std::nullopt;
                break;
            case 2:
                rows.insert(rows.begin() + place, leaf(1'000 + below(1'000)));
                break;
            case 3:
                rows.erase(rows.begin() + place);
                break;
            case 4:
                rows.resize(static_cast<std::size_t>(place));
                break;
            default:
                std::ranges::rotate(rows, rows.begin() + place);
                if (place == 0) rows.front() = std::nullopt;
        }
        ASSERT_FALSE(copies.findings().empty()) << "round " << round;
    }
}

TEST(LogDifferences, KnowsTheRootOfAnEarlierSize) {
    const Copies copies(9);
    LogDifferences differences(5);
    tlog::CompactRange five;
    for (std::size_t i = 0; i < 9; ++i) {
        differences.add({copies.database[i], copies.bundles[i], copies.tiles[i]});
        if (i < 5) five.append(leaf(i));
    }
    EXPECT_EQ(differences.root_at(), five.root());
    EXPECT_TRUE(differences.knows(copies.signed_tree.root()));
    EXPECT_FALSE(differences.knows(five.root()));
}

}  // namespace
}  // namespace consentry
