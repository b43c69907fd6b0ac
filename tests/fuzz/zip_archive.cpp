// ZIP archives of bundles: one that is read has one spelling.
#include "features/consent_proof/zip_format.hpp"
#include "features/consent_proof/zip_reader.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    const std::string_view archive = fuzz::text_of(data, size);
    const auto members = read_zip(as_bytes(archive));
    if (!members) return 0;
    std::string out;
    std::string directory;
    for (const ZipEntry& entry : *members) {
        const ZipMember member{
            .name = std::string(entry.name), .size = entry.bytes.size(), .crc = zip_crc(0, entry.bytes)};
        directory += zip_directory_record(member, out.size());
        out.append(zip_local_header(member)).append(as_text(entry.bytes));
        fuzz::require(find_member(*members, entry.name)->bytes.data() == entry.bytes.data(), "a member is found");
    }
    const std::size_t end = out.size();
    out.append(directory).append(zip_end(members->size(), end, directory.size()));
    fuzz::require(out == archive, "an archive has one spelling");
    return 0;
}
