// The security event stream as JSON lines in DATA_DIR/security/events.log, readable only by the owner of the data
// folder. Commands that run beside the service append to the same file.
#pragma once

#include <filesystem>

#include "base/clock.hpp"
#include "base/line_writer.hpp"
#include "base/security_events.hpp"

namespace consentry {

// The folder of events.log and the older files that were renamed.
std::filesystem::path security_event_folder(const std::filesystem::path& data_directory);

class SecurityEventFile final : public SecurityEvents {
public:
    // Creates the file with the first event. `bytes_max`: limit for all its files together. `clock` must outlive this
    // object.
    SecurityEventFile(const std::filesystem::path& data_directory, std::size_t bytes_max, const Clock& clock);

    void record(const SecurityEvent& event) noexcept override;

    std::uint64_t lost() const { return writer_.lost(); }

private:
    const Clock& clock_;
    LineWriter writer_;
};

}  // namespace consentry
