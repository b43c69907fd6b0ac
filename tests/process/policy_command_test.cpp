// `consentry policy`: its arguments and output, and their effect on a running service.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "base/locales.hpp"
#include "crypto/digest.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program_people.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wanted.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> types{"termsOfService", "privacy", "marketing", "cookies"};

std::string hash_of(std::string_view bytes) { return to_hex(crypto::sha256(bytes)); }
long lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

const std::regex placeholder(R"(\{\{(\w+)\}\})");

std::set<std::string> placeholders_of(const std::string& text) {
    std::set<std::string> out;
    for (std::sregex_iterator found(text.begin(), text.end(), placeholder), end; found != end; ++found)
        out.insert((*found)[1]);
    return out;
}
std::string filled(const std::string& text, const json::object& values) {
    std::string out;
    std::string rest = text;
    for (std::smatch found; std::regex_search(rest, found, placeholder); rest = found.suffix())
        out += found.prefix().str() + json::value_to<std::string>(values.at(found[1].str()));
    return out + rest;
}

class PolicyCommand : public ::testing::Test {
protected:
    PolicyCommand() { make_data(folder_.path()); }
    Finished policy(std::vector<std::string> arguments, const Settings& more = {}) const {
        arguments.insert(arguments.begin(), "policy");
        return run_program(arguments, folder_.path(), quick_settings(more));
    }
    void write(const std::string& place, const std::string& text) const {
        const fs::path file = folder_.path() / "texts" / place;
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }
    // Imports the folder "texts" and expects success.
    std::string import() const {
        const Finished done = policy({"import", "texts"});
        EXPECT_EQ(done.code, 0) << done.out << done.err;
        return done.out;
    }
    std::string list() const {
        const Finished done = policy({"list"});
        EXPECT_EQ(done.code, 0) << done.err;
        return done.out;
    }
    void publish(const std::string& type, int version) const {
        const Finished done = policy({"publish", type, std::to_string(version)});
        EXPECT_EQ(done.code, 0) << done.err;
    }
    fs::path stored(const std::string& area, const std::string& place) const {
        return folder_.path() / "data" / "storage" / area / "term-policies" / place;
    }

    const TempFolder folder_;
};

TEST_F(PolicyCommand, TheExampleDocumentsAreImportedAndPublishedWhole) {
    const fs::path examples = fs::path(CONSENTRY_DOCS) / "examples" / "policies";
    const Finished imported = policy({"import", examples.string()});
    EXPECT_EQ(imported.code, 0) << imported.out << imported.err;
    EXPECT_EQ(lines_of(imported.out), 24);
    EXPECT_THAT(imported.err, AllOf(Not(HasSubstr("unfilled")), Not(HasSubstr("no text uses"))));
    const json::object values = json::parse(text_in(examples / "values.json")).as_object();
    for (const std::string& type : types) {
        const Finished published = policy({"publish", type, "1"});
        EXPECT_EQ(published.code, 0) << published.err;
        std::set<std::string> of_english;
        for (const std::string_view language : language_names) {
            const std::string file = std::string(language) + ".hbs";
            const std::string source = text_in(examples / type / "1" / file);
            const std::string text = filled(source, values);
            EXPECT_FALSE(text.contains("{{")) << type << " " << language;
            EXPECT_THAT(published.out, HasSubstr(std::string(language) + "\t" + hash_of(text) + "\thttp"));
            EXPECT_EQ(text_in(stored("public", type + "/1/" + file)), text);
            const std::set<std::string> placeholders = placeholders_of(source);
            EXPECT_GT(placeholders.size(), 3U) << type << " " << language;
            if (language == "en") of_english = placeholders;
            EXPECT_EQ(placeholders, of_english) << type << " " << language;
        }
    }
    EXPECT_EQ(lines_of(list()), 4);
    EXPECT_THAT(list(), HasSubstr("privacy\t1\tlatest\ten,id,es,fr,de,ja\t20"));
}

