// SHA-256 of a message that is not in memory as a whole. Throws std::runtime_error if the library fails.
#pragma once

#include <memory>

#include "crypto/digest.hpp"

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace consentry::crypto {

class Sha256Stream {
public:
    Sha256Stream();
    void add(BytesView bytes);
    Sha256 finish();  // once

private:
    struct Release {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Release> context_;
};

}  // namespace consentry::crypto
