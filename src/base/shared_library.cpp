#include "base/shared_library.hpp"

#include <stdexcept>

#include <dlfcn.h>
#include <fmt/format.h>

namespace consentry {
namespace {

// Everything is resolved now, so that a library that does not fit fails here and not in the middle of a request. Its
// names stay its own, so that they cannot replace those of another library.
void* open(const char* soname, const char* package) {
    if (void* handle = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL); handle != nullptr) return handle;
    throw std::runtime_error(fmt::format("the library {} cannot be loaded ({}); install the Debian package {}", soname,
                                         ::dlerror(), package));
}

}  // namespace

SharedLibrary::SharedLibrary(const char* soname, const char* package)
    : soname_(soname), package_(package), handle_(open(soname, package)) {}

SharedLibrary::Symbol SharedLibrary::operator[](const char* function) const {
    if (void* address = ::dlsym(handle_, function); address != nullptr) return Symbol(address);
    throw std::runtime_error(fmt::format("the library {} lacks {}; install a newer version of the Debian package {}",
                                         soname_, function, package_));
}

}  // namespace consentry
