// The hardening that compiler and linker put into every build (OPS-5), read from the ELF file.
// tests/packages/hardening.sh checks what only a release has.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <elf.h>
#include <gtest/gtest.h>

#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;

class ElfFile {
public:
    explicit ElfFile(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        std::stringstream text;
        text << in.rdbuf();
        bytes_ = std::move(text).str();
        if (bytes_.size() < sizeof(Elf64_Ehdr) || !bytes_.starts_with(ELFMAG)) throw std::runtime_error("no ELF file");
    }
    Elf64_Ehdr header() const { return at<Elf64_Ehdr>(0); }
    std::vector<Elf64_Phdr> segments() const { return table<Elf64_Phdr>(header().e_phoff, header().e_phnum); }
    std::vector<Elf64_Shdr> sections() const { return table<Elf64_Shdr>(header().e_shoff, header().e_shnum); }

    const Elf64_Phdr* segment(std::uint32_t type) const {
        static thread_local Elf64_Phdr found;
        for (const Elf64_Phdr& one : segments())
            if (one.p_type == type) return found = one, &found;
        return nullptr;
    }
    // Returns the names of the shared libraries that the file needs.
    std::set<std::string> needed() const {
        std::set<std::string> out;
        const auto all = sections();
        for (const Elf64_Shdr& one : all) {
            if (one.sh_type != SHT_DYNAMIC) continue;
            const std::size_t names = all.at(one.sh_link).sh_offset;
            for (const auto& entry : table<Elf64_Dyn>(one.sh_offset, one.sh_size / sizeof(Elf64_Dyn)))
                if (entry.d_tag == DT_NEEDED) out.insert(bytes_.c_str() + names + entry.d_un.d_val);
        }
        return out;
    }

private:
    template <class T>
    T at(std::size_t offset) const {
        T out;
        if (offset + sizeof out > bytes_.size()) throw std::runtime_error("the ELF file is cut off");
        std::memcpy(&out, bytes_.data() + offset, sizeof out);
        return out;
    }
    template <class T>
    std::vector<T> table(std::size_t offset, std::size_t count) const {
        std::vector<T> out;
        for (std::size_t i = 0; i < count; ++i) out.push_back(at<T>(offset + i * sizeof(T)));
        return out;
    }
    std::string bytes_;
};

void expect_position_independent_without_executable_stack(const ElfFile& program) {
    EXPECT_EQ(program.header().e_type, ET_DYN) << "not position independent";
    EXPECT_NE(program.segment(PT_INTERP), nullptr);
    const Elf64_Phdr* stack = program.segment(PT_GNU_STACK);
    ASSERT_NE(stack, nullptr);
    EXPECT_EQ(stack->p_flags & PF_X, 0U) << "the stack is executable";
    EXPECT_NE(program.segment(PT_GNU_RELRO), nullptr);
    for (const Elf64_Phdr& segment : program.segments())
        if (segment.p_type == PT_LOAD) EXPECT_NE(segment.p_flags & (PF_W | PF_X), PF_W | PF_X) << "writable code";
}

TEST(OPS_5, EveryBuildIsPositionIndependentAndItsStackIsData) {
    expect_position_independent_without_executable_stack(ElfFile(CONSENTRY_PROGRAM));
}

// Runs script/sbom on the built program.
TEST(OPS_4, TheBillOfMaterialsNamesEveryLibraryWithItsVersion) {
    const CommandResult made =
        run_command({"script/sbom", CONSENTRY_PROGRAM}, {{"PATH", "/usr/local/bin:/usr/bin:/bin"}});
    ASSERT_EQ(made.code, 0) << made.err;
    const boost::json::value bill = boost::json::parse(made.out);
    EXPECT_EQ(bill.at("bomFormat"), "CycloneDX");
    std::set<std::string> files;
    std::set<std::string> names;
    for (const auto& component : bill.at("components").as_array()) {
        const std::string name(component.at("name").as_string());
        names.insert(name);
        EXPECT_FALSE(component.at("version").as_string().empty()) << name;
        EXPECT_TRUE(component.at("purl").as_string().starts_with("pkg:")) << name;
        for (const auto& property : component.at("properties").as_array())
            if (property.at("name") == "consentry:file") files.emplace(property.at("value").as_string());
    }
    const auto needed = ElfFile(CONSENTRY_PROGRAM).needed();
    EXPECT_GE(needed.size(), 10U);
    for (const std::string& library : needed) EXPECT_TRUE(files.contains(library)) << library;
    for (const std::string& library : {"libpq.so.5", "libcurl.so.4"}) {
        EXPECT_TRUE(files.contains(library)) << library;
        EXPECT_FALSE(needed.contains(library)) << library << " is loaded when a setting needs it";
    }
    EXPECT_TRUE(names.contains("cracklib-runtime"));
    EXPECT_TRUE(std::ranges::any_of(names, [](const auto& name) { return name.starts_with("libboost-json"); }));
}

}  // namespace
}  // namespace consentry::tests