TEST_F(PolicyCommand, TellsAllThatIsWrongAndImportsNothing) {
    write("privacy/1/en.hbs", "published");
    import();
    publish("privacy", 1);

    write("README.md", "beside the types: nobody's business");
    write(".git/config", "hidden");
    write("termsOfService/1/en.hbs", "well");
    write("privacy/1/en.hbs", "other bytes");
    write("privacy/1/de.hbs", "another language");
    write("termOfService/1/en.hbs", "unknown type");
    write("privacy/v2/en.hbs", "not a version");
    write("privacy/0/en.hbs", "not a version");
    write("privacy/01/en.hbs", "not a version");
    write("privacy/1000000000/en.hbs", "not a version");
    write("privacy/-1/en.hbs", "not a version");
    write("privacy/en.hbs", "not a version");
    write("cookies/1/xx.hbs", "no language");
    write("cookies/1/EN.hbs", "no language");
    write("cookies/1/de.html", "no language");
    write("cookies/1/en.hbs/x", "no file");
    write("cookies/2/en.hbs", "");
    write("cookies/2/de.hbs", std::string(1'048'577, 'x'));
    write("cookies/2/fr.hbs", "caf\xE9");
    write("cookies/2/es.hbs", std::string("a\0b", 3));
    fs::create_directories(folder_ / "texts/marketing/1");

    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"import", "texts", "--dry-run"}, {"import", "texts"}}) {
        const Finished refused = policy(command);
        EXPECT_EQ(refused.code, 1);
        EXPECT_THAT(refused.err, HasSubstr("nothing was imported"));
        for (const char* place :
             {"privacy/1/en.hbs: ", "privacy/1/de.hbs: ", "termOfService: ", "privacy/v2: ", "privacy/0: ",
              "privacy/01: ", "privacy/1000000000: ", "privacy/-1: ", "privacy/en.hbs: ", "cookies/1/xx.hbs: ",
              "cookies/1/EN.hbs: ", "cookies/1/de.html: ", "cookies/1/en.hbs: ", "cookies/2/en.hbs: ",
              "cookies/2/de.hbs: ", "cookies/2/fr.hbs: ", "cookies/2/es.hbs: ", "marketing/1: "})
            EXPECT_THAT("\n" + refused.out, HasSubstr(std::string("\n") + place));
        EXPECT_EQ(lines_of(refused.out), 18) << refused.out;
        EXPECT_EQ(lines_of(list()), 1) << "the published one";
        EXPECT_FALSE(fs::exists(stored("private", "termsOfService")));
    }
}

TEST_F(PolicyCommand, ALargestTextAndOneOfOneByteAreTaken) {
    write("cookies/1/en.hbs", std::string(1'048'576, 'x'));
    write("cookies/999999999/ja.hbs", "x");
    EXPECT_EQ(import(), "cookies/1/en.hbs\tcreated\ncookies/999999999/ja.hbs\tcreated\n");
}

TEST_F(PolicyCommand, ADraftGetsWhatDiffersAndWhatIsPublishedStays) {
    write("privacy/1/en.hbs", "one");
    write("privacy/1/de.hbs", "eins");
    write("privacy/1/fr.hbs", "un");
    EXPECT_EQ(import(), "privacy/1/en.hbs\tcreated\nprivacy/1/fr.hbs\tcreated\nprivacy/1/de.hbs\tcreated\n");
    EXPECT_EQ(import(), "privacy/1/en.hbs\tunchanged\nprivacy/1/fr.hbs\tunchanged\nprivacy/1/de.hbs\tunchanged\n");

    write("privacy/1/de.hbs", "Eins");
    write("privacy/1/ja.hbs", "\xE4\xB8\x80");
    fs::remove(folder_ / "texts/privacy/1/fr.hbs");
    const std::string changed =
        "privacy/1/en.hbs\tunchanged\nprivacy/1/de.hbs\tupdated\nprivacy/1/ja.hbs\tadded\nprivacy/1/fr.hbs\tkept\n";
    EXPECT_EQ(policy({"import", "texts", "--dry-run"}).out, changed);
    EXPECT_EQ(text_in(stored("private", "privacy/1/de.hbs")), "eins");
    EXPECT_EQ(import(), changed);
    publish("privacy", 1);
    EXPECT_EQ(text_in(stored("public", "privacy/1/de.hbs")), "Eins");
    EXPECT_EQ(text_in(stored("public", "privacy/1/fr.hbs")), "un");

    write("privacy/2/en.hbs", "two");
    EXPECT_THAT(import(), AllOf(HasSubstr("privacy/1/de.hbs\tpublished\n"), HasSubstr("privacy/2/en.hbs\tcreated\n")));
    EXPECT_THAT(list(),
                AllOf(HasSubstr("privacy\t1\tlatest\ten,fr,de,ja\t20"), HasSubstr("privacy\t2\tdraft\ten\t-\n")));
}

