#include "http/server/connection.hpp"

#include "http/call/call.hpp"
#include "http/call/request_head.hpp"
#include "http/outside/outside_url.hpp"
#include "http/server/io_thread.hpp"
#include "http/server/operator_side.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

namespace credence::http {

using namespace std::chrono_literals;

// -- reads without a client --------------------------------------------------------------------

/// Runs the handler of a GET without a client, so that the event stream can send what the resource answers.
class inner_reader final : public io_guest {
public:
  inner_reader(io_thread& home, inner_request what);
  ~inner_reader() override;
  /// Runs the handler. The object lives until its questions have come back.
  void run();

  void take_back(arrival& came) override;
  std::int32_t questions_out() const noexcept override { return call_.questions_out_; }
  void hear_no_more() noexcept override { call_.hear_no_more(); }
  steady_time answer_due() const noexcept override { return call_.deadline_; }
  void answer_overdue() override;
  void answer_lost() override;
  void check_deadlines(steady_time) override {}
  void resume() override {}
  void close_when_idle() override {}

private:
  template <class Work>
  void guarded(Work work);
  void after_handler();
  void finish();

  io_thread& home_;
  inner_request what_;
  request_head head_;
  call call_;
};

inner_reader::inner_reader(io_thread& home, inner_request what) : home_(home), what_(std::move(what)) {
  home_.add(*this);
  call_.directory_ = home_.shared.with.actors;
  call_.settings_ = &home_.shared.with.settings;
  call_.patients_ = home_.shared.patients;
  call_.identity_ = home_.shared.with.identity;
  call_.cards_ = home_.caches().cards.get();
  call_.keys_ = home_.caches().keys.get();
  call_.sink_ = &home_;
  call_.turns_ = home_.own();
  call_.server_ = this;
  call_.head_ = &head_;
  call_.only_reads_ = only_reads(*what_.which);
  call_.admin_context_ = &home_.operators()->for_handlers();
  call_.path_parts_ = std::move(what_.path_parts);
  call_.query_ = std::move(what_.query);
  call_.started_ = steady_clock::now();
  call_.deadline_ = call_.started_ + home_.shared.with.settings.answer_timeout;
  call_.asker_ = {asker_rank::console, 0};
  call_.operated_by_ = what_.by;
  if (call_.operated_by_)
    return;
  call_.operated_by_.emplace();
  call_.operated_by_->may = admin::role::viewer;
  call_.operated_by_->name = "the console's event stream";
}

inner_reader::~inner_reader() { home_.remove(*this); }

template <class Work>
void inner_reader::guarded(Work work) {
  try {
    work();
    if (!call_.thrown_)
      return;
    std::rethrow_exception(std::exchange(call_.thrown_, nullptr));
  } catch (const std::exception& error) {
    ops::log(ops::level::error, "handler_exception", {{"route", what_.which->path}, {"error", error.what()}});
    call_.status_ = 500;
  } catch (...) {
    ops::log(ops::level::error, "handler_exception", {{"route", what_.which->path}, {"error", "not a std::exception"}});
    call_.status_ = 500;
  }
}

void inner_reader::run() {
  const auto self = shared_from_this();
  guarded([this] { what_.which->run(call_); });
  after_handler();
}

void inner_reader::after_handler() {
  if (call_.questions_out_ > 0)
    alive_ = shared_from_this();
  if (call_.status_ == 0 && call_.questions_out_ > 0)
    return home_.await_answer(*this);
  finish();
}

void inner_reader::take_back(arrival& came) {
  --call_.questions_out_;
  const auto self = call_.questions_out_ == 0 ? std::move(alive_) : alive_;
  if (came.turn() != call_.turn_ || call_.status_ != 0)
    return;
  guarded([&] { came.hear(); });
  after_handler();
}

void inner_reader::answer_overdue() {
  call_.fail(failure::timed_out);
  finish();
}

void inner_reader::answer_lost() {
  call_.fail(failure::stranded);
  finish();
}

void inner_reader::finish() {
  const auto self = shared_from_this();
  home_.has_answer(*this);
  call_.hear_no_more();
  if (call_.status_ == 0)
    call_.status_ = 500; // a handler without an answer
  if (const auto done = std::exchange(what_.done, nullptr))
    done(call_.status_, call_.out_);
}

/// How the admin listener reads its own resources on this thread.
inner_reader_function inner_reads_of(io_thread& home) {
  return [&home](inner_request what) { std::make_shared<inner_reader>(home, std::move(what))->run(); };
}

// -- the server --------------------------------------------------------------------------------

namespace {

constexpr auto questions_timeout = 3s;
constexpr std::uint32_t operator_connections_max = 256;
constexpr std::uint32_t operator_connections_of_one_max = operator_connections_max / 2; // of one address

} // namespace

shared_state::shared_state(services s)
  : with(std::move(s)), table(with.api, with.settings.deprecations), admin_table(with.admin_api),
    unmatched(ops::the_metrics().add_route("-", "unmatched")),
    console_reads(ops::the_metrics().add_route("-", "console reads")),
    in_flight(std::make_shared<gate>(static_cast<std::int32_t>(with.settings.requests_in_flight_max))),
    patients(std::make_shared<caller_gate>(patients_max, patients_of_one_max)),
    writes(with.settings.writes_in_flight_max, with.refused_pause), unsent(with.settings.unsent_bytes_max),
    own_origin(origin_of(with.settings.public_url)), trusted_proxies(with.settings.trusted_proxies),
    limits(with.settings) {}

class server::impl {
public:
  explicit impl(services with) : shared_(std::move(with)) {
    const auto& settings = shared_.with.settings;
    auto count = settings.io_threads;
    if (count == 0)
      count = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
    for (std::uint32_t i = 0; i <= count; ++i) // the last of them is the operators'
      threads_.push_back(std::make_unique<io_thread>(shared_));
    doors_.emplace_back(listener::api, threads_.front()->context());
    doors_.emplace_back(listener::operators, threads_.back()->context());
    publics_ = count;
    port = listen(doors_[0].acceptor, settings.address, settings.port);
    operator_port = listen(doors_[1].acceptor, settings.operator_address, settings.operator_port);
    if (!shared_.with.make_operator_side)
      return;
    operators_ = shared_.with.make_operator_side(shared_.with, controls());
    threads_.push_back(std::make_unique<io_thread>(shared_, operators_.get()));
    operators_->read_by(inner_reads_of(*threads_.back()));
    doors_.emplace_back(listener::admin, threads_.back()->context());
    admin_port = listen(doors_[2].acceptor, shared_.with.console.address, shared_.with.console.port);
    operators_->listens_at(admin_port);
  }

