#include "markup/qr_code.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <qrcodegen/qrcodegen.h>

#include "base/html.hpp"

namespace consentry::markup {
namespace {

constexpr int quiet_zone = 4;  // modules on each side (ISO/IEC 18004)
constexpr int pixels_per_module = 4;

using Buffer = std::array<std::uint8_t, qrcodegen_BUFFER_LEN_MAX>;

// The dark modules of a code. Everything outside is light.
class Modules {
public:
    explicit Modules(const Buffer& code) : code_(code), size_(qrcodegen_getSize(code.data())) {}

    int size() const { return size_; }
    bool dark(int x, int y) const { return qrcodegen_getModule(code_.data(), x, y); }

private:
    const Buffer& code_;
    int size_;
};

struct Step {
    int x;
    int y;
};
enum Direction { east, south, west, north };
constexpr std::array<Step, 4> steps{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};

// Draws the outlines of the dark areas, each as one closed line. Compared with a rectangle for each module or row, this
// takes less than half the bytes and leaves no seams at sizes that are not a multiple of a pixel.
class Outlines {
public:
    explicit Outlines(const Modules& modules)
        : modules_(modules),
          drawn_(static_cast<std::size_t>(modules.size()) * static_cast<std::size_t>(modules.size())) {}

    std::string path() {
        // Each outline has a part that goes east: the upper edge of a module.
        for (int y = 0; y < modules_.size(); ++y)
            for (int x = 0; x < modules_.size(); ++x)
                if (is_edge(x, y, east) && !drawn_[index(x, y)]) draw(x, y);
        return std::move(path_);
    }

private:
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(modules_.size()) + static_cast<std::size_t>(x);
    }

    // Whether an outline leaves this corner in this direction. Outlines have the dark module on their right.
    bool is_edge(int x, int y, Direction direction) const {
        const bool dark_right_below = modules_.dark(x, y);
        const bool dark_left_below = modules_.dark(x - 1, y);
        const bool dark_left_above = modules_.dark(x - 1, y - 1);
        const bool dark_right_above = modules_.dark(x, y - 1);
        switch (direction) {
            case east:
                return dark_right_below && !dark_right_above;
            case south:
                return dark_left_below && !dark_right_below;
            case west:
                return dark_left_above && !dark_left_below;
            case north:
                return dark_right_above && !dark_left_above;
        }
        return false;
    }

    // The direction in which the outline goes on. Turning right first keeps modules apart that touch at a corner only.
    Direction next(int x, int y, Direction direction) const {
        for (const int turn : {1, 0}) {
            const auto candidate = static_cast<Direction>((direction + turn) % 4);
            if (is_edge(x, y, candidate)) return candidate;
        }
        return static_cast<Direction>((direction + 3) % 4);
    }

    void draw(int start_x, int start_y) {
        fmt::format_to(std::back_inserter(path_), "M{} {}", start_x + quiet_zone, start_y + quiet_zone);
        int x = start_x;
        int y = start_y;
        Direction direction = east;
        while (true) {
            const Direction straight = direction;
            int length = 0;
            do {
                if (direction == east) drawn_[index(x, y)] = true;
                x += steps[direction].x;
                y += steps[direction].y;
                ++length;
                direction = next(x, y, direction);
            } while (direction == straight);
            if (x == start_x && y == start_y && direction == east) break;  // `z` draws the last line
            const bool horizontal = straight == east || straight == west;
            const bool forward = straight == east || straight == south;
            fmt::format_to(std::back_inserter(path_), "{}{}", horizontal ? 'h' : 'v', forward ? length : -length);
        }
        path_ += 'z';
    }

    const Modules& modules_;
    std::vector<bool> drawn_;
    std::string path_;
};

}  // namespace

std::optional<SafeHtml> qr_svg(std::string_view bytes, std::string_view label) {
    Buffer data{};
    Buffer code{};
    if (bytes.size() > data.size()) return std::nullopt;
    std::ranges::copy(bytes, data.begin());
    if (!qrcodegen_encodeBinary(data.data(), bytes.size(), code.data(), qrcodegen_Ecc_MEDIUM, qrcodegen_VERSION_MIN,
                                qrcodegen_VERSION_MAX, qrcodegen_Mask_AUTO, true))
        return std::nullopt;
    const Modules modules(code);
    const int width = modules.size() + 2 * quiet_zone;
    return SafeHtmlMaker::of(
        fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" class="qr" role="img" aria-label="{}" )"
                    R"(width="{}" height="{}" viewBox="0 0 {} {}"><path fill="#fff" d="M0 0h{}v{}H0z"/>)"
                    R"(<path d="{}"/></svg>)",
                    html_escaped(label), width * pixels_per_module, width * pixels_per_module, width, width, width,
                    width, Outlines(modules).path()));
}

}  // namespace consentry::markup
