#pragma once

#include <stdexcept>

namespace consentry {

// The log cannot continue without forking; the text says what to do.
class LogRefused : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace consentry
