#pragma once

// Private to http/server/, the only files that know Asio. Everything of a
// connection happens on the thread of its io_context; other threads reach it only
// through the queue of answers.

// g++ 12 sees null pointers in Asio's inlined code where there are none.
#pragma GCC diagnostic ignored "-Wnull-dereference"

#include "actors/kernel/own_turns.hpp"
#include "http/api/people/known_keys.hpp"
#include "http/callers/address_shares.hpp"
#include "http/callers/client_address.hpp"
#include "http/callers/rate_limiter.hpp"
#include "http/server/request.hpp"
#include "http/server/request_id.hpp"
#include "http/server/route_table.hpp"
#include "http/server/server.hpp"
#include "http/server/unsent_answers.hpp"
#include "http/server/write_gate.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <ctime>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {

namespace asio = boost::asio;
using boost::system::error_code;
using tcp = asio::ip::tcp;
// The executor by its type: a type-erased one costs time in every operation.
using executor = asio::io_context::executor_type;
using client_socket = asio::basic_stream_socket<tcp, executor>;

class connection;

/// Appends it in decimal.
void append_number(std::string& out, std::uint64_t number);

/// State that both listeners and all threads of one server share.
struct shared_state {
  explicit shared_state(services s);
  services with;
  route_table table;
  ops::route_metrics& unmatched; // answers that belong to no route
  std::shared_ptr<gate> in_flight;
  write_gate writes;
  std::atomic<std::uint32_t> connections{0}; // of the public listener
  std::atomic<std::uint32_t> operator_connections{0};
  std::atomic<bool> draining{false};
  std::atomic<bool> opened{false}; // the API answers
  address_shares per_address; // connections; behind a proxy, requests
  unsent_answers unsent;
  std::string own_origin; // of http.public_url, as browsers send it
  address_ranges trusted_proxies;
  rate_limiter limits;
};

/// One thread with its io_context, its connections and its queue of answers.
class io_thread final : public answer_sink {
public:
  explicit io_thread(shared_state& with_all);
  ~io_thread();

  /// Serves until the context is stopped.
  void run();
  /// Takes an answered envelope, from any thread.
  void deliver(envelope_base* answered) noexcept override;

  /// Connections that wait for an answer, the longest first. All wait equally long at
  /// most, so a look at the front tells who is overdue.
  void await_answer(connection& who_waits);
  void has_answer(connection& who_waited);

  /// Whether one more failed request may have a line in the log: turning many away must
  /// cost little. What is left out is counted in the next second's first line.
  bool may_log_failure(steady_time now) { return failures_logged_.may_add(now, "requests_not_logged"); }
  /// Likewise for a credential that was refused: who goes on trying must not hide the failures.
  bool may_log_refused(steady_time now) { return refusals_logged_.may_add(now, "refused_credentials_not_logged"); }

  /// Text of the `Date` header; made once a second.
  std::string_view date();
  void append_request_id(std::string& out) { ids_.append(out); }

  /// Buffers for answers go round among the connections, so that idle ones hold none.
  static constexpr std::size_t buffer_bytes_min = 64; // smaller ones are not worth keeping
  std::string take_buffer();
  void give_back(std::string buffer);

  /// Reads no more from it for a pause.
  void pause(std::shared_ptr<connection> refused);
  /// How many seconds later than usual a pause that begins now may end, so many go on.
  std::uint32_t longer_pause_seconds() const noexcept;

  void add(connection& fresh);
  void remove(connection& gone);
  void close_idle();
  /// Answers 503 to everybody who waits for an actor.
  void fail_waiting();
  /// After the thread has ended: takes back what actors still answer. True when no
  /// question is out any more, so that nobody holds a pointer to this object.
  bool take_back_all();

  shared_state& shared;
  std::vector<connection*> connections; // outlives the context and its handlers
  std::shared_ptr<user_cards> cards;
  known_keys keys;
  std::unique_ptr<authenticator> who;
  std::atomic<std::uint64_t> turns{0}; // grows while the thread goes on
  asio::io_context context{1};
  std::optional<own_turns> own; // actors that this thread asked

private:
  void drain_answers();
  envelope_base* taken_in_order();
  void fail_overdue(steady_time now);
  void check_some(steady_time now);
  void end_pauses(steady_time now);
  void drop_paused();
  void tick();

  asio::steady_timer timer_;
  std::atomic<envelope_base*> answers_{nullptr}; // the latest first
  connection* longest_waiting_ = nullptr;
  connection* last_waiting_ = nullptr;
  steady_time checks_at_{};
  std::size_t checked_ = 0; // place in `connections` of the next to be looked at
  std::deque<std::pair<steady_time, std::shared_ptr<connection>>> paused_; // whose pause ends first is first
  std::time_t date_at_ = 0;
  /// Lines of one kind within a second.
  struct line_bound {
    bool may_add(steady_time now, std::string_view what_is_left_out);
    steady_time until{};
    int count = 0; // of the second that ends then
  };
  line_bound failures_logged_;
  line_bound refusals_logged_;
  std::string date_;
  request_ids ids_;
  std::vector<std::string> spare_;
};

