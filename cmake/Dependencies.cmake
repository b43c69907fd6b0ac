set(THREADS_PREFER_PTHREAD_FLAG ON)
set(Boost_USE_STATIC_LIBS ON)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(OpenSSL 3 REQUIRED)
find_package(PostgreSQL 14 REQUIRED)  # the client library: pipeline mode
find_package(SQLite3 3.35 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL 7.85 REQUIRED)  # protocols by name
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(argon2 REQUIRED IMPORTED_TARGET libargon2)  # for tests: the reference of our own
pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET hiredis)
pkg_check_modules(idn2 REQUIRED IMPORTED_TARGET libidn2)
pkg_check_modules(qrcodegen REQUIRED IMPORTED_TARGET qrcodegen)
pkg_check_modules(cmark REQUIRED IMPORTED_TARGET libcmark)
# By pkg-config: its CMake files want the web server of the parts that are not used.
pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET prometheus-cpp-core)
find_library(CCTZ_LIBRARY cctz REQUIRED)

add_library(consentry_boost INTERFACE)
target_link_libraries(consentry_boost INTERFACE Boost::json Boost::url Threads::Threads)
# Asio without its deprecated parts. The io_context is per thread, but other threads post to it, so its locks stay.
# Coroutine frames come from malloc(): a busy thread has hundreds of them, of many sizes, while Asio keeps a few and
# searches them one by one.
target_compile_definitions(consentry_boost INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING)
