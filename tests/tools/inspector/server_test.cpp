// SPDX-License-Identifier: Apache-2.0
// The server as clients of every kind meet it, over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"
#include "tests/tools/inspector/small_set.h"
#include "tools/inspector/server/server.h"

namespace simulacra::inspector {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

class Socket {
 public:
  explicit Socket(int port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{20, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    connected_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Socket() { ::close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  bool send(const std::string& text) { return connected_ && ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()); }
  std::string receive_all() {
    std::string all;
    char buffer[65536];
    for (ssize_t n; (n = ::recv(descriptor_, buffer, sizeof(buffer), 0)) > 0;) all.append(buffer, static_cast<std::size_t>(n));
    return all;
  }

 private:
  int descriptor_;
  bool connected_ = false;
};

class Inspector : public testing::Test {
 protected:
  void SetUp() override {
    test::write_small_set(dir_.path() / "set");
    std::ofstream(dir_.path() / "secret.txt") << "secret";
    sets_.lists.push_back(list_frames(dir_.path() / "set"));
    statistics_ = std::make_unique<StatisticsScan>(sets_.lists.front());
    answers_ = std::make_unique<Answers>(sets_, statistics_.get(), nullptr, kCacheBytes);
    server_ = std::make_unique<Server>(*answers_, ServerOptions{.host = "127.0.0.1", .port = free_port(), .token = "t0ken", .patience_s = 1});
    thread_ = std::thread([this] { server_->run(); });
  }
  void TearDown() override {
    server_->stop();
    thread_.join();
  }
  static constexpr std::size_t kCacheBytes = std::size_t{1} << 20;

  static int free_port() {
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(probe);
    return ntohs(address.sin_port);
  }
  std::string ask(const std::string& request) {
    Socket socket(server_->port());
    socket.send(request);
    return socket.receive_all();
  }
  std::string get(const std::string& path, const std::string& more = "") {
    return ask("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + more + "\r\n");
  }

  test::TempDir dir_;
  Sets sets_;
  std::unique_ptr<StatisticsScan> statistics_;
  std::unique_ptr<Answers> answers_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(Inspector, AnswersWithThePageAndData) {
  EXPECT_THAT(get("/t0ken/"), HasSubstr("<!doctype html>"));
  EXPECT_THAT(get("/t0ken/page/main.js"), HasSubstr("text/javascript"));
  EXPECT_THAT(get("/t0ken/api/index"), HasSubstr("SIM1"));
  EXPECT_THAT(get("/t0ken/api/frame/0/1"), HasSubstr("\"depth_meters\""));
  EXPECT_THAT(get("/t0ken/api/pixel/0/1/3/2"), HasSubstr("\"depth_meters\":[2.296875]"));
  EXPECT_THAT(get("/t0ken/api/plane/0/1/depth_meters"), HasSubstr("float16"));
  EXPECT_THAT(get("/t0ken/api/thumbnail/1"), HasSubstr("image/jpeg"));
  EXPECT_THAT(get("/t0ken/api/scene/0"), HasSubstr("\"cameras\""));
  EXPECT_THAT(get("/t0ken/api/findings/0"), HasSubstr("\"off\""));
  EXPECT_EQ(server_->url(), "http://127.0.0.1:" + std::to_string(server_->port()) + "/t0ken/");
}

TEST_F(Inspector, AsksForTheTokenEverywhere) {
  for (const char* path : {"/", "/t0ken", "/t0kem/", "/t0kenn/", "/t0k/", "//", "/api/index", "/page/main.js", "/T0KEN/", "/../t0ken/"})
    EXPECT_THAT(get(path), StartsWith("HTTP/1.1 403")) << path;
  EXPECT_THAT(get("/t0kem/api/index"), HasSubstr("lacks the token"));
}

TEST_F(Inspector, RefusesNamesThatAreNotItsOwn) {
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "127.0.0.1:80:80", "", "[::2]", "127.0.0.1:"})
    EXPECT_THAT(ask(std::string("GET /t0ken/ HTTP/1.1\r\nHost: ") + host + "\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 403")) << host;
  EXPECT_THAT(ask("GET /t0ken/ HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 403")) << "no Host at all";
  for (const char* host : {"127.0.0.1", "localhost", "localhost:9000", "[::1]:80"})   // a forwarded port has another number
    EXPECT_THAT(ask(std::string("GET /t0ken/ HTTP/1.1\r\nHost: ") + host + "\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 200")) << host;
}

TEST_F(Inspector, OnlyReads) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    const std::string answer = ask(std::string(method) + " /t0ken/api/index HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    EXPECT_THAT(answer, testing::AnyOf(StartsWith("HTTP/1.1 405"), StartsWith("HTTP/1.1 413"))) << method;
    EXPECT_THAT(answer, testing::Not(HasSubstr("SIM1"))) << method;
  }
}

TEST_F(Inspector, NoPathLeadsOut) {
  for (const char* path : {"/t0ken/../secret.txt", "/t0ken/page/../../secret.txt", "/t0ken/page/..%2f..%2fsecret.txt", "/t0ken/api/plane/0/0/../../../secret.txt",
                           "/t0ken/api/plane/0/0/..%2f..%2f..%2fsecret.txt", "/t0ken/api/preview/0/..%2f..%2fsecret.txt", "/t0ken/api/preview/0/%00",
                           "/t0ken//etc/passwd", "/t0ken/api/plane/0/0//etc/passwd", "/t0ken/page/%2e%2e/%2e%2e/secret.txt"}) {
    const std::string answer = get(path);
    EXPECT_THAT(answer, testing::Not(HasSubstr("secret"))) << path;
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 40")) << path;
  }
}

TEST_F(Inspector, OddNumbersAndNamesAreRefusedInWords) {
  EXPECT_THAT(get("/t0ken/api/frame/0/4"), testing::AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("there is no frame 4; there are 4")));
  EXPECT_THAT(get("/t0ken/api/frame/1/0"), HasSubstr("there is no set 1"));
  for (const char* id : {"-1", "1e3", "0x1", "99999999999999999999999", "", "1%20", "%2b1", "1.5", "NaN"})
    EXPECT_THAT(get(std::string("/t0ken/api/frame/0/") + id), StartsWith("HTTP/1.1 40")) << id;
  EXPECT_THAT(get("/t0ken/api/plane/0/0/none"), HasSubstr("there is no file with 'none'"));
  EXPECT_THAT(get("/t0ken/api/plane/0/0/Depth%0a"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(get("/t0ken/api/pixel/0/0/8/0"), HasSubstr("there is no pixel (8, 0)"));
  EXPECT_THAT(get("/t0ken/api"), StartsWith("HTTP/1.1 404"));
}

TEST_F(Inspector, ADamagedFileIsToldWithItsName) {
  const auto file = label_file(sets_.lists[0], 2, "color");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THAT(get("/t0ken/api/plane/0/2/color"), testing::AllOf(StartsWith("HTTP/1.1 422"), HasSubstr("frame.0000.color.hdf5")));
}

TEST_F(Inspector, HugeAndMalformedRequestsHurtNobody) {
  EXPECT_THAT(get("/t0ken/" + std::string(100'000, 'a')), testing::AnyOf(testing::IsEmpty(), StartsWith("HTTP/1.1 4")));
  EXPECT_THAT(get("/t0ken/", "X: " + std::string(1'000'000, 'b') + "\r\n"), testing::AnyOf(testing::IsEmpty(), StartsWith("HTTP/1.1 4")));
  EXPECT_THAT(get("/t0ken/" + std::string(3000, '/')), StartsWith("HTTP/1.1 404"));
  ask(std::string("\0\1\2\3\r\n\r\n", 8));
  ask("GET\r\n\r\n");
  std::string ranges = "Range: bytes=";
  for (int i = 0; i < 900; ++i) ranges += "0-,";
  const std::string answer = get("/t0ken/page/main.js", ranges + "0-\r\n");
  EXPECT_LT(answer.size(), 40'000u) << "the same bytes are not sent a thousand times";
  EXPECT_THAT(get("/t0ken/"), StartsWith("HTTP/1.1 200"));
}

TEST_F(Inspector, SlowClientsKeepNobodyWaiting) {
  std::vector<std::unique_ptr<Socket>> slow;
  for (int i = 0; i < 60; ++i) {   // the head of a request, and then nothing
    slow.push_back(std::make_unique<Socket>(server_->port()));
    slow.back()->send("GET /t0ken/ HTTP/1.1\r\nHost: loc");
  }
  const auto start = Clock::now();
  EXPECT_THAT(get("/t0ken/api/index"), StartsWith("HTTP/1.1 200"));
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - start).count(), 3.0);
  for (auto& socket : slow) EXPECT_THAT(socket->receive_all(), testing::Not(HasSubstr("<!doctype"))) << "given up after the time limit";
}

TEST_F(Inspector, SixteenClientsAtOnceGetWhatTheyAskedFor) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 16; ++c)
    clients.emplace_back([&, c] {
      for (int k = 0; k < 25; ++k) {
        const int frame = (c + k) % 4, pixel = k % 48;
        const std::string answer = get("/t0ken/api/pixel/0/" + std::to_string(frame) + "/" + std::to_string(pixel % 8) + "/" + std::to_string(pixel / 8));
        const auto at = answer.find("\"depth_meters\":[");
        if (at == std::string::npos || std::stof(answer.substr(at + 16)) != test::small_depth(frame % 2, static_cast<std::size_t>(pixel))) ++wrong;
        if (get("/t0ken/api/plane/0/" + std::to_string(frame) + "/color").find("SIM1") == std::string::npos) ++wrong;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(answers_->cached_bytes(), kCacheBytes);
  EXPECT_EQ(answers_->busy(), 0);
}

TEST_F(Inspector, APortInUseIsToldAsSuch) {
  EXPECT_THAT(test::message_of([&] { Server(*answers_, {.host = "127.0.0.1", .port = server_->port(), .token = "", .patience_s = 1}); }), HasSubstr("the port cannot be had"));
}

TEST(AnswerCache, KeepsTheLatestWithinItsBytes) {
  AnswerCache cache(100);
  const auto text = [](std::size_t n) { return std::make_shared<const std::string>(n, 'x'); };
  cache.keep("a", text(40)), cache.keep("b", text(40));
  EXPECT_TRUE(cache.find("a"));
  cache.keep("c", text(40));
  EXPECT_FALSE(cache.find("b")) << "the one that was not asked for goes";
  EXPECT_TRUE(cache.find("a") && cache.find("c"));
  cache.keep("large", text(51));
  EXPECT_FALSE(cache.find("large"));
  EXPECT_EQ(cache.bytes(), 80u);
}

TEST(Token, IsRandomAndComparedWhole) {
  EXPECT_EQ(random_token().size(), 32u);
  EXPECT_NE(random_token(), random_token());
  EXPECT_TRUE(same_text("abc", "abc"));
  for (const char* other : {"", "ab", "abcd", "abd", "xbc"}) EXPECT_FALSE(same_text(other, "abc")) << other;
}

TEST(OwnHost, TakesTheAddressThatItListensAt) {
  EXPECT_TRUE(is_own_host("10.0.0.5:81", "10.0.0.5"));
  EXPECT_FALSE(is_own_host("10.0.0.6:81", "10.0.0.5"));
}

}  // namespace
}  // namespace simulacra::inspector
