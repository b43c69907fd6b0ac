// Commands that manage keys.
#pragma once

namespace consentry {

int generate_keys();
int rotate_keys();
int raise_epoch(bool keep_api_keys);

}  // namespace consentry
