#include "app/commands/manual.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/settings_file.hpp"
#include "app/config/settings.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

// troff takes a backslash and a dash for its own, and a line that begins with a dot or a quote for a request.
std::string roff(std::string_view text) {
    std::string out;
    bool begins_line = true;
    for (const char c : text) {
        if (begins_line && (c == '.' || c == '\'')) out += "\\&";
        begins_line = c == '\n';
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == '`')
            continue;  // marks what is typed; a terminal shows it as it stands
        else
            out += c;
    }
    return out;
}

// Names of pages have dashes where command lines have blanks.
std::string page_of(std::string_view command) {
    std::string out(command);
    std::ranges::replace(out, ' ', '-');
    return out;
}

std::string head(std::string_view page, int section, std::string_view version, std::string_view says) {
    return fmt::format(".TH {} {} \"\" \"Consentry {}\" \"Consentry manual\"\n.SH NAME\n{} \\- {}\n",
                       to_upper_ascii(roff(page)), section, roff(version), roff(page), roff(says));
}

std::string synopsis(const OutlinedCommand& command) {
    std::string out = fmt::format(".B {}\n", roff(command.name));
    for (const OutlinedOption& option : command.options) {
        std::string text = option.is_argument() ? fmt::format("\\fI{}\\fR", roff(option.name))
                           : option.value.empty()
                               ? fmt::format("\\fB{}\\fR", roff(option.name))
                               : fmt::format("\\fB{}\\fR \\fI{}\\fR", roff(option.name), option.value);
        out += option.is_required ? text + "\n" : "[" + text + "]\n";
    }
    if (!command.commands.empty()) out += "\\fIcommand\\fR\n";
    return out;
}

std::string options_of(const OutlinedCommand& command) {
    std::string out;
    for (const OutlinedOption& option : command.options) {
        out += ".TP\n";
        out += option.is_argument() ? fmt::format("\\fI{}\\fR", roff(option.name))
                                    : fmt::format("\\fB{}\\fR", roff(option.name));
        if (!option.is_argument() && !option.value.empty()) out += fmt::format(" \\fI{}\\fR", option.value);
        out += "\n" + roff(option.says) + ".\n";
        if (!option.choices.empty())
            out += fmt::format("One of {}.\n", roff(fmt::to_string(fmt::join(option.choices, ", "))));
    }
    return out;
}

constexpr std::string_view common = R"(.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
The command failed, what it verified is not in order, or its results could not be written.
.TP
.B 2
Wrong usage or settings. Nothing was done.
.SH OUTPUT
Results go to standard output, everything else to standard error.
At a terminal, results are tables with headings; otherwise, lines with tabs between the fields.
.B \-\-json
prints JSON.
)";

// A package has a file of settings in a fixed place.
std::string_view place_of_settings() { return settings_file().is_absolute() ? "" : " in the working directory"; }

std::string program_page(const OutlinedCommand& program, std::string_view version) {
    std::string out = head(program.name, 1, version, "authentication and consent server");
    out += ".SH SYNOPSIS\n" + synopsis(program);
    out +=
        ".SH DESCRIPTION\nConsentry signs users up, logs them in, keeps their sessions, and records which terms they "
        "accepted.\n.B consentry serve\nruns the service. The other commands manage it, even while it runs.\n";
    out += ".SH COMMANDS\n";
    for (const OutlinedCommand& command : program.commands)
        out += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(command.own_name()), roff(command.says));
    out += ".SH OPTIONS\n" + options_of(program) + std::string(common);
    out += R"(.SH ENVIRONMENT
Settings are environment variables; see
.BR consentry.env (5).
.TP
.B NO_COLOR
If it is set and not empty, the output has no colors.
)";
    out += fmt::format(".SH FILES\n.TP\n.I {}\nThe settings file{}, unless\n.B \\-\\-env\\-file\nnames another one.\n",
                       roff(settings_file().string()), place_of_settings());
    out += ".SH SEE ALSO\n";
    for (const OutlinedCommand& command : program.commands)
        out += fmt::format(".BR {} (1),\n", roff(page_of(command.name)));
    return out + ".BR consentry.env (5)\n";
}

std::string command_page(const OutlinedCommand& command, std::string_view version) {
    std::string out = head(page_of(command.name), 1, version, command.says);
    out += ".SH SYNOPSIS\n";
    for_each_command(command, [&](const OutlinedCommand& one) {
        if (one.commands.empty() || one.options.size() > 1) out += synopsis(one) + ".br\n";  // every command has --help
    });
    out += ".SH DESCRIPTION\n" + roff(command.says) + ".\n";
    if (command.commands.empty() || command.options.size() > 1) out += ".SH OPTIONS\n" + options_of(command);
    if (!command.commands.empty()) out += ".SH COMMANDS\n";
    for_each_command(command, [&](const OutlinedCommand& one) {
        if (one.name == command.name || !one.commands.empty()) return;
        out += fmt::format(".SS {}\n{}.\n{}", roff(one.name), roff(one.says), options_of(one));
    });
    return out + std::string(common) + ".SH SEE ALSO\n.BR consentry (1),\n.BR consentry.env (5)\n";
}

std::string settings_page(std::string_view version) {
    std::string out = head("consentry.env", 5, version, "settings of consentry");
    out += fmt::format(R"(.SH DESCRIPTION
Each setting is an environment variable. Consentry also reads lines
.I NAME=value
from the settings file{},
.IR {} .
Environment variables take precedence. A value may be in single or double quotes.
.B consentry config check
checks whether the service would start with the settings.
.SH SETTINGS
)",
                       place_of_settings(), roff(settings_file().string()));
    std::string_view group;
    for (const SettingSpec& setting : settings()) {
        if (setting.group != group) out += fmt::format(".SS {}\n", roff(setting.group));
        group = setting.group;
        out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(setting.name), roff(setting.description));
        if (!setting.type.allowed.empty()) out += fmt::format(".br\nMust be {}.\n", roff(setting.type.allowed));
        if (!setting.default_text.empty()) out += fmt::format(".br\nDefault: {}\n", roff(setting.default_text));
    }
    return out + ".SH SEE ALSO\n.BR consentry (1)\n";
}

}  // namespace

std::vector<ManualPage> manual_pages(const OutlinedCommand& program, std::string_view version) {
    std::vector<ManualPage> out{{"consentry.1", program_page(program, version)},
                                {"consentry.env.5", settings_page(version)}};
    for (const OutlinedCommand& command : program.commands)
        out.push_back({page_of(command.name) + ".1", command_page(command, version)});
    return out;
}

}  // namespace consentry
