// Tests kill -9 at every call to the database and the store during a publication. What is left is either a draft or a
// published document, and the sweeper removes stray objects (DOC-4, STO-2).
#include <csignal>

#include "tests/support/calls/policy_calls.hpp"
#include "tests/support/process.hpp"

namespace consentry::tests {
namespace {

const std::vector<std::string> all_languages{"de", "en", "es", "fr", "id", "ja"};

class PublicationCrash : public ::testing::Test {
protected:
    // Runs the publisher as a second process on the folder of the service.
    ExitStatus publish_until(const std::string& id, int call) {
        const std::string now = std::to_string(epoch_ms(service_.clock().now()));
        Program program(CONSENTRY_INTERRUPTED_PUBLISHER, {id, now, std::to_string(call)}, service_.folder(),
                        quick_settings({{"DATA_DIR", (service_.folder() / "data").string()}}));
        const ExitStatus ended = program.wait();
        said_ = program.out() + program.err();
        return ended;
    }
    void expect_whole(const std::string& id, int version) {
        EXPECT_EQ(desk_.status(id), "published");
        const auto texts = texts_in(all_languages);
        for (const auto& [language, text] : texts)
            EXPECT_EQ(stored_object(service_, "public", draft_key("privacy", version, language)), text) << language;
    }
    std::size_t rows(const std::string& table) {
        return std::stoul(service_.sql("SELECT COUNT(*) FROM " + table)[0][0]);
    }

    Service service_{{{"MAIL_URL", "smtp://127.0.0.1:1?tls=none"}}};
    PolicyDesk desk_{service_};
    std::string said_;
};

using DOC_4 = PublicationCrash;

TEST_F(DOC_4, KilledAtAnyCallItHasPublishedAllOrNothing) {
    int call = 0;
    bool decided = false;
    for (;; ++call) {
        SCOPED_TRACE(call);
        const int version = call + 1;
        const std::string id = desk_.draft("privacy", version, texts_in(all_languages));
        const ExitStatus ended = publish_until(id, call);
        if (ended.signal != SIGKILL) {
            EXPECT_EQ(ended.code, 0) << said_;
            expect_whole(id, version);
            break;
        }
        if (desk_.status(id) == "published") {
            decided = true;  // the sweeper does what was left to do
            expect_whole(id, version);
            continue;
        }
        ASSERT_EQ(desk_.status(id), "draft");
        ASSERT_FALSE(decided) << "nothing of the publication comes after the decision";
        // Counts this document only, because the service keeps working off the announcements of earlier rounds.
        EXPECT_EQ(rows("term_policy_announcements WHERE term_policy_id = '" + id + "'"), 0U);
        EXPECT_TRUE(service_.sql("SELECT id FROM term_policies WHERE id = '" + id + "' AND content_hashes IS NOT NULL")
                        .empty());
        if (call % 2 == 0) {
            EXPECT_EQ(desk_.publish(id).status, 200U) << "at once";
            expect_whole(id, version);
        } else {
            // The draft is given up, and nothing of it stays.
            service_.pass(std::chrono::hours{1});
            EXPECT_EQ(desk_.erase(id).status, 200U);
            desk_.sweep();
            for (const std::string& language : all_languages)
                for (const char* area : {"private", "public"})
                    EXPECT_EQ(stored_object(service_, area, draft_key("privacy", version, language)), std::nullopt)
                        << area << " " << language;
        }
    }
    EXPECT_GE(call, 20);
    service_.pass(std::chrono::hours{24});
    desk_.sweep();
    EXPECT_EQ(rows("loose_objects"), 0U);
    EXPECT_EQ(stored_objects(service_, "private"), 0U);
    EXPECT_EQ(stored_objects(service_, "public"), 6 * rows("term_policies WHERE status = 'published'"));
}

}  // namespace
}  // namespace consentry::tests
