// Writes lines to a pipe, a terminal or another descriptor of this process whose reader may be slow, asleep or gone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace consentry {

class PatientDescriptor {
public:
    explicit PatientDescriptor(int descriptor);
    ~PatientDescriptor();
    PatientDescriptor(const PatientDescriptor&) = delete;
    PatientDescriptor& operator=(const PatientDescriptor&) = delete;

    // Returns the number of bytes written; fewer if the reader has stalled for a second. The next call ends a line that
    // was cut off.
    std::size_t write(std::string_view lines) noexcept;
    // Why fewer bytes were written the last time that it was so, as text for people; empty if it never was.
    std::string trouble() const;

private:
    std::size_t put(std::string_view bytes) noexcept;

    const int given_;
    const int own_;  // the same terminal; -1: none
    int error_ = 0;
    bool torn_ = false;  // whether the last byte written is in the middle of a line
};

}  // namespace consentry
