#include "http/server/connection.hpp"

#include "http/outside/outside_url.hpp"
#include "ops/metrics.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace credence::http {

using namespace std::chrono_literals;

namespace {

constexpr auto questions_patience = 3s;
constexpr std::uint32_t operator_connections_max = 256;

} // namespace

shared_state::shared_state(services s)
  : with(std::move(s)), table(with.api, with.settings.deprecations), unmatched(ops::the_metrics().add_route("-", "unmatched")),
    in_flight(std::make_shared<gate>(static_cast<std::int32_t>(with.settings.requests_in_flight_max))),
    patients(std::make_shared<gate>(patients_max)), writes(with.settings.writes_in_flight_max, with.refused_pause),
    unsent(with.settings.unsent_bytes_max), own_origin(origin_of(with.settings.public_url)), trusted_proxies(with.settings.trusted_proxies),
    limits(with.settings) {}

class server::impl {
public:
  explicit impl(services with) : shared_(std::move(with)) {
    const auto& settings = shared_.with.settings;
    auto count = settings.io_threads;
    if (count == 0)
      count = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
    for (std::uint32_t i = 0; i <= count; ++i) // the last one is the operators'
      threads_.push_back(std::make_unique<io_thread>(shared_));
    public_.emplace(threads_.front()->context());
    operators_.emplace(threads_.back()->context());
    port = listen(*public_, settings.address, settings.port);
    operator_port = listen(*operators_, settings.operator_address, settings.operator_port);
  }

  /// Actors may still hold questions, and with them pointers to our threads' queues.
  /// A queue that is not let go of in time is left behind rather than taken away.
  ~impl() {
    stop();
    const auto until = steady_clock::now() + questions_patience;
    for (auto& each : threads_) {
      while (!each->take_back_all() && steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);
      if (!each->take_back_all())
        static_cast<void>(each.release());
    }
  }

  void start() {
    accept(*public_, false);
    accept(*operators_, true);
    for (auto& each : threads_)
      running_.emplace_back([&each] { each->run(); });
  }

  bool drain(std::chrono::milliseconds most) {
    shared_.draining = true;
    for (auto* each : {&public_, &operators_})
      asio::post((*each)->get_executor(), [each] {
        error_code ignored;
        (*each)->close(ignored);
      });
    for (auto& each : threads_)
      asio::post(each->context(), [&each] { each->close_idle(); });
    const auto until = steady_clock::now() + most;
    while (open_connections() > 0 && steady_clock::now() < until) {
      std::this_thread::sleep_for(10ms);
      for (auto& each : threads_)
        asio::post(each->context(), [&each] { each->close_idle(); });
    }
    return open_connections() == 0;
  }

  void fail_waiting() {
    for (auto& each : threads_)
      asio::post(each->context(), [&each] { each->fail_waiting(); });
  }

  std::size_t threads() const noexcept { return threads_.size(); }
  std::uint64_t turns(std::size_t thread) const noexcept { return threads_[thread]->turns(); }

  void stop() {
    for (auto& each : threads_)
      each->context().stop();
    for (auto& each : running_)
      each.join();
    running_.clear();
  }

  std::uint16_t port = 0;
  std::uint16_t operator_port = 0;

private:
  std::uint32_t open_connections() const { return shared_.connections.load() + shared_.operator_connections.load(); }

  /// The port that was asked for, or the one given by the system when that was 0.
  static std::uint16_t listen(tcp::acceptor& on, const std::string& address, std::uint16_t port) {
    error_code error;
    const auto ip = asio::ip::make_address(address, error);
    const tcp::endpoint at{ip, port};
    if (!error)
      on.open(at.protocol(), error);
    if (!error)
      on.set_option(tcp::acceptor::reuse_address{true}, error);
    if (!error)
      on.bind(at, error);
    if (!error)
      on.listen(4096, error);
    const auto bound = error ? tcp::endpoint{} : on.local_endpoint(error);
    if (error)
      throw std::runtime_error("cannot listen on " + address + ":" + std::to_string(port) + ": " + error.message());
    return bound.port();
  }

  void accept(tcp::acceptor& on, bool operator_side) {
    auto& home = operator_side ? *threads_.back() : *threads_[next_++ % (threads_.size() - 1)];
    on.async_accept(home.context(), [this, &on, &home, operator_side](error_code error, client_socket socket) {
      if (!on.is_open())
        return;
      if (error) {
        // Out of descriptors, most likely: give others time to close theirs.
        auto pause = std::make_shared<asio::steady_timer>(on.get_executor(), 20ms);
        pause->async_wait([this, &on, operator_side, pause](error_code) {
          if (on.is_open())
            accept(on, operator_side);
        });
        return;
      }
      admit(home, std::move(socket), operator_side);
      accept(on, operator_side);
    });
  }

  void admit(io_thread& home, client_socket socket, bool operator_side) {
    error_code error;
    const auto peer = parse_address(socket.remote_endpoint(error).address().to_string()).value_or(client_address{});
    if (error)
      return;
    address_share place;
    const auto& settings = shared_.with.settings;
    bool welcome = false;
    if (operator_side) { // a crowd at the public door must not keep the operator out
      welcome = shared_.operator_connections.fetch_add(1) < operator_connections_max;
    } else {
      welcome = shared_.connections.fetch_add(1) < settings.connections_max;
      const bool proxy = shared_.trusted_proxies.contains(peer); // speaks for many, who are counted by request
      welcome = welcome && (proxy || place.take(shared_.per_address, peer, 1, settings.connections_per_address_max));
    }
    if (!welcome)
      ops::the_metrics().http.refused_connections.add();
    asio::post(home.context(), [&home, socket = std::move(socket), operator_side, peer, place = std::move(place), welcome]() mutable {
      auto fresh = std::make_shared<connection>(home, std::move(socket), operator_side, peer, std::move(place));
      if (welcome)
        fresh->start();
      else
        fresh->turn_away();
    });
  }

  shared_state shared_;
  std::vector<std::unique_ptr<io_thread>> threads_;
  std::vector<std::thread> running_;
  std::optional<tcp::acceptor> public_;
  std::optional<tcp::acceptor> operators_;
  std::size_t next_ = 0; // of the public threads
};

server::server(services with) : impl_(std::make_unique<impl>(std::move(with))) {}
server::~server() = default;
std::uint16_t server::port() const noexcept { return impl_->port; }
std::uint16_t server::operator_port() const noexcept { return impl_->operator_port; }
void server::start() { impl_->start(); }
void server::fail_waiting() { impl_->fail_waiting(); }
std::size_t server::threads() const noexcept { return impl_->threads(); }
std::uint64_t server::turns(std::size_t thread) const noexcept { return impl_->turns(thread); }
bool server::drain(std::chrono::milliseconds most) { return impl_->drain(most); }
void server::stop() { impl_->stop(); }

} // namespace credence::http
