// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/server/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>

#include "render/base/error.h"

namespace simulacra::inspector {
namespace {

constexpr std::size_t kMaxConnections = 256;
constexpr int kWriteSeconds = 15, kKeepAliveSeconds = 4, kKeepAliveRequests = 1000;

/// A thread for each connection, up to a limit; idle ones are used again. What comes beyond waits.
class ConnectionThreads : public httplib::TaskQueue {
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));

 public:
  Enqueued enqueue(std::function<void()> task) override {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (idle_ < tasks_.size() && threads_.size() < kMaxConnections) threads_.emplace_back([this] { work(); });
    ready_.notify_one();
    return Enqueued(true);
  }
  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      ready_.wait(lock, [&] { return closed_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool closed_ = false;
};

void set_safety_headers(httplib::Response& response) {
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cache-Control", "no-store");
  response.set_header("Content-Security-Policy",
                      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; "
                      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

void refuse(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text + "\n", "text/plain; charset=utf-8");
  response.set_header("Connection", "close");   // a body that was not read may follow
}

/// The body is shared with the cache: no copy for each client.
void send(const Answer& answer, httplib::Response& response) {
  response.status = answer.status;
  if (answer.body->size() < 4096) {
    response.set_content(*answer.body, answer.type);
    return;
  }
  response.set_content_provider(answer.body->size(), answer.type,
                                [body = answer.body](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                  constexpr std::size_t kStep = std::size_t{64} << 10;
                                  return sink.write(body->data() + offset, std::min(length, kStep));
                                });
}

}  // namespace

std::string random_token() {
  std::ifstream random("/dev/urandom", std::ios::binary);
  std::array<unsigned char, 16> bytes{};
  random.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  if (!random) fail("/dev/urandom: cannot be read");
  std::string token;
  for (const unsigned char b : bytes) token += fmt::format("{:02x}", b);
  return token;
}

bool same_text(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < b.size(); ++i)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(i < a.size() ? a[i] : 0) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

bool is_own_host(std::string_view header, std::string_view host) {
  const std::size_t bracket = header.rfind(']'), colon = header.rfind(':');
  std::string_view name = header;
  if (colon != std::string_view::npos && (bracket == std::string_view::npos ? header.find(':') == colon : colon > bracket)) {
    const std::string_view port = header.substr(colon + 1);
    if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string_view::npos) return false;
    name = header.substr(0, colon);
  }
  return name == "127.0.0.1" || name == "localhost" || name == "[::1]" || (!name.empty() && name == host);
}

struct Server::State {
  State(Answers& all, ServerOptions given) : answers(all), options(std::move(given)) {}

  httplib::Server::HandlerResponse handle(const httplib::Request& request, httplib::Response& response) {
    // Ranges would let a small request ask for the same bytes a thousand times.
    const_cast<httplib::Request&>(request).ranges.clear();
    set_safety_headers(response);
    if (request.method != "GET" && request.method != "HEAD") {
      refuse(response, 405, "only GET and HEAD");
      response.set_header("Allow", "GET, HEAD");
    } else if (!is_own_host(request.get_header_value("Host"), options.host)) {
      refuse(response, 403, "this server is not reached by that name; use the address that it printed");
    } else if (!rest_after_token(request.path)) {
      refuse(response, 403, "the address lacks the token; use the address that the program printed");
    } else {
      send(answers(*rest_after_token(request.path)), response);
    }
    return httplib::Server::HandlerResponse::Handled;
  }

  /// The path behind "/TOKEN/".
  std::optional<std::string_view> rest_after_token(std::string_view path) const {
    const std::size_t end = path.find('/', 1);
    if (path.empty() || path[0] != '/' || end == std::string_view::npos) return std::nullopt;
    if (!same_text(path.substr(1, end - 1), options.token)) return std::nullopt;
    return path.substr(end + 1);
  }

  Answers& answers;
  ServerOptions options;
  httplib::Server http;
  int port = 0;
  std::atomic<bool> entered{false}, stopped{false};   ///< run() is inside; stop() was called
};

Server::Server(Answers& answers, ServerOptions options) : state_(std::make_unique<State>(answers, std::move(options))) {
  State& s = *state_;
  if (s.options.token.empty()) s.options.token = random_token();
  s.http.new_task_queue = [] { return new ConnectionThreads; };
  s.http.set_pre_routing_handler([&s](const httplib::Request& request, httplib::Response& response) { return s.handle(request, response); });
  s.http.set_read_timeout(s.options.patience_s);
  s.http.set_write_timeout(kWriteSeconds);
  s.http.set_keep_alive_timeout(kKeepAliveSeconds);
  s.http.set_keep_alive_max_count(kKeepAliveRequests);
  s.http.set_payload_max_length(0);
  s.http.set_tcp_nodelay(true);
  // Not SO_REUSEPORT, which would let a second server share the port.
  s.http.set_socket_options([](int socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  const int wanted = s.options.port == 0 ? kUsualPort : s.options.port;
  if (s.http.bind_to_port(s.options.host, wanted)) s.port = wanted;
  else if (s.options.port == 0) s.port = s.http.bind_to_any_port(s.options.host);
  if (s.port <= 0) fail_usage("{}:{}: the port cannot be had; it is in use, or the address is not this computer's", s.options.host, wanted);
}

Server::~Server() { stop(); }

std::string Server::url() const {
  const bool six = state_->options.host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/{}/", six ? "[" : "", state_->options.host, six ? "]" : "", state_->port, state_->options.token);
}

int Server::port() const { return state_->port; }

void Server::run() {
  state_->entered = true;
  if (!state_->stopped) state_->http.listen_after_bind();
  state_->entered = false;
}

/// The library's stop() is lost on a server whose run() has begun and does not listen yet.
void Server::stop() {
  state_->stopped = true;
  while (state_->entered && !state_->http.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  state_->http.stop();
}

}  // namespace simulacra::inspector
