#include "features/files/files.hpp"

#include "base/errors.hpp"

namespace consentry {
namespace {

// Larger than any upload that is accepted: a larger file was not stored by this service.
constexpr std::size_t bytes_max = 16 * 1'048'576;

}  // namespace

awaitable<Result<void>> Files::put(Visit visit, std::string mime, std::string bytes) {
    if (!addresses_.admits_put(visit.key, mime, bytes.size(), visit.query, visit.now))
        co_return fail(errors::file_address_invalid);
    co_await store_.put(storage::Area::private_area, std::move(visit.key), std::move(bytes), std::move(mime));
    co_return Result<void>{};
}

awaitable<Result<std::string>> Files::get(Visit visit) {
    if (!addresses_.admits_get(visit.key, visit.query, visit.now)) co_return fail(errors::file_address_invalid);
    co_return co_await read(storage::Area::private_area, std::move(visit.key));
}

awaitable<Result<std::string>> Files::get_public(std::string key) {
    if (!storage::is_object_key(key)) co_return fail(errors::route_not_found);
    co_return co_await read(storage::Area::public_area, std::move(key));
}

awaitable<Result<std::string>> Files::read(storage::Area area, std::string key) {
    auto object = co_await store_.get(area, std::move(key), bytes_max);
    if (!object) co_return fail(errors::route_not_found);
    if (object->bytes.size() < object->size) throw std::runtime_error("files: larger than any that was taken");
    co_return std::move(object->bytes);
}

}  // namespace consentry
