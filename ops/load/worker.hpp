#pragma once

#include "ops/load/dispenser.hpp"
#include "ops/load/schedule.hpp"
#include "ops/load/tally.hpp"
#include "ops/load/wire.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace credence::load {

/// A client that waits for one answer at a time.
struct connection {
  int fd = -1;
  bool busy = false;
  bool wants_write = false;
  bool closing = false;
  std::size_t written = 0;
  std::int64_t body_left = 0;
  unsigned status = 0; // of the answer under way; 0 while its header is incomplete
  time_point asked_at; // open loop: when it was due
  time_point sent_at;
  second_tally* second = nullptr; // where this request counts, if in one
  std::string out;
  std::string head; // the part of a header that has come, when it comes in pieces
};

/// One thread: its connections, its share of the schedule.
class worker {
public:
  /// Opens its connections; ends the program when one cannot be opened.
  worker(const options& with, const request_maker& maker, dispenser& numbers, unsigned index);

  /// Asks from `start` on until the time is over and everything is answered.
  void run(time_point start);

  tally counted;
  schedule plan;

private:
  // The course of the run.
  bool done() const;
  void notice_time();
  void wait();
  void pause_for_next_period();
  void finish();

  // Requests out.
  bool open_loop() const { return !with_.phases.empty(); }
  void dispatch();
  /// Gives up what has been due for longer than a client waits.
  void skip_stale();
  void ask(connection& c);
  void note_unsent();
  void send(connection& c);

  // Answers in.
  void receive(connection& c);
  void take_in(connection& c, const char* data, std::size_t size);
  void complete(connection& c);
  void count(const connection& c);

  // Connections.
  bool open(connection& c);
  /// The connection is gone, and with it the answer under way.
  void fail(connection& c);
  void reopen(connection& c);

  const options& with_;
  const request_maker& maker_;
  dispenser& numbers_;
  const sockaddr_in where_;
  int epoll_ = -1;
  std::vector<connection> connections_;
  std::vector<connection*> free_;
  std::vector<connection*> broken_;
  std::vector<char> input_;
  time_point now_;
  time_point last_answer_;
  time_point measure_from_;
  time_point measure_until_;
  time_point reconnect_at_;
  const nanoseconds patience_;
  nanoseconds paused_{0}; // of the measured time
  std::int64_t in_flight_ = 0;
  double cpu_before_ = 0;
  bool measuring_ = false;
  bool cpu_taken_ = false;
  bool starved_ = false;
};

} // namespace credence::load
