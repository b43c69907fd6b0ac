// Converts library errors to text for people: a sentence that names the place and the problem, without library-internal
// names, error numbers or source lines.
#pragma once

#include <exception>
#include <string>

#include <boost/system/error_code.hpp>

namespace consentry {

std::string sentence_of(const boost::system::error_code& error);
// Exceptions of this program already carry a sentence; their text is returned unchanged.
std::string sentence_of(const std::exception& error);

}  // namespace consentry
