// Tests before the service starts that the buckets allow everything the service does, and allow strangers no more than
// intended. It performs the operations on a temporary file, because access can be granted in more ways than a
// program could inspect.
#include <algorithm>
#include <stdexcept>

#include "base/clock.hpp"
#include "base/uuid.hpp"
#include "storage/s3/s3_store.hpp"

namespace consentry::storage {
namespace {

using net::HttpResponse;
using s3::Call;

constexpr std::string_view mime = "text/plain; charset=utf-8";

// A silent server delays the start of the service, which starts without it as well.
milliseconds patience(const S3Options& options) { return std::min(options.timeout, milliseconds{10'000}); }

bool is_success(const HttpResponse& response) { return response.status >= 200 && response.status < 300; }

}  // namespace

HttpResponse S3Store::send_now(Call call) {
    HttpResponse response = client_.send(call, std::chrono::steady_clock::now() + patience(options_));
    if (response.status >= 500) throw Unavailable("S3: " + call.request.method + ": " + s3::description(response));
    return response;
}

// Reads as the public does, through the CDN in front of the bucket if there is one.
std::expected<HttpResponse, Unavailable> S3Store::read_in_public(const std::string& key) {
    const s3::Request get = request("GET", Area::public_area, key);
    if (options_.public_url.empty()) return send_now({.request = get, .is_signed = false});
    const std::string address = public_address(key);
    const bool is_of_server = address.starts_with("https://" + get.host + "/") ||
                              address.starts_with("https://" + options_.server.host + "/");
    net::HttpClient client({.ca_file = is_of_server ? options_.server.ca_file : "", .plain_http = true});
    try {
        HttpResponse response = client.fetch({.url = address, .timeout = patience(options_)});
        if (response.status < 500) return response;
        return std::unexpected(Unavailable("public address: " + std::to_string(response.status)));
    } catch (const Unavailable& outage) {
        return std::unexpected(Unavailable(std::string("public address: ") + outage.what()));
    }
}

std::optional<Unavailable> S3Store::check_strangers(Area area, const std::string& key, const std::string& bytes) {
    const auto unfit = [&](const std::string& text) {
        throw std::runtime_error((area == Area::private_area ? "private bucket: " : "public bucket: ") + text);
    };
    const auto as_stranger = [&](Call call) {
        call.is_signed = false;
        return send_now(std::move(call));
    };
    std::optional<Unavailable> away;
    if (area == Area::private_area) {
        if (is_success(as_stranger({.request = request("GET", area, key)})))
            unfit(
                "its files are publicly readable; remove public access from its policy, its access control list and "
                "those of its files");
        Call list{.request = request("GET", area, "")};
        list.request.query.emplace_back("list-type", "2");
        if (is_success(as_stranger(std::move(list))))
            unfit("its files can be listed publicly; remove public list access");
    } else if (const auto response = read_in_public(key); !response) {
        away = response.error();
    } else if (response->status != 200 || response->body != bytes) {
        unfit(
            "its files are not publicly readable at " + public_address("KEY") + " (" +
            std::to_string(response->status) +
            "); allow s3:GetObject for everyone in the bucket policy, or set AWS_S3_PUBLIC_CDN to the public address");
    }
    if (is_success(as_stranger(call_to_put(area, key, bytes, std::string(mime)))))
        unfit("it is publicly writable; remove public write access");
    if (is_success(as_stranger({.request = request("DELETE", area, key)})))
        unfit("its files can be deleted publicly; remove public delete access");
    return away;
}

void S3Store::check(Area area) {
    const auto unfit = [&](const std::string& text, const std::string& right, const HttpResponse& response) {
        const bool is_denied = s3::error_code(response) == "AccessDenied";
        throw std::runtime_error((area == Area::private_area ? "private bucket: " : "public bucket: ") + text +
                                 (is_denied ? "; it needs " + right : "") + " (" + s3::description(response) + ")");
    };
    const std::string name = Uuid::v7(SystemClock().now()).text();
    const std::string key = "consentry-check/" + name;
    const std::string bytes = "Consentry created this file to check its permissions. You can delete it. " + name;
    const auto erase = [&] { return send_now({.request = request("DELETE", area, key)}); };

    const HttpResponse put = send_now(call_to_put(area, key, bytes, std::string(mime)));
    if (!is_success(put)) unfit("the access key cannot write to it", "s3:PutObject on its files", put);
    std::optional<Unavailable> away;
    try {
        const HttpResponse got = send_now({.request = request("GET", area, key)});
        if (!is_success(got) || got.body != bytes)
            unfit("the access key cannot read what it wrote", "s3:GetObject on its files", got);
        away = check_strangers(area, key, bytes);
    } catch (...) {
        try {
            erase();
        } catch (const Unavailable&) {
            // The error to report is why the bucket is unfit.
        }
        throw;
    }
    if (const HttpResponse erased = erase(); !is_success(erased))
        unfit("the access key cannot delete from it", "s3:DeleteObject on its files", erased);
    // Without permission to list the bucket, S3 answers for an absent file as for a forbidden one.
    if (const HttpResponse absent = send_now({.request = request("GET", area, key)}); absent.status != 404)
        unfit("the access key cannot tell that a file does not exist", "s3:ListBucket on the bucket", absent);
    if (away) throw Unavailable(*away);
}

void S3Store::look(Area area) {
    const auto list = [&](bool is_signed) {
        Call call{.request = request("GET", area, ""), .is_signed = is_signed};
        call.request.query.emplace_back("list-type", "2");
        call.request.query.emplace_back("max-keys", "1");
        return send_now(std::move(call));
    };
    const std::string bucket = area == Area::private_area ? "private bucket: " : "public bucket: ";
    if (const HttpResponse listed = list(true); !is_success(listed))
        throw std::runtime_error(bucket + "the access key cannot list its files; it needs s3:ListBucket (" +
                                 s3::description(listed) + ")");
    if (area == Area::private_area && is_success(list(false)))
        throw std::runtime_error(bucket + "its files can be listed publicly; remove public list access");
}

void S3Store::look() {
    look(Area::private_area);
    look(Area::public_area);
}

void S3Store::check() {
    check(Area::private_area);
    check(Area::public_area);
}

}  // namespace consentry::storage
