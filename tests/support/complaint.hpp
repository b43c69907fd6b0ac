// What an action complains about.
#pragma once

#include <stdexcept>
#include <string>

namespace consentry::tests {

// Returns the message of the exception that the action throws; empty if it throws none.
template <class Action>
std::string complaint(Action action) {
    try {
        action();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

}  // namespace consentry::tests
