#include "app/commands/policy_folder.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/locales.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "features/term_policies/processing_dto.hpp"

namespace consentry {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t processing_bytes_max = 65'536;

// Returns the entries except hidden ones, sorted by name.
std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::directory_entry> out;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (!at->path().filename().string().starts_with('.')) out.push_back(*at);
    if (error) throw std::runtime_error(fmt::format("cannot read {}: {}", folder.string(), error.message()));
    std::ranges::sort(out);
    return out;
}

// Accepts one spelling per number, as storage keys do.
std::optional<std::int64_t> read_version(std::string_view text) {
    const auto value = parse_canonical_number<std::int64_t>(text);
    return value && *value >= 1 && *value <= policy_version_max ? value : std::nullopt;
}

std::optional<Language> read_language(const fs::path& file) {
    if (file.extension() != "." + std::string(policy_extension)) return std::nullopt;
    const auto name = file.stem().string();
    const auto found = std::ranges::find(language_names, name);
    return found == language_names.end() ? std::nullopt
                                         : std::optional(static_cast<Language>(found - language_names.begin()));
}

class Reader {
public:
    explicit Reader(const fs::path& root) : root_(root) {
        for (const fs::directory_entry& entry : entries_of(root)) {
            if (!entry.is_directory()) continue;
            if (const auto type = find_enum<PolicyType>(entry.path().filename().string()))
                read_type(*type, entry.path());
            else
                add_problem(entry.path(), "unknown type; the types are termsOfService, privacy, marketing and cookies");
        }
        std::ranges::sort(out_.versions, {}, [](const PolicyVersion& one) { return std::pair(one.type, one.version); });
        if (out_.versions.empty() && out_.problems.empty()) out_.problems.emplace_back("the folder contains no policy");
    }
    PolicyFolder take() { return std::move(out_); }

private:
    void add_problem(const fs::path& place, std::string_view what) {
        out_.problems.push_back(fmt::format("{}: {}", place.lexically_relative(root_).generic_string(), what));
    }

    void read_type(PolicyType type, const fs::path& folder) {
        for (const fs::directory_entry& entry : entries_of(folder)) {
            const auto number = read_version(entry.path().filename().string());
            if (!entry.is_directory() || !number) {
                add_problem(entry.path(),
                            fmt::format("not a version; expected a folder named 1 to {}", policy_version_max));
                continue;
            }
            PolicyVersion version{.type = type, .version = *number, .texts = {}};
            const auto problems_before = out_.problems.size();
            for (const fs::directory_entry& file : entries_of(entry.path())) {
                if (file.path().filename() == processing_name)
                    read_processing_document(file, version);
                else
                    read_text(file, version);
            }
            if (!version.texts.empty()) {
                std::ranges::sort(version.texts, {}, &PolicyText::language);
                out_.versions.push_back(std::move(version));
            } else if (out_.problems.size() == problems_before) {
                add_problem(entry.path(), "contains no text");
            }
        }
    }

    void read_processing_document(const fs::directory_entry& file, PolicyVersion& version) {
        const auto bytes = read_whole_file(file.path(), processing_bytes_max);
        if (!bytes) return add_problem(file.path(), "cannot read the file");
        if (bytes->size() > processing_bytes_max)
            return add_problem(file.path(), fmt::format("larger than {} bytes", processing_bytes_max));
        const auto processing = read_processing(*bytes);
        if (processing) {
            version.processing = processing_text(*processing);
            return;
        }
        for (const Violation& violation : processing.error().violations())
            add_problem(file.path(), fmt::format("{}: {}", violation.property,
                                                 locales_.text(Language::en, "request.error." + violation.key,
                                                               violation.placeholders)));
    }

    void read_text(const fs::directory_entry& file, PolicyVersion& version) {
        const auto language = read_language(file.path());
        if (!language || !file.is_regular_file())
            return add_problem(file.path(),
                               fmt::format("not a text; expected a file {}.hbs", fmt::join(language_names, ".hbs, ")));
        auto bytes = read_whole_file(file.path(), static_cast<std::size_t>(policy_text_bytes_max));
        if (!bytes) return add_problem(file.path(), "cannot read the file");
        if (bytes->empty()) return add_problem(file.path(), "empty");
        if (std::cmp_greater(bytes->size(), policy_text_bytes_max))
            return add_problem(file.path(), fmt::format("larger than {} bytes", policy_text_bytes_max));
        if (!code_points(*bytes) || bytes->contains('\0'))
            return add_problem(file.path(), "not valid UTF-8, or contains a NUL character");
        version.texts.push_back({*language, std::move(*bytes)});
    }

    const fs::path root_;
    const Locales locales_;
    PolicyFolder out_;
};

}  // namespace

std::string name_of(PolicyType type, std::int64_t version, Language language) {
    return fmt::format("{}/{}/{}.{}", name_of(type), version, name_of(language), policy_extension);
}

PolicyFolder read_policy_folder(const fs::path& folder) { return Reader(folder).take(); }

}  // namespace consentry
