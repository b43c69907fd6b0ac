// Errors of libraries as people read them: a sentence that names the place and the trouble, without the library's own
// names, numbers and lines of source.
#pragma once

#include <exception>
#include <string>

#include <boost/system/error_code.hpp>

namespace consentry {

std::string sentence_of(const boost::system::error_code& error);
// Of ours, which are sentences already, their own text.
std::string sentence_of(const std::exception& error);

}  // namespace consentry
