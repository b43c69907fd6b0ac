#include "tests/support/mail_server.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <unistd.h>

#include <boost/json/parse.hpp>

#include "tests/support/eventually.hpp"
#include "tests/support/files.hpp"
#include "tests/support/shell.hpp"

namespace consentry::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* mail_script = CONSENTRY_REAL_SERVERS "/mail.sh";

const char* name_of(MailServerTls tls) {
    return tls == MailServerTls::none ? "none" : tls == MailServerTls::starttls ? "starttls" : "implicit";
}

}  // namespace

MailServer::MailServer(MailServerTls tls, std::string user) : tls_(tls), user_(std::move(user)) {
    // The server runs as another user, who must be able to enter the folder.
    fs::permissions(folder_.path(), fs::perms{0755});
    start();
}

MailServer::~MailServer() {
    try {
        run_command({mail_script, "stop", folder_ / "server"});
    } catch (const std::exception&) {
        // The server ends with this process.
    }
}

void MailServer::start() {
    std::vector<std::string> words{mail_script,        "start",      "--owner", std::to_string(::getpid()),
                                   folder_ / "server", name_of(tls_)};
    if (!user_.empty()) words.push_back(user_);
    const auto values = named_values(output_of(words));
    port_ = static_cast<std::uint16_t>(std::stoul(values.at("PORT")));
    password_ = values.at("PASSWORD");
    ca_file_ = values.at("CA");
    untrusted_ca_file_ = values.at("UNTRUSTED_CA");
}

void MailServer::halt() { output_of({mail_script, "halt", folder_ / "server"}); }

std::string MailServer::url() const {
    const std::string login = user_.empty() ? "" : user_ + ':' + password_ + '@';
    const std::string place = login + "127.0.0.1:" + std::to_string(port_);
    switch (tls_) {
        case MailServerTls::none:
            return "smtp://" + place + "?tls=none";
        case MailServerTls::starttls:
            return "smtp://" + place + "?ca_file=" + ca_file_;
        case MailServerTls::implicit:
            break;
    }
    return "smtps://" + place + "?ca_file=" + ca_file_;
}

std::vector<SmtpMail> MailServer::mails() const {
    const std::string text = text_in(folder_ / "server" / "mails.jsonl");
    std::vector<SmtpMail> out;
    for (std::size_t at = 0, end = text.find('\n'); end != std::string::npos; at = end + 1, end = text.find('\n', at)) {
        const auto line = boost::json::parse(std::string_view(text).substr(at, end - at)).as_object();
        const auto member = [&](std::string_view name) { return std::string(line.at(name).as_string()); };
        out.push_back(
            {member("from"), member("to"), line.at("tls").as_bool(), member("user"), read_mail(member("raw"))});
    }
    return out;
}

std::vector<SmtpMail> MailServer::wait_for(std::size_t count) const {
    if (!eventually([&] { return mails().size() >= count; }))
        throw std::runtime_error(std::to_string(mails().size()) + " mails came, not " + std::to_string(count));
    return mails();
}

std::size_t MailServer::connections() const { return text_in(folder_ / "server" / "connections").size(); }

void MailServer::fail(const std::string& fault) const {
    const fs::path file = folder_ / "server" / "fault.json";
    std::ofstream(file.string() + ".new") << fault;
    fs::rename(file.string() + ".new", file);
    fs::permissions(file, fs::perms{0644});
}

void MailServer::work_again() const { fs::remove(folder_ / "server" / "fault.json"); }

}  // namespace consentry::tests
