// Replaces a few objects in the folder named on the command line until it is killed. Each new object has another size
// and begins with its number. The program prints "KEY NUMBER" only after put() has returned. filesystem_crash_test.cpp
// runs it.
#include <string>

#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "storage/filesystem/filesystem_store.hpp"

namespace {

using namespace consentry;

boost::asio::awaitable<void> replace(storage::ObjectStore& store, int key, int number) {
    for (;; ++number) {
        const std::string name = std::to_string(key);
        const std::string text = std::to_string(number);
        std::string bytes = text + ":";
        bytes.append(static_cast<std::size_t>(1'000 + number * 7'919 % 90'000), static_cast<char>('a' + number % 26));
        co_await store.put(storage::Area::public_area, "a/" + name + "/b.hbs", std::move(bytes), "");
        const std::string line = name + " " + text + "\n";
        // A single write below the pipe's atomic size, so that the reader never sees half a line.
        if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(3);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    storage::FilesystemStore store({.folder = argv[1], .public_url = "", .secrets = {"-"}});
    boost::asio::io_context context{1};
    for (int key = 0; key < 4; ++key)
        boost::asio::co_spawn(context, replace(store, key, std::stoi(argv[2])), boost::asio::detached);
    context.run();
    return 0;
}
