// Commands about keys.
#pragma once

namespace consentry {

int generate_keys();
int rotate_keys();

}  // namespace consentry
