#include "features/mail/smtp_transport.hpp"

namespace consentry {
namespace {

Posting::Verdict verdict_of(net::SmtpAnswer::Verdict verdict) {
    switch (verdict) {
        case net::SmtpAnswer::Verdict::accepted:
            return Posting::Verdict::done;
        case net::SmtpAnswer::Verdict::refused:
            return Posting::Verdict::refused;
        case net::SmtpAnswer::Verdict::put_off:
            return Posting::Verdict::put_off;
        case net::SmtpAnswer::Verdict::no_service:
            break;
    }
    return Posting::Verdict::no_service;
}

}  // namespace

Posting SmtpTransport::post(const PostedMail& mail, const std::stop_token& stop) {
    auto answer = client_.send(mail.from, mail.to, mail.content, stop);
    return {verdict_of(answer.verdict), std::move(answer.reason)};
}

}  // namespace consentry
