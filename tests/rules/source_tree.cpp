#include "tests/rules/source_tree.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "base/whole_file.hpp"

namespace consentry::rules {
namespace {

namespace fs = std::filesystem;

// Returns the standard output of a command, or nullopt if it fails.
std::optional<std::string> output_of(const char* command) {
    FILE* pipe = popen(command, "r");
    if (pipe == nullptr) return std::nullopt;
    std::string out;
    std::array<char, 4096> part{};
    while (const auto count = std::fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), count);
    if (pclose(pipe) != 0) return std::nullopt;
    return out;
}

std::vector<std::string> files_by_walking() {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(".")) {
        const std::string name = entry.path().filename().string();
        const bool ignored = name == ".git" || name == "build" || name.starts_with("build-") || name == "data" ||
                             name == "logs" || name == "generated" || name == ".env";
        if (ignored) continue;
        if (entry.is_regular_file()) out.push_back(name);
        if (entry.is_directory()) std::ranges::copy(files_below(name), std::back_inserter(out));
    }
    std::ranges::sort(out);
    return out;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::vector<std::string> files_below(const std::string& folder) {
    std::vector<std::string> out;
    if (!fs::is_directory(folder)) return out;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) out.push_back(entry.path().generic_string());
    std::ranges::sort(out);
    return out;
}

std::vector<std::string> project_files() {
    const auto listed = output_of("git ls-files -z --cached --others --exclude-standard 2>/dev/null");
    if (!listed || listed->empty()) return files_by_walking();
    std::vector<std::string> out;
    std::istringstream names(*listed);
    for (std::string name; std::getline(names, name, '\0');)
        if (fs::is_regular_file(name)) out.push_back(name);
    std::ranges::sort(out);
    return out;
}

std::string read_file(const std::string& path) {
    auto text = read_whole_file(path);
    if (!text) throw std::runtime_error("cannot read " + path + ": is the working directory the project root?");
    return std::move(*text);
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> out;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

bool is_source(std::string_view path) { return path.ends_with(".cpp") || path.ends_with(".hpp"); }
bool is_unit_test(std::string_view path) { return path.ends_with("_test.cpp"); }

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string file_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::string joined_literals(std::string_view source) {
    std::string code;
    for (const std::string& line : lines_of(source)) {
        std::string_view kept = code_of(line);
        if (kept.ends_with('\\')) kept.remove_suffix(1);
        code.append(kept).append(" ");
    }
    // Not with a regular expression: eight tests read all sources, and each spent two seconds here.
    const auto both_are_space = [](char left, char right) { return is_space(left) && is_space(right); };
    code.erase(std::ranges::unique(code, both_are_space).begin(), code.end());
    std::ranges::replace_if(code, is_space, ' ');
    constexpr std::string_view seam = R"(" ")";
    std::string out;
    for (std::size_t at = 0; at < code.size();) {
        const std::size_t end = std::min(code.find(seam, at), code.size());
        out.append(code, at, end - at);
        at = end + seam.size();
    }
    return out;
}

std::string_view code_of(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        if (quoted && line[i] == '\\') {
            ++i;
        } else if (line[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && line[i] == '/' && line[i + 1] == '/') {
            return line.substr(0, i);
        }
    }
    return line;
}

std::vector<std::string> quoted_after(std::string_view before, std::string_view text) {
    std::vector<std::string> out;
    for (const std::string& line : lines_of(text)) {
        const std::string_view code = code_of(line);
        for (auto at = code.find(before); at != std::string_view::npos; at = code.find(before, at + 1)) {
            if (at > 0 && is_word(code[at - 1]) && is_word(before.front())) continue;
            const auto from = at + before.size();
            out.emplace_back(code.substr(from, code.find('"', from) - from));
        }
    }
    return out;
}

}  // namespace consentry::rules
