#include "markup/qr_code.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

namespace consentry::markup {
namespace {

// A drawing made from the path of an SVG, by the even-odd rule. Knows the commands that qr_svg() uses.
class Drawing {
public:
    explicit Drawing(const std::string& svg) {
        std::smatch found;
        std::regex_search(svg, found, std::regex("viewBox=\"0 0 ([0-9]+)"));
        size_ = std::stoi(found[1]);
        EXPECT_TRUE(svg.contains("d=\"M0 0h" + found[1].str() + "v" + found[1].str() + "H0z\"")) << "the light ground";
        crossings_.assign(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_), 0);
        const std::string start = "<path d=\"";
        const auto from = svg.find(start) + start.size();
        draw(svg.substr(from, svg.find('"', from) - from));
    }

    int size() const { return size_; }
    bool dark(int x, int y) const {
        int crossings = 0;
        for (int left = 0; left <= x; ++left) crossings += crossings_[index(left, y)];
        return crossings % 2 == 1;
    }

private:
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(x);
    }
    void vertical(int x, int from, int to) {
        for (int y = std::min(from, to); y < std::max(from, to); ++y) ++crossings_[index(x, y)];
    }
    void draw(const std::string& path) {
        int x = 0, y = 0, start_x = 0, start_y = 0;
        const std::regex command("M([0-9]+) ([0-9]+)|h(-?[0-9]+)|v(-?[0-9]+)|z");
        std::size_t read = 0;
        for (std::sregex_iterator found(path.begin(), path.end(), command), end; found != end; ++found) {
            read += (*found)[0].str().size();
            if ((*found)[1].matched) {
                x = start_x = std::stoi((*found)[1]);
                y = start_y = std::stoi((*found)[2]);
            } else if ((*found)[3].matched) {
                x += std::stoi((*found)[3]);
            } else if ((*found)[4].matched) {
                vertical(x, y, y + std::stoi((*found)[4]));
                y += std::stoi((*found)[4]);
            } else {
                EXPECT_EQ(x, start_x) << "the closing line is vertical";
                vertical(x, y, start_y);
            }
        }
        EXPECT_EQ(read, path.size()) << "unknown commands";
    }

    int size_ = 0;
    std::vector<int> crossings_;
};

// What a reader of QR codes, zbarimg, makes of the drawing.
std::string scanned(const Drawing& drawing) {
    constexpr int scale = 4;
    const std::string file = (std::filesystem::temp_directory_path() / ("qr-" + std::to_string(::getpid()) + ".pgm"));
    {
        std::ofstream out(file, std::ios::binary);
        out << "P5 " << drawing.size() * scale << ' ' << drawing.size() * scale << " 255\n";
        for (int y = 0; y < drawing.size() * scale; ++y)
            for (int x = 0; x < drawing.size() * scale; ++x)
                out << (drawing.dark(x / scale, y / scale) ? '\0' : '\xff');
    }
    std::string out;
    // NOLINTNEXTLINE(cert-env33-c): a fixed command, for a test
    FILE* reader =
        ::popen(("zbarimg --nodbus --quiet --raw -Sdisable -Sqrcode.enable -Sbinary '" + file + "'").c_str(), "r");
    for (char part[4096]; const auto count = std::fread(part, 1, sizeof part, reader);) out.append(part, count);
    ::pclose(reader);
    std::filesystem::remove(file);
    return out;
}

std::string svg_of(const std::string& bytes) { return qr_svg(bytes, "code").value().text(); }

TEST(QrCode, AReaderReadsWhatWasWritten) {
    const std::string secret =
        "otpauth://totp/Consentry:ada%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Consentry";
    EXPECT_EQ(scanned(Drawing(svg_of(secret))), secret);
    EXPECT_EQ(scanned(Drawing(svg_of("Zürich 東京 🙂"))), "Zürich 東京 🙂");
}

TEST(QrCode, EverySizeIsReadable) {
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same texts in every run
    for (const std::size_t size :
         {1U, 2U, 14U, 15U, 26U, 62U, 63U, 122U, 180U, 213U, 334U, 511U, 666U, 1000U, 1631U, 2331U}) {
        std::string bytes(size, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random());
        EXPECT_EQ(scanned(Drawing(svg_of(bytes))), bytes) << size;
    }
}

TEST(QrCode, WhatDoesNotFitIsNoCode) {
    EXPECT_TRUE(qr_svg(std::string(2331, 'a'), "code"));
    EXPECT_FALSE(qr_svg(std::string(2332, 'a'), "code"));
    EXPECT_FALSE(qr_svg(std::string(100000, 'a'), "code"));
    EXPECT_TRUE(qr_svg("", "code"));
}

TEST(QrCode, StaysSmallAndSafe) {
    const std::string svg = qr_svg(std::string(130, 'a'), "Code of \"A\" & <b>").value().text();
    EXPECT_LT(svg.size(), 6000U);
    EXPECT_TRUE(svg.contains("role=\"img\" aria-label=\"Code of &quot;A&quot; &amp; &lt;b&gt;\""))
        << svg.substr(0, 200);
    EXPECT_FALSE(svg.contains("style"));
}

// Four light modules on each side, in a drawing that has its own ground.
TEST(QrCode, HasItsQuietZone) {
    const Drawing drawing(svg_of("a"));
    ASSERT_EQ(drawing.size(), 21 + 8);
    for (int i = 0; i < drawing.size(); ++i)
        for (int depth = 0; depth < 4; ++depth) {
            EXPECT_FALSE(drawing.dark(i, depth) || drawing.dark(depth, i));
            EXPECT_FALSE(drawing.dark(i, drawing.size() - 1 - depth) || drawing.dark(drawing.size() - 1 - depth, i));
        }
    EXPECT_TRUE(drawing.dark(4, 4) && drawing.dark(10, 10));
}

}  // namespace
}  // namespace consentry::markup
