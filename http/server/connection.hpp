#pragma once

// Private to http/server/: sees Asio.

#include "http/call/call.hpp"
#include "http/server/admission.hpp"
#include "http/server/io_thread.hpp"
#include "http/server/request.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http {

using tcp = asio::ip::tcp;
// The executor by its type: a type-erased one costs time in every operation.
using executor = asio::io_context::executor_type;
using client_socket = asio::basic_stream_socket<tcp, executor>;

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

/// Which port a client has come by.
enum class listener : std::uint8_t { api, operators, admin };

/// One client: its bytes, its requests one after the other, and their answers. Kept alive by its
/// pending operation, and by the questions it has out. Everything happens on the thread of its io_context.
class connection final : public io_guest, private event_sink {
public:
  /// `place` is among the connections of the peer's address; `among` counts those of the listener, and is null for one
  /// that is turned away.
  connection(io_thread& home, client_socket socket, listener side, const client_address& peer, address_share place,
             std::atomic<std::uint32_t>* among);
  ~connection() override;

  void start();
  /// Answers 503 and closes: there are too many connections.
  void turn_away();

  void take_back(arrival& came) override;
  std::int32_t questions_out() const noexcept override { return call_.questions_out_; }
  void hear_no_more() noexcept override { call_.hear_no_more(); }
  steady_time answer_due() const noexcept override { return call_.deadline_; }
  void answer_overdue() override;
  void answer_lost() override;
  void check_deadlines(steady_time now) override;
  void resume() override;
  void close_when_idle() override;

private:
  enum class phase : std::uint8_t { idle, header, body, answering, writing, paused, lingering, streaming };

  std::shared_ptr<connection> self() { return std::static_pointer_cast<connection>(shared_from_this()); }

  // Bytes in, bytes out: connection.cpp.
  void read();
  void on_read(error_code error, std::size_t bytes);
  void process();
  bool skip_empty_lines();
  void send_continue();
  void write();
  void on_written(error_code error);
  void linger();
  void pause();
  void close();
  void set_phase(phase next);
  bool receiving() const noexcept { return phase_ == phase::idle || phase_ == phase::header || phase_ == phase::body; }

  // One request, one answer: exchange.cpp.
  void begin_call(std::string_view target);
  void handle();
  void refuse_and_close(const framing_error& why);
  /// Runs what a handler does; an exception becomes a 500.
  template <class Work>
  void guarded(Work work);
  /// Sees to it that an answer exists or is on its way.
  void after_handler(std::int32_t out_before);
  void finish();
  void pack_answer();
  void hold_room_for_answer();
  void record(steady_time now);
  void build_head();
  void append_how_it_goes_on();

  // From a request to its handler: routing.cpp.
  void decide();
  void find_path(target_parts& target);
  void choose_route();
  bool take_place_of_client();
  bool may_write();
  bool count();
  void decide_at(const target_parts& target);
  void run_route(const target_parts& target);
  bool read_parts(const target_parts& target);
  bool knows_query_of_read();
  bool keep_query_of_write();
  void go_by(admission::verdict verdict);
  void go_by_answer(admission::verdict verdict);
  void turn_down(const admission::too_many& many);
  void note_key_use();
  void run_admitted();
  void claim_key();
  bool paused();
  std::optional<failure> closed_for(needs needs);
  bool rests_on_data() const noexcept;

  // Requests that may be repeated: exchange.cpp.
  bool has_to_record() const noexcept;
  void record_answer();

  // For operators: admin_side.cpp.
  void decide_admin(const target_parts& target);
  void run_for_operators();
  void go_on_with_session();
  void run_with_session(admin::caller who);
  bool origin_may_use_route() const;
  void run_operated(admin::caller who, std::shared_ptr<const request_origin> from);
  void run_by_token();
  void console_page(std::string_view path);
  void decide_public(const target_parts& target);
  admin::role role_needed() const;
  void tell_act();
  void append_guards();

  // An answer that goes on: exchange.cpp.
  void begin_stream();
  bool send(std::string_view bytes) override;
  void end() override;
  void write_stream();
  void on_stream_written(error_code error);
  void end_source();

  // What the server answers itself: built_in.cpp.
  void decide_operator(std::string_view path, std::string_view query);
  void signing_switch(std::string_view path, std::string_view query);
  void turn_signing(bool on);
  void health(std::string_view path, std::string_view query);
  void refuse_as_standby();

  // From which origin: origin.cpp.
  bool for_operators() const;
  bool origin_listed() const;
  bool partner_listed() const;
  bool open_to_partner() const;
  void preflight();
  void append_origin();

  io_thread& home_;
  client_socket socket_;
  client_address peer_address_;
  std::atomic<std::uint32_t>* const among_;
  address_share place_;        // of this connection
  address_share client_place_; // of the request, for whom a proxy speaks
  listener side_;
  phase phase_ = phase::idle;
  steady_time phase_began_{};
  steady_time request_began_{};
  body_pace pace_;
  byte_buffer buffer_;
  request_reader reader_;
  call call_;
  route_table::match found_;
  const route_table::entry* entry_ = nullptr;
  const route* route_ = nullptr;
  admission admission_;
  ops::route_metrics* metrics_ = nullptr;
  place in_flight_;
  place writing_; // among the writes under way
  unsent_answers::room unsent_;
  std::string head_;
  std::string body_;
  std::shared_ptr<event_source> source_; // of the stream
  std::string stream_waiting_;           // to be sent behind `body_`
  bool stream_writing_ = false;
  bool stream_ending_ = false;
  std::optional<steady_time> early_since_; // start of a pause that the request being read did not wait out
  std::uint32_t served_ = 0;
  int empty_lines_ = 0;     // before the request
  bool reading_ = false;    // a read is pending
  bool processing_ = false; // inside `process`
  bool head_only_ = false;
  bool close_after_ = false;
  bool answer_recorded_ = false; // under the key it came with
  bool handled_ = false;         // a handler has had the request
  bool pause_after_ = false;     // the answer that is on its way
  bool cors_ = false;            // any origin may read the answer
  bool packed_ = false;          // the answer is, with gzip
};

} // namespace credence::http
