#pragma once

// Private to http/server/, the only files that know Asio.

// g++ 12 sees null pointers in Asio's inlined code where there are none.
#pragma GCC diagnostic ignored "-Wnull-dereference"

#include "actors/kernel/ask.hpp"
#include "actors/kernel/inline_executor.hpp"
#include "http/call/call.hpp"
#include "http/callers/client_address.hpp"
#include "http/callers/rate_limiter.hpp"
#include "http/callers/token_authenticator.hpp"
#include "http/server/bounds.hpp"
#include "http/server/packer.hpp"
#include "http/server/request.hpp"
#include "http/server/route_table.hpp"
#include "http/server/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {

/// State that both listeners and all threads of one server share.
struct shared_state {
  static constexpr std::int32_t patients_max =
    128; // at most half of what the chain's door lets in (http/commands/serve.cpp)
  static constexpr std::int32_t patients_of_one_max = 16; // of one caller
  explicit shared_state(services s);
  services with;
  route_table table;
  route_table admin_table;           // of the admin listener
  ops::route_metrics& unmatched;     // answers that belong to no route
  ops::route_metrics& console_reads; // open reads of the API that the console's listener answers
  /// Answers of /livez and /readyz. They are not measured: who probes a server that is not ready gets 503, and nothing
  /// has failed.
  ops::route_metrics probes{"GET", "health", {}, {}};
  std::shared_ptr<gate> in_flight;
  std::shared_ptr<caller_gate> patients; // requests that wait longer than others
  write_gate writes;
  std::atomic<std::uint32_t> connections{0}; // of the public listener
  std::atomic<std::uint32_t> operator_connections{0};
  std::atomic<std::uint32_t> admin_connections{0};
  write_pause pause;
  std::atomic<bool> draining{false};
  std::atomic<bool> opened{false};                        // the API answers
  address_shares per_address;                             // connections; behind a proxy, requests
  address_shares per_operator_address, per_admin_address; // connections
  unsent_answers unsent;
  std::string own_origin; // of http.public_url, as browsers send it
  address_ranges trusted_proxies;
  rate_limiter limits;
};

namespace asio = boost::asio;
using boost::system::error_code;

/// What a thread knows of a connection or an inner reader, which it alone serves.
class io_guest : public std::enable_shared_from_this<io_guest>, public call_server {
public:
  io_guest(const io_guest&) = delete;
  io_guest& operator=(const io_guest&) = delete;

  /// Envelopes of this connection that have not come back.
  virtual std::int32_t questions_out() const noexcept = 0;
  /// Takes back what still comes, and does nothing more about it.
  virtual void hear_no_more() noexcept = 0;
  /// When the answer it waits for is overdue.
  virtual steady_time answer_due() const noexcept = 0;
  virtual void answer_overdue() = 0;
  /// The question will not be answered.
  virtual void answer_lost() = 0;
  /// Closes, or answers 408, when the client has taken too long.
  virtual void check_deadlines(steady_time now) = 0;
  /// The pause is over: reads on.
  virtual void resume() = 0;
  virtual void close_when_idle() = 0;

protected:
  io_guest() = default;
  virtual ~io_guest() = default;

  std::shared_ptr<io_guest> alive_; // while questions are out

private:
  friend class io_thread;
  bool waiting_ = false; // in the thread's list of those who wait
  io_guest* waits_longer_ = nullptr;
  io_guest* waits_shorter_ = nullptr;
  std::size_t index_ = 0; // among the thread's guests
};

/// One thread with its io_context, its connections and its queue of answers. Other threads reach
/// a connection only through that queue.
class io_thread final : public answer_sink {
public:
  /// `operators`: of the thread that serves the admin listener.
  explicit io_thread(shared_state& with_all, operator_side* operators = nullptr);
  ~io_thread();

  /// Serves until the context is stopped.
  void run();
  /// Takes an answered envelope, from any thread.
  void deliver(envelope_base* answered) noexcept override;
  /// How often it has gone round: grows while the thread goes on.
  std::uint64_t turns() const noexcept { return turns_.load(std::memory_order_relaxed); }

  asio::io_context& context() noexcept { return context_; }
  void add(io_guest& fresh);
  void remove(io_guest& gone);

  /// Guests that wait for an answer, each once, ordered by when it is due, so that the front shows who is overdue. All
  /// but a few wait equally long at most.
  void await_answer(io_guest& who_waits);
  void has_answer(io_guest& who_waited);

  /// Reads no more from it for a pause.
  void pause(std::shared_ptr<io_guest> refused);
  /// How many seconds later than usual a pause that begins now may end, so many go on.
  std::uint32_t longer_pause_seconds() const noexcept;

  void close_idle();
  /// Answers 503 to everybody who waits for an actor.
  void fail_waiting();
  /// After the thread has ended: takes back what actors still answer. True when no
  /// question is out any more, so that nobody holds a pointer to this object.
  bool take_back_all();

  /// Text of the `Date` header; made once a second.
  std::string_view date();
  void append_request_id(std::string& out) { ids_.append(out); }
  /// The answer compressed with gzip; nothing where it is to be sent uncompressed.
  std::optional<std::string> pack(std::string_view answer) { return packer_.pack(answer, steady_clock::now()); }

  /// Buffers for answers go round among the connections, so that idle ones hold none.
  static constexpr std::size_t buffer_bytes_min = 64; // smaller ones are not worth keeping
  std::string take_buffer();
  void give_back(std::string buffer);

  /// Of whoever asks handlers on this thread. Null cards and authenticator: there are none.
  const thread_caches& caches() const noexcept { return caches_; }
  authenticator* who() const noexcept { return who_.get(); }
  operator_side* operators() const noexcept { return operators_; }
  /// Runs actors that this thread asked; null where others do.
  inline_executor* own() noexcept { return own_ ? &*own_ : nullptr; }

  shared_state& shared;
  /// Turning many away must cost little.
  line_bound failures_logged{"requests_not_logged"};
  /// Who goes on trying must not hide the failures.
  line_bound refusals_logged{"refused_credentials_not_logged"};

private:
  void drain_answers();
  envelope_base* taken_in_order();
  void fail_overdue(steady_time now);
  void check_some(steady_time now);
  void end_pauses(steady_time now);
  void drop_paused();
  void tick();

  operator_side* const operators_;
  std::vector<io_guest*> guests_; // outlives the context and its handlers
  thread_caches caches_;
  std::unique_ptr<authenticator> who_;
  std::atomic<std::uint64_t> turns_{0};
  asio::io_context context_{1};
  std::optional<inline_executor> own_;
  asio::steady_timer timer_;
  std::atomic<envelope_base*> answers_{nullptr}; // the latest first
  io_guest* longest_waiting_ = nullptr;
  io_guest* last_waiting_ = nullptr;
  steady_time checks_at_{};
  std::size_t checked_ = 0; // place among the guests of the next to be looked at
  std::deque<std::pair<steady_time, std::shared_ptr<io_guest>>> paused_; // whose pause ends first is first
  std::time_t date_at_ = 0;
  std::string date_;
  request_ids ids_;
  packer packer_;
  std::vector<std::string> spare_;
};

} // namespace credence::http
