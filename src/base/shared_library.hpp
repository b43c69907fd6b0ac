// A library of the system that the program loads when a setting first needs it, instead of at every start.
#pragma once

namespace consentry {

class SharedLibrary {
public:
    // The address of a function, which becomes the pointer it initializes.
    class Symbol {
    public:
        explicit Symbol(void* address) : address_(address) {}
        template <class Function>
        // NOLINTNEXTLINE(google-explicit-constructor): the table of a library's functions names each type once
        operator Function*() const {
            return reinterpret_cast<Function*>(address_);
        }

    private:
        void* address_;
    };

    // Blocks: reads files. Throws std::runtime_error with a sentence that names the library, what is wrong, and the
    // Debian package that contains it. `soname` and `package` are literals.
    SharedLibrary(const char* soname, const char* package);
    SharedLibrary(const SharedLibrary&) = delete;
    SharedLibrary& operator=(const SharedLibrary&) = delete;
    // The library stays loaded: its threads, exit handlers and results may outlive the code that loaded it.
    ~SharedLibrary() = default;

    // Throws like the constructor.
    Symbol operator[](const char* function) const;

private:
    const char* soname_;
    const char* package_;
    void* handle_;
};

}  // namespace consentry
