#include "app/config/config.hpp"

namespace consentry {

std::string_view text_of(AppEnvironment environment) {
    switch (environment) {
        case AppEnvironment::local:
            return "local";
        case AppEnvironment::development:
            return "development";
        case AppEnvironment::staging:
            return "staging";
        case AppEnvironment::production:
            return "production";
    }
    return {};
}

}  // namespace consentry
