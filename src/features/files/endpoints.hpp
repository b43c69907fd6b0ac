#pragma once

#include "features/files/files.hpp"
#include "http/endpoint.hpp"

namespace consentry {

void add_file_endpoints(http::Router& router, Files& files);

}  // namespace consentry
