#include "base/error_text.hpp"

#include <filesystem>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace consentry {

std::string sentence_of(const boost::system::error_code& error) {
    namespace asio = boost::asio;
    // The resolver's own message mentions "authoritative" answers, which does not help the reader.
    if (error == asio::error::host_not_found || error == asio::error::no_data) return "host not found";
    if (error == asio::error::host_not_found_try_again) return "the host name cannot be resolved at present";
    return error.message();
}

std::string sentence_of(const std::exception& error) {
    if (const auto* of_boost = dynamic_cast<const boost::system::system_error*>(&error))
        return sentence_of(of_boost->code());
    const auto* of_files = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    if (of_files == nullptr) return error.what();
    const std::string& place = of_files->path1().string();
    const std::string trouble = of_files->code().message();
    return place.empty() ? trouble : place + ": " + trouble;
}

}  // namespace consentry
