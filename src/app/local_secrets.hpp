// What a first start in APP_ENV=local makes for itself: signing keys, the two-factor key and the application's secret,
// below DATA_DIR/keys.
#pragma once

#include "app/config/config.hpp"
#include "base/clock.hpp"

namespace consentry {

// DATA_DIR, for its owner only.
void make_data_folder(const Config& config);

// The configuration with its missing secrets read from, or made in, the key folder. Outside of local nothing is
// made: read_config() has refused to go without them.
Config with_local_secrets(Config config, const Clock& clock);

// The same for a look that changes nothing: what is not there is made up, for this process alone.
Config with_passing_secrets(Config config);

}  // namespace consentry
