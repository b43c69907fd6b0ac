#include "base/wrong_settings.hpp"

#include <exception>

#include <fmt/format.h>

#include "base/error_text.hpp"

namespace consentry {

void throw_as_fault_of(std::string_view setting) {
    const auto named = [&](const std::exception& error) { return fmt::format("{}: {}", setting, sentence_of(error)); };
    try {
        throw;
    } catch (const WrongSettings& error) {
        throw WrongSettings(named(error));
    } catch (const std::exception& error) {
        throw std::runtime_error(named(error));
    }
}

}  // namespace consentry
