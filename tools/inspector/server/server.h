// SPDX-License-Identifier: Apache-2.0
// The inspector over HTTP. The only user of cpp-httplib.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tools/inspector/server/answers.h"

namespace simulacra::inspector {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;                    ///< 0 = kUsualPort, or any free one where that is taken
  std::string token;               ///< empty = made at random
  int patience_s = 5;              ///< how long a client may be silent within a request
};
inline constexpr int kUsualPort = 8123;

/// Answers GET and HEAD of http://HOST:PORT/TOKEN/…; all else is refused: another method, another token (compared in constant
/// time), or a Host header that names neither this computer's loopback nor `host`, which is how a page elsewhere would reach
/// it through a name of its own. Each connection has a thread, so that slow clients keep nobody waiting; threads are limited,
/// and so is the time that a client may be silent.
class Server {
 public:
  /// Takes the port. Throws UsageError when it cannot be had. `answers` must live longer.
  Server(Answers& answers, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// "http://127.0.0.1:8123/TOKEN/"
  std::string url() const;
  int port() const;
  /// Serves until stop().
  void run();
  /// From any thread.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 32 hexadecimal digits from the system's random source.
std::string random_token();
/// Takes the same time wherever the texts differ.
bool same_text(std::string_view a, std::string_view b);
/// "127.0.0.1:8123", "localhost", "[::1]:80", or `host` itself with any port.
bool is_own_host(std::string_view header, std::string_view host);

}  // namespace simulacra::inspector
