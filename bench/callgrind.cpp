#include "callgrind.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/whole_file.hpp"

namespace consentry::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* valgrind = "/usr/bin/valgrind";
constexpr const char* vgdb = "/usr/bin/vgdb";

bool starts_cost_line(char c) { return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*'; }

void run_tool(const std::string& command) {
    if (std::system(command.c_str()) != 0)  // NOLINT(concurrency-mt-unsafe): no other thread runs
        throw std::runtime_error(fmt::format("callgrind: '{}' failed", command));
}

// "libcrypto" of "/usr/lib/x86_64-linux-gnu/libcrypto.so.3".
std::string library_name(std::string_view path) {
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return std::string(file.substr(0, file.find(".so")));
}

// The next "<length><name>" of a mangled name, taken off its beginning; empty at its end.
std::string_view take_identifier(std::string_view& mangled) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(mangled.data(), mangled.data() + mangled.size(), length);
    if (error != std::errc{}) return {};
    mangled.remove_prefix(static_cast<std::size_t>(end - mangled.data()));
    const std::string_view out = mangled.substr(0, length);
    mangled.remove_prefix(out.size());
    return out;
}

// The namespace of a function of the program, at most two levels, from the Itanium C++ ABI's mangled name.
std::string namespace_of(std::string_view mangled) {
    for (const std::string_view prefix : {"_ZNSt", "_ZNKSt", "_ZSt", "_ZNSs", "_ZNKSs"})
        if (mangled.starts_with(prefix)) return "std";
    if (!mangled.starts_with("_ZN")) return "other";
    mangled.remove_prefix(3);
    mangled.remove_prefix(std::min(mangled.find_first_not_of("KVrRO"), mangled.size()));  // qualifiers of members
    const std::string_view outer = take_identifier(mangled);
    if (outer.empty()) return "other";
    const std::string_view inner = take_identifier(mangled);
    // Namespaces have lowercase names. Features and base have none of their own.
    const bool is_namespace = !inner.empty() && inner.front() >= 'a' && inner.front() <= 'z';
    const bool has_more = !mangled.empty() && !std::string_view("EIB").contains(mangled.front());
    return is_namespace && has_more ? fmt::format("{}::{}", outer, inner) : std::string(outer);
}

// The format gives each name once, as "(id) name", and from then on "(id)" alone.
class Names {
public:
    std::string_view resolve(std::string_view text) {
        const auto end = text.find(')');
        if (end == std::string_view::npos) return text;
        std::string& name = names_[std::string(text.substr(0, end))];
        if (end + 2 <= text.size()) name = text.substr(end + 2);
        return name;
    }

private:
    std::map<std::string, std::string> names_;
};

class ProfileReader {
public:
    Instructions read(std::string_view profile) {
        for (std::size_t at = 0; at < profile.size();) {
            const auto end = std::min(profile.find('\n', at), profile.size());
            take(profile.substr(at, end - at));
            at = end + 1;
        }
        return std::move(out_);
    }

private:
    void take(std::string_view line) {
        if (line.empty()) return;
        if (starts_cost_line(line.front())) return take_cost(line);
        if (line.starts_with("calls=")) {
            next_is_a_call_ = true;
            return;
        }
        const auto equals = line.find('=');
        if (equals == std::string_view::npos) return;
        const std::string_view key = line.substr(0, equals);
        const std::string_view value = line.substr(equals + 1);
        if (key == "ob") {
            object_ = objects_.resolve(value);
        } else if (key == "cob") {
            objects_.resolve(value);
        } else if (key == "fn") {
            function_ = functions_.resolve(value);
        } else if (key == "cfn") {
            functions_.resolve(value);
        } else {
            return;
        }
        place_ = nullptr;
    }

