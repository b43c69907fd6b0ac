#include "crypto/sha256_stream.hpp"

#include "crypto/openssl_handles.hpp"

namespace consentry::crypto {

void Sha256Stream::Release::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new()) {
    require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, "SHA256");
}

void Sha256Stream::add(BytesView bytes) {
    require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1, "SHA256");
}

Sha256 Sha256Stream::finish() {
    Sha256 out;
    require(EVP_DigestFinal_ex(context_.get(), out.data(), nullptr) == 1, "SHA256");
    return out;
}

}  // namespace consentry::crypto