  /// Actors may still hold questions, and with them pointers to our threads' queues.
  /// A queue that is not let go of in time is left behind rather than taken away.
  ~impl() {
    stop();
    const auto until = steady_clock::now() + questions_timeout;
    for (auto& each : threads_) {
      while (!each->take_back_all() && steady_clock::now() < until)
        std::this_thread::sleep_for(1ms);
      if (!each->take_back_all())
        static_cast<void>(each.release());
    }
  }

  void start() {
    for (auto& each : doors_)
      accept(each);
    for (auto& each : threads_)
      running_.emplace_back([&each] { each->run(); });
  }

  bool drain(std::chrono::milliseconds most) {
    shared_.draining = true;
    for (auto& each : doors_)
      asio::post(each.acceptor.get_executor(), [&each] {
        error_code ignored;
        each.acceptor.close(ignored);
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
  std::string thread_name(std::size_t thread) const {
    return thread < publics_    ? "io_thread_" + std::to_string(thread)
           : thread == publics_ ? "operator_thread"
                                : "admin_thread";
  }

  void stop() {
    for (auto& each : threads_)
      each->context().stop();
    for (auto& each : running_)
      each.join();
    running_.clear();
  }

  std::uint16_t port = 0;
  std::uint16_t operator_port = 0;
  std::uint16_t admin_port = 0;

private:
  struct door_of {
    door_of(listener which, asio::io_context& on) : side(which), acceptor(on) {}
    listener side;
    tcp::acceptor acceptor;
  };

  std::uint32_t open_connections() const {
    return shared_.connections.load() + shared_.operator_connections.load() + shared_.admin_connections.load();
  }
  front_controls controls() {
    front_controls out{
      &shared_.pause, &shared_.draining, [this] { return static_cast<std::int64_t>(shared_.in_flight->inside()); }, {}};
    for (const auto& each : shared_.table.entries())
      out.measured.emplace_back(each.route, each.metrics);
    return out;
  }

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

  io_thread& home_of(const door_of& at) {
    if (at.side == listener::api)
      return *threads_[next_++ % publics_];
    return *threads_[at.side == listener::operators ? publics_ : publics_ + 1];
  }

  void accept(door_of& at) {
    auto& home = home_of(at);
    at.acceptor.async_accept(home.context(), [this, &at, &home](error_code error, client_socket socket) {
      if (!at.acceptor.is_open())
        return;
      if (error) {
        // Out of descriptors, most likely: give others time to close theirs.
        auto pause = std::make_shared<asio::steady_timer>(at.acceptor.get_executor(), 20ms);
        pause->async_wait([this, &at, pause](error_code) {
          if (at.acceptor.is_open())
            accept(at);
        });
        return;
      }
      admit(home, std::move(socket), at.side);
      accept(at);
    });
  }

  void admit(io_thread& home, client_socket socket, listener side) {
    error_code error;
    const auto peer = parse_address(socket.remote_endpoint(error).address().to_string()).value_or(client_address{});
    if (error)
      return;
    address_share place;
    auto* among = take_place(side, peer, place);
    if (!among)
      ops::the_metrics().http.refused_connections.add();
    asio::post(
      home.context(), [&home, socket = std::move(socket), side, peer, place = std::move(place), among]() mutable {
        auto fresh = std::make_shared<connection>(home, std::move(socket), side, peer, std::move(place), among);
        if (among)
          fresh->start();
        else
          fresh->turn_away();
      });
  }

  /// Counts a connection of its listener and of its address. Returns the listener's count, or null where either is
  /// full: such a connection is not counted. Each listener has its own bounds, so that a crowd at the public one keeps
  /// no operator out.
  std::atomic<std::uint32_t>* take_place(listener side, const client_address& peer, address_share& place) {
    const auto& settings = shared_.with.settings;
    const bool api = side == listener::api;
    auto& open = api                           ? shared_.connections
                 : side == listener::operators ? shared_.operator_connections
                                               : shared_.admin_connections;
    auto& of_address = api                           ? shared_.per_address
                       : side == listener::operators ? shared_.per_operator_address
                                                     : shared_.per_admin_address;
    const bool proxy = shared_.trusted_proxies.contains(peer); // speaks for many, who are counted by request
    if (!proxy
        && !place.take(of_address, peer, 1,
                       api ? settings.connections_per_address_max : operator_connections_of_one_max))
      return nullptr;
    if (open.fetch_add(1) < (api ? settings.connections_max : operator_connections_max))
      return &open;
    open.fetch_sub(1);
    place.give_back();
    return nullptr;
  }

  shared_state shared_;
  std::unique_ptr<operator_side> operators_;
  std::vector<std::unique_ptr<io_thread>> threads_; // public ones, the operators', the admin listener's
  std::size_t publics_ = 0;
  std::vector<std::thread> running_;
  std::deque<door_of> doors_;
  std::size_t next_ = 0; // of the public threads
};

server::server(services with) : impl_(std::make_unique<impl>(std::move(with))) {}
server::~server() = default;
std::uint16_t server::port() const noexcept { return impl_->port; }
std::uint16_t server::operator_port() const noexcept { return impl_->operator_port; }
std::uint16_t server::admin_port() const noexcept { return impl_->admin_port; }
std::string server::thread_name(std::size_t thread) const { return impl_->thread_name(thread); }
void server::start() { impl_->start(); }
void server::fail_waiting() { impl_->fail_waiting(); }
std::size_t server::threads() const noexcept { return impl_->threads(); }
std::uint64_t server::turns(std::size_t thread) const noexcept { return impl_->turns(thread); }
bool server::drain(std::chrono::milliseconds most) { return impl_->drain(most); }
void server::stop() { impl_->stop(); }

} // namespace credence::http
