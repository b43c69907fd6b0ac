// Consentry beside other programs of Debian's, in turns.
#include <array>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <sodium.h>

#include "crypto/argon2/fill.hpp"
#include "crypto/password_engine.hpp"
#include "crypto/password_hash.hpp"
#include "glewlwyd.hpp"
#include "goals.hpp"
#include "side.hpp"

namespace consentry::bench {
namespace {

constexpr double rival_floor = 1;  // of what does the same work

void compare_with_rival(const std::string& goal, const Side& ours, const Side& rival, double floor, Report& report) {
    const Spread per_second = ratio(ours.per_second, rival.per_second);
    const Spread per_cpu = ratio(ours.per_cpu_second, rival.per_cpu_second);
    report.add({.goal = goal,
                .floor = fmt::format("{:.2f} x {}, per second and per cpu-s", floor, rival.name),
                .measured = fmt::format("{}; {}: {}", ours.figures(), rival.name, rival.figures()),
                .ratio = fmt::format("{}; per cpu-s {}", text(per_second, 2), text(per_cpu, 2)),
                .judged = {at_least(per_second, floor, fmt::format("x {}, per second", rival.name)),
                           at_least(per_cpu, floor, fmt::format("x {}, per cpu-s", rival.name))}});
}

// Where memory is slower than the processor, the factor is smaller.
double hashing_floor(std::string_view implementation) {
    if (implementation == "AVX-512") return 2;
    return implementation == "AVX2" ? 1.6 : rival_floor;
}

}  // namespace

void measure_against_nginx(const Stage& stage, Report& report) {
    const auto requests = authenticated(status_path, stage.people().readers);
    const Server service = stage.serve();
    const std::string body = once(service.port, requests.front());
    const Server nginx = stage.serve_nginx(body);
    if (!nginx.child) throw NotInstalled("nginx is not installed; script/bootstrap --bench installs it");
    std::array sides{Side{.name = "nginx", .server = &nginx, .requests = requests},
                     Side{.name = "Consentry", .server = &service, .requests = requests}};
    measure_in_turns(sides, stage.length());
    compare_with_rival(
        fmt::format("nginx: GET 2fa/status, known tokens, against a fixed JSON of {} bytes", body.size()), sides[1],
        sides[0], known_tokens_floor, report);
}

void measure_against_glewlwyd(const Stage& stage, Report& report) {
    constexpr std::size_t login_connections = 32;
    const Server service = stage.serve();
    const Glewlwyd glewlwyd(stage);
    std::array requests{
        Side{.name = "Glewlwyd", .server = &glewlwyd.server(), .requests = glewlwyd.own_profiles()},
        Side{.name = "Consentry", .server = &service, .requests = authenticated(status_path, stage.people().readers)}};
    measure_in_turns(requests, stage.length());
    compare_with_rival("glewlwyd: GET 2fa/status, known tokens, against GET profile_list with a session", requests[1],
                       requests[0], rival_floor, report);

    std::vector<std::string> own_logins;
    for (const std::string& email : stage.people().logins) own_logins.push_back(login_request(email));
    std::array logins{Side{.name = "Glewlwyd",
                           .server = &glewlwyd.server(),
                           .requests = glewlwyd.logins(),
                           .connections = login_connections},
                      Side{.name = "Consentry",
                           .server = &service,
                           .requests = std::move(own_logins),
                           .connections = login_connections}};
    measure_in_turns(logins, stage.length());
    compare_with_rival("glewlwyd: login with Argon2id (19 MiB, 2 passes), against PBKDF2 (150,000 iterations)",
                       logins[1], logins[0], rival_floor, report);
}

void measure_against_libsodium(const Stage& stage, Report& report) {
    if (sodium_init() < 0) throw std::runtime_error("libsodium does not start");
    const crypto::Argon2Settings settings;
    const std::string hash = crypto::hash_password(password, settings);
    const std::string_view secret = password;
    if (crypto_pwhash_str_verify(hash.c_str(), secret.data(), secret.size()) != 0)
        throw std::runtime_error("libsodium does not accept our hash");
    const std::string implementation(crypto::argon2::fill_implementations().front().name);
    std::array<std::vector<double>, 2> ours;  // per second, per cpu-s
    std::array<std::vector<double>, 2> theirs;
    const auto add = [](std::array<std::vector<double>, 2>& to, const Pace& pace) {
        to[0].push_back(pace.per_second);
        to[1].push_back(pace.per_cpu_second);
    };
    for (int round = 0; round < stage.length().rounds; ++round) {
        add(theirs, pace_of(stage.threads(), stage.length().window, [&](std::size_t) {
                std::ignore = crypto_pwhash_str_verify(hash.c_str(), secret.data(), secret.size());
            }));
        add(ours, pace_of(stage.threads(), stage.length().window, [&](std::size_t) {
                crypto::keep_password_memory(settings.memory_kib);  // as the service's threads do
                crypto::verify_password(password, hash, settings);
            }));
    }
    const double floor = hashing_floor(implementation);
    const Spread per_second = ratio(ours[0], theirs[0]);
    const Spread per_cpu = ratio(ours[1], theirs[1]);
    report.add({.goal = fmt::format("libsodium: Argon2id (m={} KiB, t={}) on {} threads, {}", settings.memory_kib,
                                    settings.passes, stage.threads(), implementation),
                .floor = fmt::format("{:.2f} x libsodium", floor),
                .measured = fmt::format("{}/s; libsodium: {}/s", count(spread(ours[0]).median),
                                        count(spread(theirs[0]).median)),
                .ratio = fmt::format("{}; per cpu-s {}", text(per_second, 2), text(per_cpu, 2)),
                .judged = {at_least(per_second, floor, "x libsodium, per second")}});
}

}  // namespace consentry::bench
