// credence_load: asks one HTTP/1.1 server as fast as it answers, or on a fixed schedule.
// Its own CPU time counts in the measurement, so it renders ahead, parses only what it
// must, and reads the clock once for each answer.
#include "ops/load/dispenser.hpp"
#include "ops/load/tally.hpp"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace credence::load {
namespace {

constexpr auto drain_timeout = std::chrono::seconds{10};
constexpr auto reconnect_pause = std::chrono::milliseconds{100};
constexpr nanoseconds shortest_nap = std::chrono::microseconds{50};
constexpr std::size_t read_size = 256 * 1024;
constexpr std::size_t header_most = 64 * 1024;

double cpu_seconds_of_thread() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

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
  const nanoseconds timeout_;
  nanoseconds paused_{0}; // of the measured time
  std::int64_t in_flight_ = 0;
  double cpu_before_ = 0;
  bool measuring_ = false;
  bool cpu_taken_ = false;
  bool starved_ = false;
};

worker::worker(const options& with, const request_maker& maker, dispenser& numbers, unsigned index)
  : plan(with, index), with_(with), maker_(maker), numbers_(numbers), where_(address_of(with)), input_(read_size),
    timeout_(with.timeout > 0 ? to_duration(with.timeout) : nanoseconds::max()) {
  const auto share = with.connections / with.threads + (index < with.connections % with.threads ? 1 : 0);
  connections_.resize(share);
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  for (auto& each : connections_)
    if (!open(each))
      give_up("cannot connect to " + with.host + ":" + std::to_string(with.port) + ": " + std::strerror(errno), 1);
}

void worker::run(time_point start) {
  measure_from_ = start + to_duration(with_.warmup);
  measure_until_ = measure_from_ + to_duration(with_.seconds);
  if (open_loop())
    plan.begin(start, measure_from_);
  for (auto& each : connections_)
    free_.push_back(&each);
  now_ = clock::now();
  while (!done()) {
    notice_time();
    if (!starved_)
      dispatch();
    if (starved_ && in_flight_ == 0 && numbers_.can_advance() && !numbers_.finished() && now_ < measure_until_)
      pause_for_next_period();
    else
      wait();
  }
  finish();
}

bool worker::open(connection& c) {
  c.fd = connect_to(where_, SOCK_NONBLOCK);
  if (c.fd < 0)
    return false;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &c;
  return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, c.fd, &event) == 0;
}

bool worker::done() const {
  if (now_ >= measure_until_ + drain_timeout)
    return true;
  const bool no_more = now_ >= measure_until_ ? (!open_loop() || plan.due() >= measure_until_ || starved_)
                                              : (starved_ && (numbers_.finished() || !numbers_.can_advance()));
  return no_more && in_flight_ == 0;
}

void worker::notice_time() {
  if (!measuring_ && now_ >= measure_from_) {
    measuring_ = true;
    cpu_before_ = cpu_seconds_of_thread();
  }
  if (measuring_ && !cpu_taken_ && now_ >= measure_until_) {
    cpu_taken_ = true;
    counted.cpu = cpu_seconds_of_thread() - cpu_before_;
  }
  if (!broken_.empty() && now_ >= reconnect_at_) {
    std::erase_if(broken_, [this](connection* c) {
      const bool up = open(*c);
      if (up)
        free_.push_back(c);
      return up;
    });
    reconnect_at_ = now_ + reconnect_pause;
  }
}

void worker::dispatch() {
  skip_stale();
  while (!free_.empty() && !starved_) {
    if (open_loop() ? plan.due() > now_ || plan.due() >= measure_until_ : now_ >= measure_until_)
      return;
    auto* c = free_.back();
    free_.pop_back();
    ask(*c);
  }
}

void worker::skip_stale() {
  while (open_loop() && plan.due() < measure_until_ && now_ - plan.due() > timeout_)
    note_unsent();
}

