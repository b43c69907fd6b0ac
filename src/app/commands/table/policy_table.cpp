#include <CLI/CLI.hpp>

#include "app/commands/policy_commands.hpp"
#include "app/commands/table/table.hpp"
#include "features/term_policies/policy.hpp"

namespace consentry {

void add_policy_commands(CLI::App& program, Selected& selected) {
    CLI::App* policy = subcommand(program, "policy", "Manages terms of service and other policies that users accept");
    policy->require_subcommand(1);
    static PolicyOptions options;
    const auto add_type = [](CLI::App& command) {
        command.add_option("type", options.type, "termsOfService, privacy, marketing or cookies")
            ->required()
            ->check(CLI::IsMember(std::vector<std::string>{"termsOfService", "privacy", "marketing", "cookies"}));
    };
    const auto add_version = [](CLI::App& command, const char* name, std::int64_t& version) {
        command.add_option(name, version, "Version number")
            ->required()
            ->check(CLI::Range(std::int64_t{1}, policy_version_max));
    };

    CLI::App* import = subcommand(*policy, "import",
                                  "Creates drafts from all texts in a folder; if any text is invalid, creates none");
    import
        ->add_option("folder", options.folder,
                     "Folder with texts named type/version/language.hbs, and type/version/processing.json")
        ->type_name("FOLDER")
        ->required();
    import
        ->add_option("--values", options.values,
                     "JSON object with the values of {{placeholders}} (default: values.json in the folder)")
        ->type_name("FILE");
    import->add_flag("--dry-run", options.dry_run, "Check the texts and show the planned changes without making them");
    add_json(*import, options.json);
    import->callback([&selected] { selected.run = [] { return import_policies(options); }; });

    CLI::App* publish = subcommand(*policy, "publish", "Publishes a draft permanently; prints its hashes and URLs");
    add_type(*publish);
    add_version(*publish, "version", options.version);
    CLI::Option* preview =
        publish->add_flag("--preview", options.preview, "Only print how many users would have to accept");
    CLI::Option* not_material = publish->add_option(
        "--not-material", options.not_material,
        "The reason why earlier acceptances remain valid, such as a corrected typo; anyone can read it");
    publish
        ->add_option("--grace", options.grace_in_days,
                     "For this many days, users who accepted an earlier version are still admitted")
        ->check(CLI::Range(std::int64_t{0}, grace_days_max))
        ->excludes(not_material);
    preview->excludes(not_material);
    add_json(*publish, options.json);
    publish->callback([&selected] { selected.run = [] { return publish_policy(options); }; });

    CLI::App* list =
        subcommand(*policy, "list",
                   "Lists all policies: type, version, state (draft, published, latest), languages, publication time");
    add_json(*list, options.json);
    list->callback([&selected] { selected.run = [] { return list_policies(options); }; });

    CLI::App* diff = subcommand(*policy, "diff", "Compares the texts of two versions");
    add_type(*diff);
    add_version(*diff, "version", options.version);
    add_version(*diff, "other", options.other_version);
    diff->add_option("--language", options.language, "Language of both texts; default en")
        ->check(CLI::IsMember(std::vector<std::string>(language_names.begin(), language_names.end())));
    diff->add_flag("--html", options.html, "Print the page that shows users what changed");
    diff->callback([&selected] { selected.run = [] { return diff_policies(options); }; });
}

}  // namespace consentry
