#include "storage/redis/redis_slots.hpp"

#include <boost/crc.hpp>

namespace consentry::storage::redis {

std::uint16_t slot_of(std::string_view key) {
    if (const auto open = key.find('{'); open != std::string_view::npos) {
        const auto close = key.find('}', open + 1);
        if (close != std::string_view::npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
    }
    boost::crc_xmodem_t crc;  // polynomial 0x1021, initial value 0, not reflected
    crc.process_bytes(key.data(), key.size());
    return static_cast<std::uint16_t>(crc.checksum() % slot_count);
}

}  // namespace consentry::storage::redis
