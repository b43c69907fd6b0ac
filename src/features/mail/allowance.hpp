// What a task may write that runs before a round of the mail delivery.
#pragma once

#include <cstddef>

namespace consentry {

struct MailAllowance {
    std::size_t most = 0;  // mails that their readers have to open soon
    // The mail service has failed, and nothing but this mail shows whether it is there again: it may wait for long.
    bool is_probe = false;
};

}  // namespace consentry