    // "<line> <instructions>". After "calls=", the line holds what the callee spent, which is counted there.
    void take_cost(std::string_view line) {
        if (std::exchange(next_is_a_call_, false)) return;
        const auto space = line.find(' ');
        std::uint64_t cost = 0;
        if (space == std::string_view::npos ||
            std::from_chars(line.data() + space + 1, line.data() + line.size(), cost).ec != std::errc{})
            throw std::runtime_error(fmt::format("callgrind: cannot read the line '{:.100}'", line));
        if (place_ == nullptr)
            place_ = &out_.by_place[object_.contains(".so") ? library_name(object_) : namespace_of(function_)];
        *place_ += cost;
        out_.all += cost;
    }

    Names objects_;
    Names functions_;
    std::string object_;
    std::string function_;
    bool next_is_a_call_ = false;
    std::uint64_t* place_ = nullptr;  // of object_ and function_, once it is known
    Instructions out_;
};

// Returns whether no thread of the process runs or waits for a processor.
bool is_idle(pid_t process) {
    for (const auto& thread : fs::directory_iterator(fmt::format("/proc/{}/task", process))) {
        std::ifstream file(thread.path() / "stat");
        std::string facts;  // "ID (NAME) STATE ...", where the name may have spaces and brackets
        std::getline(file, facts);
        const auto name_end = facts.rfind(") ");
        if (name_end != std::string::npos && facts.substr(name_end).starts_with(") R")) return false;
    }
    return true;
}

}  // namespace

Instructions read_profile(std::string_view profile) { return ProfileReader().read(profile); }

CountedService::CountedService(const Stage& stage, Environment settings)
    : profiles_(stage.working_folder("callgrind") / "profile") {
    if (!fs::exists(valgrind) || !fs::exists(vgdb))
        throw std::runtime_error("callgrind: install Debian's package valgrind");
    // Valgrind 3.19 cannot read the debug information of Clang 19.
    const fs::path program = profiles_.parent_path() / "consentry";
    run_tool(fmt::format("llvm-strip-19 --strip-debug -o '{}' '{}'", program.string(), stage.program().string()));
    settings["HTTP_THREADS"] = "1";
    // Its place is otherwise TMPDIR, which the service does not have.
    pipes_ = (profiles_.parent_path() / "vgdb").string();
    server_ =
        stage.serve_under({valgrind, "--vgdb-prefix=" + pipes_, "--tool=callgrind", "--instr-atstart=no",
                           "--demangle=no", "--quiet", "--callgrind-out-file=" + profiles_.string(), program.string()},
                          settings);
    tell("instrumentation on");
}

void CountedService::tell(std::string_view command) const {
    // vgdb wakes the service with ptrace(2), which some containers and security modules forbid. It then names
    // PTRACE_ATTACH on standard error, and CTest skips the test. Without a limit of its own, vgdb first waits a tenth
    // of a second for the service to look for commands by itself, and an idle service never does.
    run_tool(fmt::format("{} --vgdb-prefix='{}' --pid={} --cmd-time-out=60 --max-invoke-ms=1 {} >/dev/null", vgdb,
                         pipes_, server_.child->id(), command));
}

void CountedService::settle() const {
    constexpr int looks = 3;  // Valgrind runs one thread at a time: between two looks, it hands over to the next one
    constexpr std::chrono::milliseconds pause{5};
    constexpr int looks_max = 12'000;  // a minute
    int idle = 0;
    for (int look = 0; idle < looks; ++look) {
        if (look == looks_max) throw std::runtime_error("callgrind: the service is never idle");
        std::this_thread::sleep_for(pause);
        idle = is_idle(server_.child->id()) ? idle + 1 : 0;
    }
}

Instructions CountedService::count(const std::function<void()>& work) {
    settle();
    tell("zero");
    work();
    tell("dump");
    const fs::path profile = fmt::format("{}.{}", profiles_.string(), ++dumps_);
    const auto text = read_whole_file(profile);
    if (!text) throw std::runtime_error("callgrind: there is no " + profile.string());
    return read_profile(*text);
}

}  // namespace consentry::bench
