// Sealed records (CRY-2): a record that opens cannot be made without the key, and a single flipped bit prevents
// opening.
//
// The first byte chooses the flipped bit and the size of the IV. The remaining bytes serve both as a forged record and
// as the plain text of a genuine one.
#include "crypto/aead.hpp"
#include "tests/fuzz/fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace consentry;
    static const crypto::SealingKeys keys({"a secret of the fuzz target, long enough"}, "fuzz");
    if (size == 0) return 0;
    const std::size_t choice = data[0];
    const BytesView rest(data + 1, size - 1);
    const BytesView owner = as_bytes("owner");

    const std::size_t iv_size = std::min<std::size_t>(choice % 17, rest.size());
    const crypto::SealingKeys::Sealed foreign{{rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(iv_size)},
                                              {rest.begin() + static_cast<std::ptrdiff_t>(iv_size), rest.end()}};
    fuzz::require(!keys.open(foreign, owner), "a made-up record does not open");
    (void)keys.sealed_with_first(foreign);

    auto sealed = keys.seal(rest, owner);
    const auto opened = keys.open(sealed, owner);
    fuzz::require(opened && std::equal(opened->begin(), opened->end(), rest.begin(), rest.end()), "our own opens");
    fuzz::require(!keys.open(sealed, as_bytes("another")), "it opens for its owner only");
    Bytes& damaged = choice % 2 == 0 ? sealed.iv : sealed.bytes;
    damaged[choice * 7 % damaged.size()] ^= static_cast<std::uint8_t>(1U << (choice % 8));
    fuzz::require(!keys.open(sealed, owner), "one flipped bit and it does not open");
    return 0;
}