/// Bytes read and not yet used, in memory that is used again and has a bound.
class byte_buffer {
public:
  explicit byte_buffer(std::size_t most) : most_(most) {}
  std::string_view bytes() const noexcept { return {memory_.data() + begin_, end_ - begin_}; }
  bool empty() const noexcept { return begin_ == end_; }
  /// Room for up to `wanted` bytes behind the others; none when the bound is reached.
  asio::mutable_buffer room(std::size_t wanted);
  void commit(std::size_t n) noexcept { end_ += n; }
  void consume(std::size_t n) noexcept { begin_ += n; }
  void clear() noexcept { begin_ = end_; }

private:
  std::size_t most_;
  std::vector<char> memory_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// One client. Kept alive by its pending operation, and by the questions it has out.
class connection : public std::enable_shared_from_this<connection> {
public:
  /// `place` is among the connections of the peer's address.
  connection(io_thread& home, client_socket socket, bool operator_side, const client_address& peer, address_share place);
  ~connection();

  void start();
  /// Answers 503 and closes: there are too many connections.
  void turn_away();
  /// An envelope of this connection has come back.
  void take_back(envelope_base& came);
  /// The question's answer is overdue.
  void answer_overdue();
  /// The question will not be answered.
  void answer_lost();
  /// Closes, or answers 408, when the client has taken too long.
  void check_deadlines(steady_time now);
  /// The pause is over: reads on.
  void resume();
  void close_when_idle();
  void close();

private:
  friend class io_thread;
  enum class phase : std::uint8_t { idle, header, body, answering, writing, paused, lingering };

  // Bytes in, bytes out: server_connection.cpp.
  void read();
  void on_read(error_code error, std::size_t bytes);
  void process();
  bool skip_empty_lines();
  void send_continue();
  void write();
  void on_written(error_code error);
  void linger();
  void pause();
  void set_phase(phase next);
  bool receiving() const noexcept {
    return phase_ == phase::idle || phase_ == phase::header || phase_ == phase::body;
  }

  // One request, one answer: server_exchange.cpp.
  void begin_call(std::string_view target);
  void handle();
  void decide();
  void choose_route();
  void decide_at(const target_parts& target);
  void run_route(const target_parts& target);
  void check_credential();
  void credential_checked(std::shared_ptr<profile::credential_slot> slot);
  void find_profile();
  void profile_found(const people::found_person& found);
  void run_admitted();
  // Requests that may be repeated: server_repeats.cpp.
  bool has_to_record() const noexcept;
  void record_answer();
  void decide_operator(std::string_view path);
  void health(std::string_view path, bool verbose);
  std::optional<failure> closed_for(needs what);
  bool rests_on_data() const noexcept;
  void refuse_and_close(const framing_error& why);
  /// Runs what a handler does; an exception becomes a 500.
  template <class Work>
  void guarded(Work work);
  /// Sees to it that an answer exists or is on its way.
  void after_handler(std::int32_t out_before);
  void finish();
  void hold_room_for_answer();
  bool only_reads() const noexcept;
  void record(steady_time now);
  void build_head();

  // Who asks, from where, and how often: server_admission.cpp.
  void identify();
  bool within_limits(std::int64_t weight = 1);
  standing take_from_bucket(std::int64_t now, std::int64_t weight);
  bool take_place_of_client();
  client_address client() const;
  bool for_operators() const;
  bool authenticate(access needed);
  struct credential {
    credential_kind by{};
    std::string_view text; // empty: malformed
  };
  std::optional<credential> credential_shown() const;
  void credential_denied(const refusal& why);
  void count_refused(const credential& shown, const refusal& why);
  /// Where the request comes from, for the audit.
  std::shared_ptr<const request_origin> origin_of_request() const;
  bool may_write();
  bool origin_listed() const;
  void preflight();
  void append_origin();
  void append_standing();

  io_thread& home_;
  client_socket socket_;
  client_address peer_address_;
  address_share place_;        // of this connection
  address_share client_place_; // of the request, for whom a proxy speaks
  bool operator_side_;
  phase phase_ = phase::idle;
  steady_time phase_began_{};
  steady_time request_began_{};
  std::size_t body_seen_ = 0;
  byte_buffer buffer_;
  request_reader reader_;
  call call_;
  route_table::match found_;
  const route_table::entry* entry_ = nullptr;
  const route* route_ = nullptr;
  std::optional<refusal> credential_refused_; // of the one that came along
  std::optional<profile::check_credential> to_check_; // the credential's owner has not been asked yet
  std::optional<outsider> unknown_;                   // a provider's token came along, without a profile so far
  standing standing_;
  ops::route_metrics* metrics_ = nullptr;
  place in_flight_;
  place writing_; // among the writes under way
  unsent_answers::room unsent_;
  std::string head_;
  std::string body_;
  std::optional<steady_time> early_since_; // the pause began that was not over when what is read now came
  std::uint32_t served_ = 0;
  int empty_lines_ = 0; // before the request
  bool reading_ = false;    // a read is pending
  bool processing_ = false; // inside `process`
  bool head_only_ = false;
  bool close_after_ = false;
  bool authenticated_ = false;
  bool unchecked_ = false;       // nobody has said yet whether the credential still holds
  bool session_over_ = false;    // a cookie came along that does not hold
  bool answer_recorded_ = false; // under the key it came with
  bool handled_ = false;         // a handler has had the request
  bool pause_after_ = false; // the answer that is on its way
  bool cors_ = false;                 // any origin may read the answer
  std::shared_ptr<connection> alive_; // while questions are out
  bool waiting_ = false;              // in the thread's list of those who wait
  connection* waits_longer_ = nullptr;
  connection* waits_shorter_ = nullptr;
  std::size_t index_ = 0; // in the thread's connections
};

} // namespace credence::http
