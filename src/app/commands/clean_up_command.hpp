// The command that does at once what the service does now and then.
#pragma once

namespace consentry {

int clean_up();

}  // namespace consentry
