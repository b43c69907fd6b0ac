// The state shared by the connections of one I/O thread. Nothing here is locked: only that thread touches it, except
// where noted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "http/application.hpp"
#include "http/deadlines.hpp"
#include "http/fair_shares.hpp"
#include "http/message_reader.hpp"
#include "http/response_writer.hpp"
#include "http/server.hpp"

namespace consentry::http {

// The state shared by all threads of a server. Thread-safe.
struct ServerState {
    ServerState(ServerOptions given, Application& app)
        : options(std::move(given)),
          application(app),
          places(options.connections_max),
          bodies(options.body_memory_max) {}

    const ServerOptions options;
    Application& application;
    FairShares places;                           // the connection limit
    FairShares bodies;                           // bytes of bodies beyond what the head buffers hold, and of large
                                                 // answers that wait for their clients
    std::atomic<std::size_t> connections{0};     // open now, including those about to close
    std::atomic<std::size_t> turned_away{0};     // of these, connections over the limit
    std::function<void()> on_connection_closed;  // set once, before the threads start
};

// What one request needs from its first byte to the end of its answer. Idle connections hold no workspace, so 10 000 of
// them share a handful.
struct Workspace {
    explicit Workspace(const ReaderLimits& limits) : reader(limits) {}
    MessageReader reader;
    Response response;
    std::string out;                  // answers not yet written
    boost::asio::ip::address client;  // of the last of them that is large
};

class IoThread {
public:
    IoThread(ServerState& shared, std::chrono::milliseconds deadline_interval)
        : server(shared), context(1), deadlines(context, deadline_interval) {}

    std::unique_ptr<Workspace> borrow_workspace() {
        if (workspaces_.empty()) {
            const ServerOptions& options = server.options;
            return std::make_unique<Workspace>(ReaderLimits{options.head_bytes_max, options.target_bytes_max,
                                                            options.json_bytes_max, options.text_bytes_max,
                                                            &server.application});
        }
        auto workspace = std::move(workspaces_.back());
        workspaces_.pop_back();
        return workspace;
    }
    void give_back(std::unique_ptr<Workspace> workspace) {
        workspace->reader.clear();
        if (workspaces_.size() >= workspaces_kept) return;
        workspace->response.clear();
        workspace->out.clear();
        for (std::string* text : {&workspace->response.headers, &workspace->response.body, &workspace->out})
            if (text->capacity() > text_bytes_kept) std::string().swap(*text);  // assigning would keep the memory
        workspaces_.push_back(std::move(workspace));
    }

    ServerState& server;
    boost::asio::io_context context;
    Deadlines deadlines;
    DateLine date;
    bool stopping = false;
    std::array<char, 16 * 1024> unwanted{};  // sink for discarded bytes

private:
    static constexpr std::size_t workspaces_kept = 64;
    static constexpr std::size_t text_bytes_kept = 64 * 1024;
    std::vector<std::unique_ptr<Workspace>> workspaces_;
};

}  // namespace consentry::http
