#include "net/system_authorities.hpp"

#include <array>

#include <unistd.h>

namespace consentry::net {
namespace {

// The list and the order of Go's crypto/x509 (root_linux.go), on which Go programs rely on every distribution.
constexpr std::array<const char*, 6> places{
    "etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Gentoo
    "etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, RHEL
    "etc/ssl/ca-bundle.pem",                             // openSUSE
    "etc/pki/tls/cacert.pem",                            // OpenELEC
    "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora without the older names, CentOS, RHEL 7
    "etc/ssl/cert.pem",                                  // Alpine
};

}  // namespace

std::string system_authorities(const std::filesystem::path& root) {
    for (const char* place : places) {
        const std::filesystem::path file = root / place;
        if (::access(file.c_str(), R_OK) == 0) return file.string();
    }
    return {};
}

}  // namespace consentry::net
