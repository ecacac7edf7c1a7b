// The ceiling of this stack on a machine: a bare Boost.Beast server that answers every
// request with the same small JSON. ops/bench measures it beside the real one.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

namespace {

class session : public std::enable_shared_from_this<session> {
public:
  session(tcp::socket socket, const std::string& body) : stream_(std::move(socket)), body_(body) {
    stream_.socket().set_option(tcp::no_delay{true});
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(16 * 1024);
    parser_->body_limit(64 * 1024);
    stream_.expires_after(std::chrono::seconds{30});
    http::async_read(stream_, buffer_, *parser_, beast::bind_front_handler(&session::on_read, shared_from_this()));
  }

private:
  void on_read(beast::error_code error, std::size_t) {
    if (error)
      return;
    answer_ = {http::status::ok, parser_->get().version()};
    answer_.set(http::field::content_type, "application/json");
    answer_.keep_alive(parser_->get().keep_alive());
    answer_.body() = body_;
    answer_.prepare_payload();
    http::async_write(stream_, answer_, beast::bind_front_handler(&session::on_write, shared_from_this()));
  }

  void on_write(beast::error_code error, std::size_t) {
    if (!error && answer_.keep_alive())
      read();
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> answer_;
  const std::string& body_;
};

} // namespace

/// Arguments: port, threads, bytes of the body.
int main(int argc, char** argv) {
  const auto number = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
  const auto port = static_cast<unsigned short>(number(1, 9090));
  const auto threads = static_cast<std::size_t>(std::max(1, number(2, 2)));
  const auto size = static_cast<std::size_t>(std::max(2, number(3, 200)));
  std::signal(SIGPIPE, SIG_IGN);
  const std::string body = "\"" + std::string(size - 2, 'x') + "\"";
  std::vector<std::unique_ptr<asio::io_context>> contexts;
  for (std::size_t i = 0; i < threads; ++i)
    contexts.push_back(std::make_unique<asio::io_context>(1));
  tcp::acceptor acceptor{*contexts[0], tcp::endpoint{asio::ip::make_address("127.0.0.1"), port}};
  std::size_t next = 0;
  auto accept = [&](auto& self) -> void {
    auto& home = *contexts[next++ % contexts.size()];
    acceptor.async_accept(home, [&](beast::error_code error, tcp::socket socket) {
      if (!error) {
        auto fresh = std::make_shared<session>(std::move(socket), body);
        asio::post(home, [fresh] { fresh->read(); });
      }
      self(self);
    });
  };
  accept(accept);
  std::cout << "serving " << body.size() << " bytes on port " << port << std::endl;
  std::vector<std::thread> running;
  for (auto& context : contexts)
    running.emplace_back([&context] {
      const auto work = asio::make_work_guard(*context);
      context->run();
    });
  for (auto& each : running)
    each.join();
}
