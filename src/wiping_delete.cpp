// Wipes memory that the program frees, so that passwords and other secrets do not linger until the memory is used
// again (LOG-7). Decision 57 says what this costs and what it does not cover. Only the program links this file: tests
// free memory as usual, and sanitizers bring operators of their own.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include <malloc.h>

namespace {

// A compiler may drop a memset() before free(), but not this.
void wipe_and_free(void* block, std::size_t size) noexcept {
    ::explicit_bzero(block, size);
    std::free(block);
}

}  // namespace

// The operators of libstdc++ that are not replaced here, such as those for arrays, call these; its operator new calls
// malloc() or aligned_alloc().
void operator delete(void* block) noexcept { wipe_and_free(block, ::malloc_usable_size(block)); }
void operator delete(void* block, std::size_t size) noexcept {
    if (block != nullptr) wipe_and_free(block, size);
}
void operator delete(void* block, std::align_val_t) noexcept { operator delete(block); }