void worker::note_unsent() {
  counted.unsent += plan.due() >= measure_from_;
  if (auto* second = plan.second()) {
    ++second->due;
    ++second->unsent;
  }
  plan.advance();
}

void worker::ask(connection& c) {
  const auto n = numbers_.take();
  if (!n) {
    starved_ = true;
    free_.push_back(&c);
    return;
  }
  maker_.make(*n, c.out, numbers_.advances());
  c.busy = true;
  c.asked_at = c.sent_at = now_;
  c.second = nullptr;
  if (open_loop()) {
    c.asked_at = plan.due();
    c.second = plan.second();
    plan.advance();
  }
  if (c.second) {
    ++c.second->due;
    c.second->late += now_ - c.asked_at > second_tally::late_after;
  }
  c.written = 0;
  ++in_flight_;
  send(c);
}

void worker::send(connection& c) {
  const auto sent = ::send(c.fd, c.out.data() + c.written, c.out.size() - c.written, MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN)
    return fail(c);
  c.written += sent > 0 ? static_cast<std::size_t>(sent) : 0;
  const bool more = c.written < c.out.size();
  if (more != c.wants_write) {
    c.wants_write = more;
    epoll_event event{};
    event.events = more ? EPOLLIN | EPOLLOUT : EPOLLIN;
    event.data.ptr = &c;
    ::epoll_ctl(epoll_, EPOLL_CTL_MOD, c.fd, &event);
  }
}

void worker::fail(connection& c) {
  if (c.busy) {
    ++counted.errors;
    ++counted.unknown;
    if (c.second)
      ++c.second->failed;
    --in_flight_;
  }
  reopen(c);
}

void worker::reopen(connection& c) {
  ::close(c.fd);
  auto fresh = connection{};
  fresh.out = std::move(c.out);
  c = std::move(fresh);
  ++counted.reconnects;
  if (open(c))
    free_.push_back(&c);
  else
    broken_.push_back(&c);
}