TEST_F(PolicyCommand, PlaceholdersAreFilledFromTheFileAndTheSettings) {
    const Settings settings{{"HOME_NAME", "Settings Ltd"}, {"EMAIL_SUPPORT", "help@example.org"}};
    write("values.json", R"({"companyName": "Müller & <Söhne>", "nested": "{{a}}", "none": ""})");
    write("privacy/1/en.hbs",
          "{{companyName}}, {{ companyName\t}}; {{homeName}}, {{supportEmail}}; [{{none}}] {x} { {y} } {{ or "
          "{{homeName}}");
    write("privacy/1/de.hbs", "{{companyName}}");
    const Finished imported = policy({"import", "texts"}, settings);
    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_EQ(imported.out, "privacy/1/en.hbs\tcreated\nprivacy/1/de.hbs\tcreated\n");
    EXPECT_THAT(imported.err,
                AllOf(HasSubstr("warning: no text uses the value of nested\n"), Not(HasSubstr("unfilled"))));
    const std::string english =
        "Müller & <Söhne>, Müller & <Söhne>; Settings Ltd, help@example.org; [] {x} { {y} } {{ or Settings Ltd";
    EXPECT_EQ(text_in(stored("private", "privacy/1/en.hbs")), english) << "plain text: nothing is escaped";
    const Finished published = policy({"publish", "privacy", "1"});
    EXPECT_THAT(published.out, HasSubstr("en\t" + hash_of(english) + "\thttp"));
    EXPECT_EQ(text_in(stored("public", "privacy/1/de.hbs")), "Müller & <Söhne>");

    EXPECT_THAT(policy({"import", "texts"}, settings).out, HasSubstr("privacy/1/en.hbs\tpublished\n"));
    write("values.json", R"({"companyName": "Other Ltd", "none": ""})");
    const Finished changed = policy({"import", "texts"}, settings);
    EXPECT_EQ(changed.code, 1) << "a published text is not changed by a value either";
    EXPECT_THAT(changed.out, HasSubstr("privacy/1/en.hbs: "));
}

TEST_F(PolicyCommand, AFileOfValuesThatIsNamedReplacesTheOneInTheFolderAndComesBeforeTheSettings) {
    const Settings settings{{"HOME_NAME", "Settings Ltd"}};
    write("values.json", R"({"homeName": "of the folder", "companyName": "of the folder"})");
    write("../mine.json", R"({"homeName": "named"})");
    write("privacy/1/en.hbs", "{{homeName}}, {{companyName}}");
    EXPECT_EQ(policy({"import", "texts"}, settings).code, 0);
    EXPECT_EQ(text_in(stored("private", "privacy/1/en.hbs")), "of the folder, of the folder");
    const Finished named = policy({"import", "texts", "--values", "mine.json"}, settings);
    EXPECT_EQ(named.code, 0) << named.err;
    EXPECT_EQ(text_in(stored("private", "privacy/1/en.hbs")), "named, {{companyName}}");
}

TEST_F(PolicyCommand, APlaceholderWithoutAValueStaysInTheDraftAndIsTold) {
    write("values.json", R"({"known": "value"})");
    write("privacy/1/en.hbs", "{{known}} {{companyName}} {{supportEmail}} {{companyName}}");
    write("privacy/1/fr.hbs", "{{known}}");
    write("privacy/1/de.hbs", "{{{known}}} {{#if known}}{{> x}}{{/if}} {{1st}} {{}}");
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"import", "texts", "--dry-run"}, {"import", "texts"}}) {
        const Finished imported = policy(command);
        EXPECT_EQ(imported.code, 0) << "the draft may still be changed";
        EXPECT_EQ(lines_of(imported.out), 3);
        EXPECT_THAT(imported.err,
                    AllOf(HasSubstr("warning: privacy/1/en.hbs: unfilled {{companyName}}, {{supportEmail}}; "),
                          HasSubstr("warning: privacy/1/de.hbs: unfilled {{known}}, {{#if known}}, {{> x}}, {{/if}}, "
                                    "{{1st}}, {{}}; "),
                          Not(HasSubstr("privacy/1/fr.hbs: unfilled"))));
    }
    EXPECT_EQ(text_in(stored("private", "privacy/1/en.hbs")), "value {{companyName}} {{supportEmail}} {{companyName}}");
}

