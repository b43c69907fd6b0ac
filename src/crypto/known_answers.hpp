// Known-answer tests of the cryptographic primitives, run at start (CRY-6).
#pragma once

namespace consentry::crypto {

// Checks one published test vector per primitive in use, and for signatures also one that must be rejected; takes a few
// milliseconds. Throws std::runtime_error naming the primitive, in which case the process must not serve.
void run_known_answer_tests();

}  // namespace consentry::crypto