void worker::wait() {
  auto nap = std::chrono::duration_cast<nanoseconds>(std::chrono::milliseconds{100});
  if (open_loop() && !free_.empty() && !starved_ && plan.due() < measure_until_)
    nap = std::clamp<nanoseconds>(plan.due() - now_, shortest_nap, nap);
  else if (now_ < measure_until_)
    nap = std::clamp<nanoseconds>(measure_until_ - now_, shortest_nap, nap);
  const timespec limit{0, static_cast<long>(nap.count())};
  std::array<epoll_event, 256> events;
  const int count = ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &limit, nullptr);
  now_ = clock::now();
  for (int i = 0; i < count; ++i) {
    auto& c = *static_cast<connection*>(events[static_cast<std::size_t>(i)].data.ptr);
    if ((events[static_cast<std::size_t>(i)].events & EPOLLOUT) != 0)
      send(c);
    if ((events[static_cast<std::size_t>(i)].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
      receive(c);
  }
}

void worker::receive(connection& c) {
  const auto got = ::recv(c.fd, input_.data(), input_.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (got <= 0 || !c.busy) {
    if (!c.busy)
      std::erase(free_, &c);
    return fail(c);
  }
  counted.bytes += got;
  take_in(c, input_.data(), static_cast<std::size_t>(got));
}

void worker::take_in(connection& c, const char* data, std::size_t size) {
  if (c.status == 0) {
    const char* from = data;
    std::size_t length = size;
    if (!c.head.empty()) {
      c.head.append(data, size);
      from = c.head.data();
      length = c.head.size();
    }
    const auto* end = static_cast<const char*>(::memmem(from, length, "\r\n\r\n", 4));
    if (!end) {
      if (c.head.empty())
        c.head.assign(data, size);
      return length > header_most ? fail(c) : void();
    }
    const auto head = parse_head(from, end + 2);
    if (head.status < 200 || head.status > 599 || head.length < 0)
      return fail(c);
    c.status = head.status;
    c.closing = head.close;
    c.body_left = head.length;
    size = length - static_cast<std::size_t>(end + 4 - from);
    c.head.clear();
  }
  c.body_left -= static_cast<std::int64_t>(size);
  if (c.body_left < 0)
    return fail(c);
  if (c.body_left == 0)
    complete(c);
}

void worker::complete(connection& c) {
  now_ = clock::now();
  count(c);
  --in_flight_;
  c.busy = false;
  c.status = 0;
  if (c.closing)
    return reopen(c);
  free_.push_back(&c);
  if (!starved_)
    dispatch();
}

void worker::count(const connection& c) {
  last_answer_ = now_;
  ++counted.requests_total;
  ++counted.by_status[c.status];
  counted.acknowledged += c.status == 200;
  counted.unknown += c.status >= 500;
  if (c.second) {
    const bool accepted = c.status < 300;
    const bool refused = c.status == 429 || c.status == 503;
    ++(accepted ? c.second->accepted : refused ? c.second->refused : c.second->failed);
    if (accepted) {
      c.second->from_sent.add((now_ - c.sent_at).count());
      c.second->from_due.add((now_ - c.asked_at).count());
    }
  }
  // A schedule is judged by what was due in time, however late it was answered.
  const auto moment = open_loop() ? c.asked_at : now_;
  if (moment < measure_from_ || moment >= measure_until_)
    return;
  ++counted.requests;
  counted.ok += c.status < 400;
  counted.latency.add((now_ - c.asked_at).count());
}

void worker::pause_for_next_period() {
  const auto before = now_;
  numbers_.wait_for_next_period();
  now_ = clock::now();
  starved_ = false;
  // The clock of the measurement stood still.
  const auto pause = now_ - before;
  if (open_loop())
    plan.shift(pause);
  measure_until_ += pause;
  if (before < measure_from_)
    measure_from_ += pause;
  else
    paused_ += pause;
}

void worker::finish() {
  if (!cpu_taken_)
    counted.cpu = measuring_ ? cpu_seconds_of_thread() - cpu_before_ : 0;
  // Ended early, when a number of requests was asked for or the pairs ran out.
  const auto end = now_ < measure_until_ ? last_answer_ : measure_until_;
  counted.seconds = std::chrono::duration<double>(end - measure_from_ - paused_).count();
  while (open_loop() && plan.due() < measure_until_ && !starved_)
    note_unsent();
  for (const auto& each : connections_) {
    counted.unknown += each.busy;
    counted.errors += each.busy;
    if (each.busy && each.second)
      ++each.second->failed;
    if (each.fd >= 0)
      ::close(each.fd);
  }
  ::close(epoll_);
  numbers_.leave();
}

int run(const options& with) {
  std::signal(SIGPIPE, SIG_IGN);
  const request_maker maker{with};
  dispenser numbers{with, maker};
  std::vector<std::unique_ptr<worker>> workers;
  for (unsigned i = 0; i < with.threads; ++i)
    workers.push_back(std::make_unique<worker>(with, maker, numbers, i));
  const auto start = clock::now();
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < with.threads; ++i)
    threads.emplace_back([&, i] { workers[i]->run(start); });
  workers[0]->run(start);
  for (auto& each : threads)
    each.join();
  tally all;
  auto phases = workers[0]->plan.seconds;
  for (const auto& each : workers) {
    all.add(each->counted);
    for (std::size_t i = 0; each != workers[0] && i < phases.size(); ++i)
      for (std::size_t second = 0; second < phases[i].size(); ++second)
        phases[i][second].add(each->plan.seconds[i][second]);
  }
  print(all, phases, with, numbers);
  return all.requests_total > 0 ? 0 : 1;
}

} // namespace
} // namespace credence::load

int main(int argc, char** argv) { return credence::load::run(credence::load::read_options(argc, argv)); }
