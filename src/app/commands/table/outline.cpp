#include "app/commands/table/outline.hpp"

#include <CLI/CLI.hpp>

#include "base/text.hpp"

namespace consentry {
// CLI11 appends the description of validators to the type: "TEXT:{csv,keycloak}", "INT:INT in [1 - 9]".
OutlinedOption outline(const CLI::Option& option) {
    OutlinedOption out{.name = option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front(),
                       .value = {},
                       .choices = {},
                       .says = option.get_description(),
                       .is_required = option.get_required()};
    if (option.get_items_expected_max() == 0) return out;
    const std::string type = option.get_type_name();
    out.value = type.substr(0, type.find(':'));
    const auto open = type.find('{');
    if (open == std::string::npos) return out;
    const std::string list = type.substr(open + 1, type.rfind('}') - open - 1);
    for (const std::string_view choice : split(list, ',')) out.choices.emplace_back(choice);
    return out;
}

namespace {

OutlinedCommand outline_of(const CLI::App& app, const std::string& name) {
    OutlinedCommand out{.name = name, .says = app.get_description(), .options = {}, .commands = {}};
    for (const bool are_arguments : {true, false})
        for (const CLI::Option* option : app.get_options())
            if (!option->get_group().empty() && option->get_positional() == are_arguments)
                out.options.push_back(outline(*option));
    for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
        out.commands.push_back(outline_of(*command, name + " " + command->get_name()));
    return out;
}

}  // namespace

OutlinedCommand outline(const CLI::App& program) { return outline_of(program, "consentry"); }

}  // namespace consentry
