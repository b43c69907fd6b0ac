// What a verifier trusts: c2sp.org/tlog-policy. Logs, witnesses, and the quorum: which sets of witnesses must have
// cosigned a checkpoint. Immutable; errors are sentences that say what is wrong.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tlog/checkpoint.hpp"
#include "tlog/note_keys.hpp"

namespace consentry::tlog {

inline constexpr std::size_t policy_file_bytes_max = 1024 * 1024;
inline constexpr std::size_t policy_definitions_max = 1000;  // the specification recommends at least 32 of each kind

struct PolicyLog {
    VerifierKey key;  // of type ed25519; its name is the origin
    std::string url;  // empty if the policy has none
};

struct PolicyWitness {
    std::string name;  // within the policy; any octets but white space
    VerifierKey key;   // of type cosignature
    std::string url;   // empty if the policy has none
};

// A checkpoint that the policy accepts, and when its witnesses cosigned it: one of them may have done so twice.
struct AcceptedCheckpoint {
    struct Cosignature {
        std::string witness;
        std::chrono::sys_seconds time;
    };
    Checkpoint checkpoint;
    std::vector<Cosignature> cosignatures;
};

class Policy {
public:
    // Refuses whatever the specification does not allow; the error begins with the number of the line. The last line
    // may lack its newline.
    static std::expected<Policy, std::string> parse(std::string_view text);
    // One log and no witness: trusts a verifier key alone. Refuses a key of another type than ed25519.
    static std::expected<Policy, std::string> of_log(VerifierKey log);

    const std::vector<PolicyLog>& logs() const { return logs_; }
    const std::vector<PolicyWitness>& witnesses() const { return witnesses_; }

    // The same witnesses and quorum, for a log that the policy does not name.
    Policy without_logs() const {
        Policy out(*this);
        out.logs_.clear();
        return out;
    }

    // The same logs and witnesses, but no cosignature is needed.
    Policy without_quorum() const {
        Policy out(*this);
        out.quorum_ = no_quorum;
        return out;
    }

    // `cosigned` says of each witness, in the order of witnesses(), whether its cosignature is valid. Throws
    // std::invalid_argument if it has another size.
    bool has_quorum(const std::vector<bool>& cosigned) const;

    // Accepts the signed note of a checkpoint if the log of its origin has signed it and the quorum has cosigned it. A
    // false signature of any log or witness of the policy refuses it.
    std::expected<AcceptedCheckpoint, std::string> accept(std::string_view note) const;

private:
    friend class PolicyReader;
    struct Group {
        std::size_t threshold;
        std::vector<std::size_t> members;  // places in definitions_ before its own
    };
    using Definition = std::variant<std::size_t, Group>;  // the place of a witness, or a group

    Policy() = default;
    std::string why_no_quorum(const std::vector<bool>& cosigned) const;

    std::vector<PolicyLog> logs_;
    std::vector<PolicyWitness> witnesses_;
    std::vector<Definition> definitions_;  // witnesses and groups in the order of their lines
    std::size_t quorum_ = no_quorum;       // place in definitions_
    static constexpr std::size_t no_quorum = static_cast<std::size_t>(-1);
};

// The lines of a policy that name witnesses, groups and the quorum, without URLs: what a verifier needs of the policy
// by which a log asks its witnesses. `text` must be one that parse() accepts.
std::string verifier_lines(std::string_view text);

}  // namespace consentry::tlog
