#include "base/wrong_settings.hpp"

#include <exception>
#include <system_error>

#include <fmt/format.h>

#include "base/error_text.hpp"
#include "base/place_faults.hpp"

namespace consentry {

void throw_as_fault_of(std::string_view setting) {
    const auto named = [&](const std::exception& error) { return fmt::format("{}: {}", setting, sentence_of(error)); };
    try {
        throw;
    } catch (const WrongSettings& error) {
        throw WrongSettings(named(error));
    } catch (const std::system_error& error) {
        if (is_fault_of_place(error.code())) throw WrongSettings(named(error));
        throw std::runtime_error(named(error));
    } catch (const std::exception& error) {
        throw std::runtime_error(named(error));
    }
}

}  // namespace consentry
