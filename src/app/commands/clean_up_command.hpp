// Runs all periodic clean-up tasks immediately.
#pragma once

namespace consentry {

int clean_up(bool as_json);

}  // namespace consentry
