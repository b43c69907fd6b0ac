// The check at start that the primitives compute what they should (CRY-6).
#pragma once

namespace consentry::crypto {

// One published answer of each primitive in use, and for signatures one that must be refused; a few milliseconds.
// Throws std::runtime_error that names the primitive: the process must not serve.
void run_known_answer_tests();

}  // namespace consentry::crypto