TEST_F(PolicyCommand, DOC_10_ATextWithAnUnfilledPlaceholderIsNotPublished) {
    write("privacy/1/en.hbs", "{{companyName}}, {{> footer}}");
    write("privacy/1/de.hbs", "Fertig");
    import();
    const Finished refused = policy({"publish", "privacy", "1"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, AllOf(HasSubstr("en: unfilled {{companyName}}, {{> footer}}\n"),
                                   Not(HasSubstr("consentry: de: ")), HasSubstr("placeholders")));
    EXPECT_THAT(list(), HasSubstr("\tdraft\t"));
    EXPECT_FALSE(fs::exists(stored("public", "privacy")));

    write("privacy/1/en.hbs", "{{companyName}}");
    write("values.json", R"({"companyName": "Example Ltd"})");
    EXPECT_EQ(import(), "privacy/1/en.hbs\tupdated\nprivacy/1/de.hbs\tunchanged\n");
    publish("privacy", 1);
    EXPECT_EQ(text_in(stored("public", "privacy/1/en.hbs")), "Example Ltd");
}

TEST_F(PolicyCommand, ValuesThatCannotBeReadImportNothing) {
    write("privacy/1/en.hbs", "{{companyName}}");
    for (const std::string values : {"", "{", "[]", "null", R"("text")", R"({"a": 1})", R"({"a": null})",
                                     R"({"a": {"b": "c"}})", R"({"a": ["b"]})", R"({"a": "b", "a": "c"})",
                                     R"({"a": "b"} x)", R"({'a': 'b'})", "{\"a\": \"\xFF\"}", "{\"a\": \"b\",}"}) {
        write("values.json", values);
        const Finished refused = policy({"import", "texts"});
        EXPECT_EQ(refused.code, 2) << values;
        EXPECT_EQ(refused.out, "");
        EXPECT_THAT(refused.err, HasSubstr("texts/values.json: ")) << values;
    }
    write("values.json", "{\n\"companyName\": 'Example Ltd'\n}");
    EXPECT_THAT(policy({"import", "texts"}).err, HasSubstr("(line 2)"));
    fs::remove(folder_ / "texts/values.json");
    EXPECT_EQ(policy({"import", "texts", "--values", "nowhere.json"}).code, 2);
    fs::create_directories(folder_ / "texts/values.json");
    EXPECT_EQ(policy({"import", "texts"}).code, 2) << "a folder";
    EXPECT_EQ(list(), "");
}

TEST_F(PolicyCommand, ATextThatItsValuesMakeUnfitIsAProblem) {
    write("values.json", R"({"none": "", "much": ")" + std::string(1'000, 'x') + R"(", "nul": "\u0000"})");
    write("privacy/1/en.hbs", "{{none}}");
    write("privacy/1/fr.hbs", "{{much}}" + std::string(1'047'577, 'x'));
    write("privacy/1/de.hbs", "{{nul}}");
    write("privacy/1/ja.hbs", "{{much}}" + std::string(1'047'576, 'x'));
    const Finished refused = policy({"import", "texts"});
    EXPECT_EQ(refused.code, 1) << refused.err;
    for (const char* place : {"privacy/1/en.hbs: empty", "privacy/1/fr.hbs: larger", "privacy/1/de.hbs: "})
        EXPECT_THAT("\n" + refused.out, HasSubstr(std::string("\n") + place));
    EXPECT_EQ(lines_of(refused.out), 3) << refused.out;
    EXPECT_EQ(list(), "");
}

// Kills the import when a text arrives in the store: each third one, or as many as CONSENTRY_KILL_ROUNDS wants. The
// last kills may also hit the database writes.
TEST_F(PolicyCommand, KilledAnywhereEachDocumentIsWholeOrAbsentAndTheNextRunFinishes) {
    const fs::path texts = folder_.path() / "texts";
    const auto texts_max = static_cast<std::int64_t>(types.size() * language_names.size());
    const std::int64_t step = texts_max / std::clamp<std::int64_t>(wanted("CONSENTRY_KILL_ROUNDS", 8), 1, texts_max);
    std::set<long> left;
    int version = 0;
    std::int64_t text = 0;
    for (const std::string& type : types)
        for (const std::string_view language : language_names) {
            if (++text % step != 0) continue;
            fs::remove_all(texts);
            ++version;
            for (const std::string& each : types)
                for (const std::string_view spoken : language_names)
                    write(each + "/" + std::to_string(version) + "/" + std::string(spoken) + ".hbs", "a text");
            const fs::path moment =
                stored("private", type + "/" + std::to_string(version) + "/" + std::string(language) + ".hbs");
            {
                Program killed({"policy", "import", "texts"}, folder_.path(), quick_settings());
                while (!fs::exists(moment) && killed.err().empty()) std::this_thread::yield();
                killed.send(SIGKILL);
                killed.wait();
            }
            long documents = 0;
            std::istringstream listed(list());
            for (std::string line; std::getline(listed, line);) {
                EXPECT_TRUE(line.contains("\ten,id,es,fr,de,ja\t")) << line;
                documents += line.contains("\t" + std::to_string(version) + "\tdraft");
            }
            left.insert(documents);
            EXPECT_EQ(lines_of(import()), 24);
            EXPECT_EQ(std::ranges::count(list(), '\n'), 4 * version);
        }
    EXPECT_GT(left.size(), 1U) << "no kill met the work";
}

TEST_F(PolicyCommand, AFileThatWasReplacedInTheStoreIsNotPublishedAndImportedAnew) {
    write("privacy/1/en.hbs", "one");
    import();
    std::ofstream(stored("private", "privacy/1/en.hbs")) << "two";
    const Finished refused = policy({"publish", "privacy", "1"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("en: changed"));
    EXPECT_THAT(list(), HasSubstr("\tdraft\t"));
    EXPECT_EQ(import(), "privacy/1/en.hbs\tupdated\n");
    publish("privacy", 1);
    EXPECT_EQ(text_in(stored("public", "privacy/1/en.hbs")), "one");
}

TEST_F(PolicyCommand, PublishingAsksNothingAndHappensOnce) {
    write("cookies/1/en.hbs", "one");
    write("cookies/3/en.hbs", "three");
    import();
    const Finished published = policy({"publish", "cookies", "3"});
    EXPECT_EQ(published.code, 0) << published.err;
    EXPECT_TRUE(published.out.starts_with("en\t" + hash_of("three") + "\thttp")) << published.out;
    EXPECT_TRUE(published.out.ends_with("/term-policies/cookies/3/en.hbs\n")) << published.out;
    const Finished again = policy({"publish", "cookies", "3"});
    EXPECT_EQ(again.code, 1);
    EXPECT_EQ(again.out, "");
    EXPECT_THAT(again.err, HasSubstr("is published"));
    EXPECT_EQ(policy({"publish", "cookies", "2"}).code, 1);

    const Finished older = policy({"publish", "cookies", "1"});
    EXPECT_EQ(older.code, 0) << older.err;
    EXPECT_THAT(older.err, HasSubstr("The latest version is 3"));
    EXPECT_THAT(list(), AllOf(HasSubstr("cookies\t1\tpublished\t"), HasSubstr("cookies\t3\tlatest\t")));
}

TEST_F(PolicyCommand, TheRunningServiceGoesByItAtTheNextRequest) {
    const Person ada = make_person(folder_.path(), "ada@example.org");
    const ServiceProcess service(folder_.path());
    const HttpClient client = service.client();
    const auto token = tokens_of(client, ada).access;
    const auto profile = [&] { return client.get("/api/shared/user/profile", bearer(token)).status; };
    const auto accept = [&] {
        return client.post("/api/shared/user/term-policy/accept", {{"type", "privacy"}}, bearer(token)).status;
    };
    EXPECT_EQ(profile(), 200U);
    write("privacy/1/en.hbs", "one");
    import();
    EXPECT_EQ(profile(), 200U) << "a draft asks nobody";
    publish("privacy", 1);
    EXPECT_EQ(profile(), 403U);
    const Answer text = client.get("/files/public/term-policies/privacy/1/en.hbs");
    EXPECT_EQ(text.status, 200U);
    EXPECT_EQ(text.body, "one");
    EXPECT_EQ(accept(), 200U);
    EXPECT_EQ(profile(), 200U);

    write("privacy/2/en.hbs", "two");
    import();
    EXPECT_EQ(policy({"publish", "privacy", "2", "--preview"}).out, "affectedUsers\t1\nactiveUsers\t1\n");
    EXPECT_EQ(profile(), 200U) << "looking ahead publishes nothing";
    publish("privacy", 2);
    EXPECT_EQ(profile(), 403U);
    EXPECT_EQ(accept(), 200U);
    EXPECT_EQ(profile(), 200U);
}

TEST_F(PolicyCommand, APublicationMayLeaveAcceptancesValidOrGiveTime) {
    for (const char* text : {"privacy/1/en.hbs", "privacy/2/en.hbs", "privacy/3/en.hbs"}) write(text, text);
    import();
    const std::vector<std::string> reason{"--not-material", "Corrects our address"};
    const Finished first = policy({"publish", "privacy", "1", reason[0], reason[1]});
    EXPECT_EQ(first.code, 1);
    EXPECT_THAT(first.err, HasSubstr("first version"));
    const Finished patient = policy({"publish", "privacy", "1", "--grace", "30"});
    EXPECT_EQ(patient.code, 1);
    EXPECT_THAT(patient.err, HasSubstr("cannot have a grace period"));
    publish("privacy", 1);
    for (const std::vector<std::string>& wrong :
         std::vector<std::vector<std::string>>{{"--not-material", ""},
                                               {"--not-material", "two\nlines"},
                                               {"--not-material", "x", "--grace", "3"},
                                               {"--grace", "366"},
                                               {"--not-material", "x", "--preview"}}) {
        std::vector<std::string> command{"publish", "privacy", "2"};
        command.insert(command.end(), wrong.begin(), wrong.end());
        EXPECT_EQ(policy(command).code, 2) << wrong[1];
    }
    EXPECT_EQ(policy({"publish", "privacy", "2", reason[0], reason[1]}).code, 0);
    EXPECT_EQ(policy({"publish", "privacy", "3", "--grace", "30"}).code, 0);
    const ServiceProcess service(folder_.path());
    const json::value list = service.client().get("/api/public/term-policy/list?orderBy=version:asc").json.at("data");
    EXPECT_EQ(list.at(1).at("isMaterial"), false);
    EXPECT_EQ(list.at(1).at("materialReason"), "Corrects our address");
    EXPECT_TRUE(list.at(2).as_object().contains("graceUntil"));
}

TEST_F(PolicyCommand, AProcessingDocumentIsImportedBesideTheTexts) {
    const std::string document =
        R"({"purposes":[{"category":"dpv:Marketing"}],"personalData":[{"category":"pd:EmailAddress"}],)"
        R"("storage":{"duration":"P2Y","locations":["DE"]},"recipients":[],"jurisdictions":["EU"],"rights":[]})";
    write("marketing/1/en.hbs", "text");
    write("marketing/1/processing.json", R"({"purposes":[{"category":"marketing"}]})");
    const Finished refused = policy({"import", "texts"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.out, HasSubstr("marketing/1/processing.json: purposes.0.category: "));
    EXPECT_THAT(refused.out, HasSubstr("marketing/1/processing.json: storage: "));
    write("marketing/1/processing.json", document);
    EXPECT_EQ(import(), "marketing/1/en.hbs\tcreated\nmarketing/1/processing.json\tcreated\n");
    EXPECT_EQ(import(), "marketing/1/en.hbs\tunchanged\nmarketing/1/processing.json\tunchanged\n");
    write("marketing/1/processing.json", std::regex_replace(document, std::regex("P2Y"), "P3Y"));
    EXPECT_EQ(policy({"import", "texts", "--dry-run"}).err,
              "1 of 2 texts and documents would be imported; the others are unchanged\n");
    EXPECT_EQ(import(), "marketing/1/en.hbs\tunchanged\nmarketing/1/processing.json\tupdated\n");
    publish("marketing", 1);
    EXPECT_EQ(import(), "marketing/1/en.hbs\tpublished\nmarketing/1/processing.json\tpublished\n");
    write("marketing/1/processing.json", document);
    const Finished late = policy({"import", "texts"});
    EXPECT_EQ(late.code, 1);
    EXPECT_THAT(late.out, HasSubstr("already published with a different document"));
}

TEST_F(PolicyCommand, ADifferenceIsAlsoThePageThatUsersSee) {
    write("privacy/1/en.hbs", "one\n");
    write("privacy/2/en.hbs", "<b>two</b>\n");
    import();
    publish("privacy", 1);
    publish("privacy", 2);
    const Finished page = policy({"diff", "privacy", "1", "2", "--html"});
    EXPECT_EQ(page.code, 0) << page.err;
    EXPECT_THAT(page.out, HasSubstr("&lt;b&gt;two&lt;/b&gt;"));
    const ServiceProcess service(folder_.path());
    EXPECT_EQ(service.client().get("/api/public/term-policy/diff/privacy/1/2").body, page.out);
}

TEST_F(PolicyCommand, ADifferenceIsShownForDraftsAndPublishedTextsAlike) {
    write("privacy/1/en.hbs", "one\nthe same\n");
    write("privacy/2/en.hbs", "two\nthe same\n\x1B[2Jbell\a \xC2\x9B\ttab\r\n");
    write("privacy/2/de.hbs", "zwei\n");
    import();
    publish("privacy", 1);
    const Finished shown = policy({"diff", "privacy", "1", "2", "--language", "en"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(shown.out,
              "--- privacy/1/en.hbs\n+++ privacy/2/en.hbs\n@@ -1,2 +1,3 @@\n-one\n+two\n the same\n"
              "+\uFFFD[2Jbell\uFFFD \uFFFD\ttab\r\n")
        << "what a terminal would act on is not passed on";
    const Finished same = policy({"diff", "privacy", "2", "2"});
    EXPECT_EQ(same.code, 0);
    EXPECT_EQ(same.out, "");
    const auto expect_refused = [&](const std::vector<std::string>& arguments, const std::string& reason) {
        const Finished refused = policy(arguments);
        EXPECT_EQ(refused.code, 1);
        EXPECT_EQ(refused.out, "");
        EXPECT_THAT(refused.err, HasSubstr(reason));
    };
    expect_refused({"diff", "privacy", "1", "3"}, "consentry: privacy/3 does not exist\n");
    expect_refused({"diff", "cookies", "1", "2"}, "consentry: cookies/1 does not exist\n");
    expect_refused({"diff", "privacy", "1", "2", "--language", "de"}, "consentry: privacy/1/de.hbs\n");
}

TEST_F(PolicyCommand, AStoreThatIsAwayIsToldOnStandardErrorAndLeavesNothingHalfDone) {
    write("privacy/1/en.hbs", "one");
    const auto without_store = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "policy");
        return run_program(arguments, folder_.path(),
                           quick_settings({{"STORAGE_URL", "s3://127.0.0.1:1?tls=none"},
                                           {"AWS_S3_IAM_CREDENTIAL_KEY", "key"},
                                           {"AWS_S3_IAM_CREDENTIAL_SECRET", "secret-of-the-key"},
                                           {"AWS_S3_PRIVATE_BUCKET", "drafts"},
                                           {"AWS_S3_PUBLIC_BUCKET", "published"},
                                           {"AWS_S3_MAX_ATTEMPTS", "1"}}));
    };
    const Finished refused = without_store({"import", "texts"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, AllOf(HasSubstr("S3"), Not(HasSubstr("secret-of-the-key"))));
    const Finished listed = without_store({"list"});
    EXPECT_EQ(listed.code, 0) << listed.err;
    EXPECT_EQ(listed.out, "");
    EXPECT_THAT(listed.err, HasSubstr("STORAGE_URL"));
}

TEST_F(PolicyCommand, WrongUseEndsWithTwo) {
    fs::create_directories(folder_ / "empty");
    EXPECT_EQ(policy({"import", "empty"}).code, 1) << "a folder, but nothing in it";
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"import"},
                                               {"import", "nowhere"},
                                               {"publish", "privacy"},
                                               {"publish", "policy", "1"},
                                               {"publish", "privacy", "0"},
                                               {"publish", "privacy", "one"},
                                               {"publish", "privacy", "1000000000"},
                                               {"diff", "privacy", "1"},
                                               {"diff", "privacy", "1", "2", "--language", "xx"},
                                               {"delete", "privacy", "1"}}) {
        const Finished refused = policy(arguments);
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_EQ(refused.out, "");
        EXPECT_NE(refused.err, "");
    }
}

}  // namespace
}  // namespace consentry::tests
