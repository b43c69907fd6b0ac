// The security event stream as JSON lines in DATA_DIR/security/events.log, for the owner of the data folder alone.
// Commands beside the service append to the same file.
#pragma once

#include <filesystem>

#include "base/clock.hpp"
#include "base/line_writer.hpp"
#include "base/security_events.hpp"

namespace consentry {

class SecurityEventFile final : public SecurityEvents {
public:
    // The file is made with the first event. `bytes_max`: of all its files together. `clock` outlives it.
    SecurityEventFile(const std::filesystem::path& data_directory, std::size_t bytes_max, const Clock& clock);

    void record(const SecurityEvent& event) noexcept override;

    std::uint64_t lost() const { return writer_.lost(); }

private:
    const Clock& clock_;
    LineWriter writer_;
};

}  // namespace consentry
