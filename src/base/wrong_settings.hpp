// Settings that are refused only when they are used.
#pragma once

#include <stdexcept>
#include <string_view>

namespace consentry {

// A setting has a value, or names a file, that cannot be used. Trying again does not help, unlike with a server that
// does not respond or a disk that is full: the program ends with the exit code of wrong settings, after which a service
// manager does not start it again. The text begins with the setting, or with the option of a command, if the thrower
// knows it.
class WrongSettings : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// To be called while an exception is handled: throws another of the same kind, whose text begins with the setting.
[[noreturn]] void throw_as_fault_of(std::string_view setting);

}  // namespace consentry
