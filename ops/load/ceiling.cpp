// credence_ceiling: a bare Boost.Beast server that answers every request with one constant.
// It parses requests with the same limits and timeouts as a server of that kind should, and
// does nothing else: what it reaches is the ceiling of this stack on a machine. With a database
// it also inserts one row for every request, in a transaction of its own, on the thread that read
// the request: that is the plain way to store a vote.

// g++ 12 sees null pointers in Asio's inlined code where there are none.
#pragma GCC diagnostic ignored "-Wnull-dereference"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace credence::load {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using executor = asio::io_context::executor_type;
using stream = beast::basic_stream<tcp, executor>;
using plain_socket = asio::basic_stream_socket<tcp, executor>;

constexpr auto timeout = std::chrono::seconds{30};
constexpr std::uint32_t header_most = 16 * 1024;
constexpr std::uint64_t body_most = 64 * 1024;

/// A JSON object of exactly `size` bytes.
std::string constant_body(std::size_t size) {
  const std::string front =
    R"({"success":true,"message":"Your vote has been cast.","newBalance":{"bullishVotesCast":12,)"
    R"("bearishVotesCast":3,"canVote":true},"padding":")";
  const std::string back = "\"}";
  const auto least = front.size() + back.size();
  return front + std::string(size > least ? size - least : 0, 'x') + back;
}

/// A connection to the database, for rows like votes.
class plain_table {
public:
  explicit plain_table(const char* url) : connection_(PQconnectdb(url), &PQfinish) {
    done(PQprepare(connection_.get(), "insert",
                   "INSERT INTO plain_votes (project_id, voter_id, bullish) VALUES ($1::int4, $2::int4, true)", 2,
                   nullptr));
  }
  /// Returns when the row is committed. Throws when it is not.
  void insert() {
    const auto project = std::to_string(random_() % 100);
    const auto voter = std::to_string(random_() >> 1);
    const char* values[] = {project.c_str(), voter.c_str()};
    done(PQexecPrepared(connection_.get(), "insert", 2, values, nullptr, nullptr, 1));
  }

private:
  void done(PGresult* result) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> owned{result, &PQclear};
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::mt19937 random_{std::random_device{}()};
};

/// One connection: reads a request, writes the constant, over and over.
class session : public std::enable_shared_from_this<session> {
public:
  session(plain_socket socket, const std::string& body, plain_table* into) : stream_(std::move(socket)), into_(into) {
    answer_.result(http::status::ok);
    answer_.set(http::field::server, "ceiling");
    answer_.set(http::field::content_type, "application/json");
    answer_.body() = http::span_body<const char>::value_type{body.data(), body.size()};
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(header_most);
    parser_->body_limit(body_most);
    stream_.expires_after(timeout);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_read(error); });
  }

private:
  void on_read(beast::error_code error) {
    if (error)
      return close();
    if (into_)
      into_->insert();
    answer_.version(parser_->get().version());
    answer_.keep_alive(parser_->get().keep_alive());
    answer_.prepare_payload();
    serializer_.emplace(answer_);
    http::async_write(stream_, *serializer_,
                      [self = shared_from_this()](beast::error_code failed, std::size_t) { self->on_write(failed); });
  }

  void on_write(beast::error_code error) {
    if (error || !answer_.keep_alive())
      return close();
    read();
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  stream stream_;
  plain_table* into_; // null: nothing is stored
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::span_body<const char>> answer_;
  std::optional<http::response_serializer<http::span_body<const char>>> serializer_;
};

/// Accepts on the first thread and deals connections out to all of them in turn.
class server {
public:
  server(std::uint16_t port, unsigned threads, std::size_t body_bytes) : body_(constant_body(body_bytes)) {
    const char* database = std::getenv("CEILING_DATABASE_URL");
    for (unsigned i = 0; i < threads; ++i) {
      loops_.push_back(std::make_unique<asio::io_context>(1));
      tables_.push_back(database ? std::make_unique<plain_table>(database) : nullptr);
    }
    acceptor_.emplace(*loops_.front(), tcp::endpoint{asio::ip::address_v4::loopback(), port});
    signals_.emplace(*loops_.front(), SIGINT, SIGTERM);
  }

  void run() {
    signals_->async_wait([this](beast::error_code, int) {
      for (auto& loop : loops_)
        loop->stop();
    });
    accept();
    std::cout << "{\"event\":\"ready\",\"port\":" << acceptor_->local_endpoint().port() << "}" << std::endl;
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < loops_.size(); ++i)
      others.emplace_back([this, i] {
        const auto stays = asio::make_work_guard(*loops_[i]);
        loops_[i]->run();
      });
    loops_.front()->run();
    for (auto& each : others)
      each.join();
  }

private:
  void accept() {
    const auto next = turn_++ % loops_.size();
    acceptor_->async_accept(*loops_[next], [this, next](beast::error_code error, plain_socket socket) {
      if (!error) {
        beast::error_code ignored;
        socket.set_option(tcp::no_delay{true}, ignored);
        // The first read starts on the thread that the connection belongs to.
        asio::post(*loops_[next],
                   [made = std::make_shared<session>(std::move(socket), body_, tables_[next].get())] { made->read(); });
      }
      accept();
    });
  }

  const std::string body_;
  std::vector<std::unique_ptr<plain_table>> tables_; // one for each loop
  std::vector<std::unique_ptr<asio::io_context>> loops_;
  std::optional<asio::basic_socket_acceptor<tcp, executor>> acceptor_;
  std::optional<asio::signal_set> signals_;
  std::size_t turn_ = 0;
};

int run(const std::vector<std::string_view>& words) {
  unsigned port = 0;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  unsigned body_bytes = 200;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    auto* to = words[i] == "--port"         ? &port
               : words[i] == "--threads"    ? &threads
               : words[i] == "--body-bytes" ? &body_bytes
                                            : nullptr;
    if (words[i] == "--help" || words[i] == "-h") {
      std::cout << "credence_ceiling [--port N (0: any)] [--threads N (one per core)] [--body-bytes N (200)]\n"
                   "A bare Boost.Beast server on 127.0.0.1 that answers every request with one constant.\n"
                   "With CEILING_DATABASE_URL it inserts a row into plain_votes first.\n";
      return 0;
    }
    const auto text = i + 1 < words.size() ? words[i + 1] : std::string_view{};
    if (!to || std::from_chars(text.data(), text.data() + text.size(), *to).ptr != text.data() + text.size()
        || text.empty()) {
      std::cerr << "credence_ceiling: " << words[i] << " is not an option, or has no number; see --help\n";
      return 2;
    }
  }
  try {
    server{static_cast<std::uint16_t>(port), std::max(1u, threads), body_bytes}.run();
  } catch (const std::exception& error) {
    std::cerr << "credence_ceiling: " << error.what() << "\n";
    return 1;
  }
  return 0;
}

} // namespace
} // namespace credence::load

int main(int argc, char** argv) { return credence::load::run({argv + 1, argv + argc}); }
