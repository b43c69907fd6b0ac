// The HTTP interface of a witness: POST /add-checkpoint, and nothing else. Answers are as c2sp.org/tlog-witness says,
// without the envelopes of the service.
#pragma once

#include "features/witness/witness.hpp"
#include "http/application.hpp"

namespace consentry {

class WitnessApplication final : public http::Application {
public:
    explicit WitnessApplication(Witness& witness) : witness_(witness) {}

    awaitable<void> respond(const http::Request& request, http::Response& response) override;
    void refuse(const http::Request& request, const ErrorKind& kind, http::Response& response) noexcept override;

private:
    Witness& witness_;
};

}  // namespace consentry
