#include "features/mail/mails.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace consentry {

Mails::Mails(const std::vector<std::string>& secrets) : keys_(secrets, "consentry mail") {}

void Mails::add(storage::Transaction& transaction, UserId to, MailKind kind, MailFacts facts, TimePoint now) {
    boost::json::object payload;
    for (const auto& [name, value] : facts) payload[name] = value;
    const MailId id = MailId::make(now);
    const auto sealed = keys_.seal(as_bytes(boost::json::serialize(payload)), as_bytes(id.text()));
    MailRepository::add_insert(transaction, id, to, kind, sealed, now);
    wake();
}

void Mails::add_notice(storage::Transaction& transaction, UserId to, MailKind kind, const Cause& cause, TimePoint now,
                       MailFacts facts) {
    if (cause.origin) {
        facts.emplace_back("address", cause.origin->address);
        facts.emplace_back("userAgent", cause.origin->user_agent);
    }
    add(transaction, to, kind, std::move(facts), now);
}

std::optional<MailFacts> Mails::open(MailId id, const crypto::SealingKeys::Sealed& payload) const {
    const auto plain = keys_.open(payload, as_bytes(id.text()));
    if (!plain) return std::nullopt;
    MailFacts facts;
    const boost::json::value parsed = boost::json::parse(as_text(*plain));
    for (const auto& member : parsed.as_object()) facts.emplace_back(member.key(), member.value().as_string());
    return facts;
}

}  // namespace consentry
