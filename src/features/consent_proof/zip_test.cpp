// The one form of archives: what the reader accepts, and that others can read it.
#include <gtest/gtest.h>

#include "features/consent_proof/zip_format.hpp"
#include "features/consent_proof/zip_reader.hpp"

namespace consentry {
namespace {

struct File {
    std::string name;
    std::string bytes;
};

std::string archive_of(const std::vector<File>& files) {
    std::string out;
    std::string directory;
    for (const File& file : files) {
        const ZipMember member{.name = file.name, .size = file.bytes.size(), .crc = zip_crc(0, as_bytes(file.bytes))};
        directory += zip_directory_record(member, out.size());
        out += zip_local_header(member) + file.bytes;
    }
    const std::uint64_t end = out.size();
    return out + directory + zip_end(files.size(), end, directory.size());
}

const std::vector<File> files{{"README.txt", "read me\n"}, {"a/b", ""}, {"a/c", std::string(300, 'x')}};

TEST(Zip, ReadsWhatIsWritten) {
    const std::string archive = archive_of(files);
    const auto read = read_zip(as_bytes(archive));
    ASSERT_TRUE(read) << read.error();
    ASSERT_EQ(read->size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        EXPECT_EQ((*read)[i].name, files[i].name);
        EXPECT_EQ(as_text((*read)[i].bytes), files[i].bytes);
    }
    ASSERT_NE(find_member(*read, "a/b"), nullptr);
    EXPECT_EQ(find_member(*read, "a/bb"), nullptr);
    EXPECT_EQ(find_member(*read, "b"), nullptr);
}

TEST(Zip, EachByteCounts) {
    const std::string archive = archive_of(files);
    for (std::size_t at = 0; at < archive.size(); ++at)
        for (const int bit : {1, 0x20, 0x80}) {
            std::string changed = archive;
            changed[at] = static_cast<char>(changed[at] ^ bit);
            EXPECT_FALSE(read_zip(as_bytes(changed))) << "byte " << at;
        }
    for (std::size_t size = 0; size < archive.size(); ++size)
        EXPECT_FALSE(read_zip(as_bytes(archive.substr(0, size)))) << size << " bytes";
    EXPECT_FALSE(read_zip(as_bytes(archive + "x")));
    EXPECT_FALSE(read_zip(as_bytes("x" + archive)));
}

TEST(Zip, NamesAscend) {
    EXPECT_FALSE(read_zip(as_bytes(archive_of({{"b", "1"}, {"a", "2"}}))));
    EXPECT_FALSE(read_zip(as_bytes(archive_of({{"a", "1"}, {"a", "2"}}))));
    EXPECT_FALSE(read_zip(as_bytes(archive_of({{"a\n", "1"}}))));
    EXPECT_FALSE(read_zip(as_bytes(archive_of({{std::string(zip_name_bytes_max + 1, 'a'), "1"}}))));
    EXPECT_FALSE(read_zip(as_bytes(archive_of({}))));
}

TEST(Zip, SizesAreKnownInAdvance) {
    for (const std::uint64_t size : {0ULL, 300ULL, 0xFFFFFFFEULL, 0xFFFFFFFFULL, 0x1'0000'0002ULL})
        for (const char* name : {"n", "proofs/000000000001.tlog-proof"}) {
            const ZipMember member{.name = name, .size = size, .crc = 7};
            EXPECT_EQ(zip_local_header_size(member), zip_local_header(member).size()) << size;
            for (const std::uint64_t offset : {0ULL, 0xFFFFFFFEULL, 0xFFFFFFFFULL})
                EXPECT_EQ(zip_directory_record_size(member, offset), zip_directory_record(member, offset).size())
                    << size << " at " << offset;
        }
}

// What an archive above 4 GiB or of many members has, byte for byte as the specification (APPNOTE 4.3.14, 4.5.3) says.
TEST(Zip, LargeNumbersAreInTheLongFields) {
    const ZipMember large{.name = "n", .size = 0x1'0000'0002, .crc = 7};
    EXPECT_EQ(to_hex(as_bytes(zip_local_header(large))),
              "504b03042d00000800000000210007000000ffffffffffffffff010014006e"
              "0100100002000000010000000200000001000000");
    EXPECT_EQ(to_hex(as_bytes(zip_directory_record({.name = "n", .size = 1, .crc = 7}, 0xFFFFFFFF))),
              "504b01022d002d0000080000000021000700000001000000010000000100"
              "0c0000000000000000000000ffffffff6e01000800ffffffff00000000");
    const std::string many = zip_end(70'000, 10, 20);
    EXPECT_EQ(many.size(), 56U + 20U + 22U);
    EXPECT_EQ(to_hex(as_bytes(many.substr(0, 56))),
              "504b06062c000000000000002d002d000000000000000000701101000000000070110100000000001400000000000000"
              "0a00000000000000");
    EXPECT_EQ(zip_end(65'534, 10, 20).size(), 22U);
}

}  // namespace
}  // namespace consentry
