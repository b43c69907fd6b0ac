#include "base/user_agent.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace consentry {
namespace {

struct Known {
    std::string_view mark;  // its version follows, if any
    std::string_view name;
    std::string_view type = {};
};
// The order matters: each browser also claims to be those after it.
constexpr std::array browsers{Known{"Edg/", "Edge"},
                              Known{"EdgA/", "Edge"},
                              Known{"EdgiOS/", "Edge"},
                              Known{"OPR/", "Opera"},
                              Known{"SamsungBrowser/", "Samsung Internet"},
                              Known{"FxiOS/", "Firefox"},
                              Known{"Firefox/", "Firefox"},
                              Known{"CriOS/", "Chrome"},
                              Known{"Chrome/", "Chrome"},
                              Known{"Version/", "Safari"},
                              Known{"Safari/", "Safari"},
                              Known{"okhttp/", "okhttp", "library"},
                              Known{"Dart/", "Dart", "library"},
                              Known{"python-requests/", "python-requests", "library"},
                              Known{"Go-http-client/", "Go-http-client", "library"},
                              Known{"PostmanRuntime/", "PostmanRuntime", "library"},
                              Known{"curl/", "curl", "cli"},
                              Known{"Wget/", "Wget", "cli"}};
// The order matters: each system also claims to be one of those after it.
constexpr std::array systems{Known{"iPhone OS ", "iOS"},  Known{"CPU OS ", "iOS"},         Known{"Android ", "Android"},
                             Known{"Android", "Android"}, Known{"Windows NT ", "Windows"}, Known{"Windows", "Windows"},
                             Known{"Mac OS X ", "macOS"}, Known{"Mac OS X", "macOS"},      Known{"CrOS", "ChromeOS"},
                             Known{"Linux", "Linux"}};
constexpr std::array processors{Known{"x86_64", "amd64"},  Known{"x64", "amd64"},   Known{"Win64", "amd64"},
                                Known{"aarch64", "arm64"}, Known{"arm64", "arm64"}, Known{"ARM64", "arm64"},
                                Known{"armv", "arm"},      Known{"i686", "ia32"},   Known{"i386", "ia32"}};
constexpr std::array devices{Known{"iPad", "tablet"}, Known{"iPhone", "mobile"}};
// Android only: the prefix of the model reveals the manufacturer.
constexpr std::array makers{Known{"Pixel", "Google"}, Known{"SM-", "Samsung"}, Known{"moto", "Motorola"},
                            Known{"Redmi", "Xiaomi"}, Known{"Nokia", "Nokia"}, Known{"ONEPLUS", "OnePlus"}};

template <std::size_t N>
const Known* find_known(const std::array<Known, N>& table, std::string_view text) {
    const auto found = std::ranges::find_if(table, [&](const Known& known) { return text.contains(known.mark); });
    return found == table.end() ? nullptr : &*found;
}

// Digits separated by dots or, as Apple writes them, by underscores.
std::optional<std::string> version_after(std::string_view text, std::string_view mark) {
    const auto at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    std::string out;
    for (const char c : text.substr(at + mark.size())) {
        if (!is_digit(c) && c != '.' && c != '_') break;
        out.push_back(c == '_' ? '.' : c);
    }
    while (out.ends_with('.')) out.pop_back();
    if (out.empty() || !is_digit(out.front())) return std::nullopt;
    return out;
}

UserAgent::Part engine_of(std::string_view text) {
    // Chrome's Blink is a fork of WebKit and still announces it.
    if (text.contains("Chrome/")) return {.name = "Blink", .version = version_after(text, "Chrome/")};
    if (text.contains("AppleWebKit/")) return {.name = "WebKit", .version = version_after(text, "AppleWebKit/")};
    if (text.contains("Gecko/")) return {.name = "Gecko", .version = version_after(text, "rv:")};
    return {};
}

// "(Linux; Android 14; Pixel 8 Build/UQ1A)": the model follows the system, unless it is a placeholder.
std::optional<std::string> android_model(std::string_view text) {
    const auto at = text.find("Android ");
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at);
    text = text.substr(0, text.find(')'));
    const auto part = text.find("; ");
    if (part == std::string_view::npos) return std::nullopt;
    std::string_view model = text.substr(part + 2);
    model = model.substr(0, model.find(';'));
    model = model.substr(0, model.find(" Build/"));
    if (model.size() < 2 || model.starts_with("rv:") || model == "Mobile" || model == "Tablet") return std::nullopt;
    return std::string(model);
}

UserAgent::Device device_of(std::string_view text) {
    if (const Known* apple = find_known(devices, text))
        return {.type = std::string(apple->name), .vendor = "Apple", .model = std::string(apple->mark)};
    if (!text.contains("Android")) return {};
    UserAgent::Device out{
        .type = text.contains("Mobile") ? "mobile" : "tablet", .vendor = {}, .model = android_model(text)};
    if (out.model)
        for (const Known& maker : makers)
            if (out.model->starts_with(maker.mark)) out.vendor = maker.name;
    return out;
}

}  // namespace

UserAgent parse_user_agent(std::string_view text) {
    UserAgent out;
    if (const Known* browser = find_known(browsers, text)) {
        out.browser.name = browser->name;
        out.browser.version = version_after(text, browser->mark);
        if (out.browser.version) out.browser.major = out.browser.version->substr(0, out.browser.version->find('.'));
        if (!browser->type.empty()) out.browser.type = browser->type;
    }
    out.engine = engine_of(text);
    if (const Known* system = find_known(systems, text)) {
        out.os.name = system->name;
        out.os.version = version_after(text, system->mark);
    }
    if (const Known* processor = find_known(processors, text)) out.cpu.architecture = processor->name;
    out.device = device_of(text);
    return out;
}

}  // namespace consentry
