#include "features/mail/mails.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "features/mail/repository.hpp"

namespace consentry {

Mails::Mails(const std::vector<std::string>& secrets) : keys_(secrets, "consentry mail") {}

void Mails::add(storage::Transaction& transaction, UserId to, MailKind kind, MailFacts facts, TimePoint now) {
    boost::json::object payload;
    for (auto& [name, value] : facts) payload[name] = std::move(value);
    const MailId id = MailId::make(now);
    const auto sealed = keys_.seal(as_bytes(boost::json::serialize(payload)), as_bytes(id.text()));
    MailRepository::add_insert(transaction, id, to, kind, sealed, now);
    written_.fetch_add(1, std::memory_order_relaxed);
}

void Mails::add_notice(storage::Transaction& transaction, UserId to, MailKind kind, const Cause& cause, TimePoint now,
                       MailFacts facts) {
    if (cause.origin) {
        facts.emplace_back("address", cause.origin->address);
        facts.emplace_back("userAgent", cause.origin->user_agent);
    }
    add(transaction, to, kind, std::move(facts), now);
}

}  // namespace consentry
