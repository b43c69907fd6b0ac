#include "crypto/argon2/fill.hpp"

#include <vector>

namespace consentry::crypto::argon2 {

std::span<const FillImplementation> fill_implementations() {
    static const auto found = [] {
        std::vector<FillImplementation> out;
#if defined(__x86_64__)
        // The built-in function also asks whether the operating system saves the registers.
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
            out.push_back({"AVX-512", fill_avx512});
        if (__builtin_cpu_supports("avx2")) out.push_back({"AVX2", fill_avx2});
#endif
        out.push_back({"portable", fill_portable});
        return out;
    }();
    return found;
}

}  // namespace consentry::crypto::argon2
