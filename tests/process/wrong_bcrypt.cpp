// A crypt(3) whose answers are wrong, in place of the system's (known_answers_start_test.cpp). Of the primitives that a
// start proves, only bcrypt comes from a function that nothing else calls before.
#include <cstring>
#include <string_view>

#include <crypt.h>

extern "C" __attribute__((visibility("default"))) char* crypt_r(const char*, const char* setting,
                                                                crypt_data* data) noexcept {
    const std::string_view right(setting);
    if (right.empty() || right.size() >= sizeof(data->output)) return nullptr;
    std::memcpy(data->output, setting, right.size() + 1);
    char& last = data->output[right.size() - 1];
    last = last == '.' ? '/' : '.';
    return data->output;
}
