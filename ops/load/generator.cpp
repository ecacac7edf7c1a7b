// credence_load: asks one HTTP/1.1 server as fast as it answers, or on a fixed schedule.
// Its own CPU time counts in the measurement, so it renders ahead, parses only what it
// must, and reads the clock once for each answer.
#include "ops/load/histogram.hpp"
#include "ops/load/options.hpp"
#include "ops/load/requests.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <strings.h>
#include <thread>

namespace credence::load {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
using time_point = clock::time_point;

constexpr auto drain_patience = std::chrono::seconds{10};
constexpr auto reconnect_pause = std::chrono::milliseconds{100};
constexpr nanoseconds shortest_nap = std::chrono::microseconds{50};
constexpr std::size_t read_size = 256 * 1024;
constexpr std::size_t header_most = 64 * 1024;

nanoseconds to_duration(double seconds) {
  return nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
}

sockaddr_in address_of(const options& with) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(with.port);
  if (::inet_pton(AF_INET, with.host.c_str(), &out.sin_addr) != 1)
    give_up("'" + with.host + "' is not an IPv4 address");
  return out;
}

/// A connected socket, or -1.
int connect_to(const sockaddr_in& where, int flags) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
    ::close(fd);
    return -1;
  }
  if ((flags & SOCK_NONBLOCK) != 0 && ::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
    ::close(fd);
    return -1;
  }
  return fd;
}

double cpu_seconds_of_thread() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// What a header says that matters here.
struct answer_head {
  unsigned status = 0;
  std::int64_t length = -1;
  bool close = false;
};

answer_head parse_head(const char* from, const char* end) {
  answer_head out;
  if (end - from < 12 || std::memcmp(from, "HTTP/1.", 7) != 0)
    return out;
  out.status = static_cast<unsigned>((from[9] - '0') * 100 + (from[10] - '0') * 10 + (from[11] - '0'));
  for (const char* at = from; at < end;) {
    const auto* line_end = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (!line_end)
      break;
    at = line_end + 1;
    if (end - at < 16 || (*at != 'C' && *at != 'c'))
      continue;
    if (::strncasecmp(at, "content-length:", 15) == 0) {
      const char* digit = at + 15;
      while (*digit == ' ')
        ++digit;
      out.length = 0;
      for (; *digit >= '0' && *digit <= '9'; ++digit)
        out.length = out.length * 10 + (*digit - '0');
    } else if (::strncasecmp(at, "connection: close", 17) == 0) {
      out.close = true;
    }
  }
  return out;
}

/// What was counted; threads count for themselves and are added up at the end.
struct tally {
  std::int64_t requests = 0;       // answered within the measured time
  std::int64_t requests_total = 0; // answered at all, with warm-up and drain
  std::int64_t ok = 0;
  std::int64_t acknowledged = 0; // 200 at any time of the run
  std::int64_t unknown = 0;      // asked, and no answer or a 5xx: may or may not have happened
  std::int64_t errors = 0;       // connections that broke or spoke nonsense
  std::int64_t reconnects = 0;
  std::int64_t unsent = 0; // due within the measured time and never sent
  std::int64_t bytes = 0;
  double cpu = 0;
  double seconds = 0;
  std::array<std::int64_t, 1000> by_status{};
  histogram latency;

  void add(const tally& other) {
    requests += other.requests;
    requests_total += other.requests_total;
    ok += other.ok;
    acknowledged += other.acknowledged;
    unknown += other.unknown;
    errors += other.errors;
    reconnects += other.reconnects;
    unsent += other.unsent;
    bytes += other.bytes;
    cpu += other.cpu;
    seconds = std::max(seconds, other.seconds);
    for (std::size_t i = 0; i < by_status.size(); ++i)
      by_status[i] += other.by_status[i];
    latency.add(other.latency);
  }
};

/// Where threads get the numbers of their requests from; opens the next voting period
/// when the pairs have run out and every thread's requests are answered.
class dispenser {
public:
  dispenser(const options& with, const request_maker& maker)
    : with_(with), maker_(maker), next_(with.start_pair), left_(with.requests_most), threads_(with.threads) {}

  /// The next number, or nothing: the pairs have run out, or all wanted requests were made.
  std::optional<std::uint64_t> take() {
    if (with_.requests_most > 0 && left_.fetch_sub(1, std::memory_order_relaxed) <= 0) {
      finished_.store(true, std::memory_order_relaxed);
      return std::nullopt;
    }
    const auto n = next_.fetch_add(1, std::memory_order_relaxed);
    if (with_.what != scenario::votes)
      return n;
    if (n < maker_.pairs.count())
      return n;
    if (with_.wrap)
      return n % maker_.pairs.count();
    left_.fetch_add(1, std::memory_order_relaxed);
    if (!can_advance())
      finished_.store(true, std::memory_order_relaxed);
    return std::nullopt;
  }

  bool finished() const { return finished_.load(std::memory_order_relaxed); }
  bool can_advance() const { return !with_.advance_token.empty(); }
  int advances() const { return advances_; }
  std::uint64_t next_pair() const { return std::min(next_.load(), maker_.pairs.count()); }

  /// Waits until every thread is here (or gone); the last one advances the period.
  void wait_for_next_period() {
    std::unique_lock lock{mutex_};
    const auto turn = advances_;
    ++waiting_;
    if (waiting_ == threads_)
      advance();
    else
      changed_.wait(lock, [&] { return advances_ != turn; });
  }
  /// A thread is done.
  void leave() {
    const std::lock_guard lock{mutex_};
    --threads_;
    if (waiting_ > 0 && waiting_ == threads_)
      advance();
  }

private:
  void advance() {
    const auto where = address_of(with_);
    const int fd = connect_to(where, 0);
    std::string answer;
    if (fd >= 0 && ::send(fd, maker_.advance.data(), maker_.advance.size(), MSG_NOSIGNAL) > 0) {
      std::array<char, 4096> piece;
      ssize_t got = 0;
      while (answer.find("\r\n\r\n") == std::string::npos && (got = ::recv(fd, piece.data(), piece.size(), 0)) > 0)
        answer.append(piece.data(), static_cast<std::size_t>(got));
    }
    if (fd >= 0)
      ::close(fd);
    if (parse_head(answer.data(), answer.data() + answer.size()).status != 200)
      give_up("the next voting period could not be opened: " + (answer.empty() ? "no answer" : answer.substr(0, 600)), 1);
    next_.store(0);
    waiting_ = 0;
    ++advances_;
    changed_.notify_all();
  }

  const options& with_;
  const request_maker& maker_;
  std::atomic<std::uint64_t> next_;
  std::atomic<std::int64_t> left_;
  std::atomic<bool> finished_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned threads_;
  unsigned waiting_ = 0;
  int advances_ = 0;
};

struct connection {
  int fd = -1;
  bool busy = false;
  bool wants_write = false;
  bool closing = false;
  std::size_t written = 0;
  std::int64_t body_left = 0;
  unsigned status = 0; // of the answer under way; 0 while its header is incomplete
  time_point asked_at; // open loop: when it was due
  std::string out;
  std::string head; // the part of a header that has come, when it comes in pieces
};

/// One thread: its connections, its share of the schedule.
class worker {
public:
  worker(const options& with, const request_maker& maker, dispenser& numbers, unsigned index)
    : with_(with), maker_(maker), numbers_(numbers), where_(address_of(with)), index_(index), input_(read_size) {
    const auto share = with.connections / with.threads + (index < with.connections % with.threads ? 1 : 0);
    connections_.resize(share);
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    for (auto& each : connections_)
      if (!open(each))
        give_up("cannot connect to " + with.host + ":" + std::to_string(with.port) + ": " + std::strerror(errno), 1);
  }

  void run(time_point start) {
    measure_from_ = start + to_duration(with_.warmup);
    measure_until_ = measure_from_ + to_duration(with_.seconds);
    if (with_.rate > 0) {
      every_ = to_duration(static_cast<double>(with_.threads) / with_.rate);
      due_ = start + every_ * index_ / with_.threads;
    }
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

  tally counted;

private:
  bool open(connection& c) {
    c.fd = connect_to(where_, SOCK_NONBLOCK);
    if (c.fd < 0)
      return false;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &c;
    return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, c.fd, &event) == 0;
  }

  bool done() const {
    if (now_ >= measure_until_ + drain_patience)
      return true;
    const bool no_more = now_ >= measure_until_ ? (with_.rate <= 0 || due_ >= measure_until_ || starved_)
                                                : (starved_ && (numbers_.finished() || !numbers_.can_advance()));
    return no_more && in_flight_ == 0;
  }

  void notice_time() {
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

  void dispatch() {
    while (!free_.empty() && !starved_) {
      auto when = now_;
      if (with_.rate > 0) {
        if (due_ > now_ || due_ >= measure_until_)
          return;
        when = due_;
        due_ += every_;
      } else if (now_ >= measure_until_) {
        return;
      }
      auto* c = free_.back();
      free_.pop_back();
      ask(*c, when);
    }
  }

  void ask(connection& c, time_point when) {
    const auto n = numbers_.take();
    if (!n) {
      starved_ = true;
      free_.push_back(&c);
      return;
    }
    maker_.make(*n, c.out);
    c.busy = true;
    c.asked_at = when;
    c.written = 0;
    ++in_flight_;
    send(c);
  }

  void send(connection& c) {
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

  /// The connection is gone, and with it the answer under way.
  void fail(connection& c) {
    if (c.busy) {
      ++counted.errors;
      ++counted.unknown;
      --in_flight_;
    }
    reopen(c);
  }

  void reopen(connection& c) {
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

  void wait() {
    auto nap = std::chrono::duration_cast<nanoseconds>(std::chrono::milliseconds{100});
    if (with_.rate > 0 && !free_.empty() && !starved_ && due_ < measure_until_)
      nap = std::clamp<nanoseconds>(due_ - now_, shortest_nap, nap);
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

  void receive(connection& c) {
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

  void take_in(connection& c, const char* data, std::size_t size) {
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

  void complete(connection& c) {
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

  void count(const connection& c) {
    last_answer_ = now_;
    ++counted.requests_total;
    ++counted.by_status[c.status];
    counted.acknowledged += c.status == 200;
    counted.unknown += c.status >= 500;
    // A schedule is judged by what was due in time, however late it was answered.
    const auto moment = with_.rate > 0 ? c.asked_at : now_;
    if (moment < measure_from_ || moment >= measure_until_)
      return;
    ++counted.requests;
    counted.ok += c.status < 400;
    counted.latency.add((now_ - c.asked_at).count());
  }

  void pause_for_next_period() {
    const auto before = now_;
    numbers_.wait_for_next_period();
    now_ = clock::now();
    starved_ = false;
    // The clock of the measurement stood still.
    const auto pause = now_ - before;
    due_ += pause;
    measure_until_ += pause;
    if (before < measure_from_)
      measure_from_ += pause;
    else
      paused_ += pause;
  }

  void finish() {
    if (!cpu_taken_)
      counted.cpu = measuring_ ? cpu_seconds_of_thread() - cpu_before_ : 0;
    // Ended early, when a number of requests was asked for or the pairs ran out.
    const auto end = now_ < measure_until_ ? last_answer_ : measure_until_;
    counted.seconds = std::chrono::duration<double>(end - measure_from_ - paused_).count();
    if (with_.rate > 0 && due_ < measure_until_ && !starved_)
      counted.unsent = (measure_until_ - due_) / every_ + 1;
    for (const auto& each : connections_) {
      counted.unknown += each.busy;
      counted.errors += each.busy;
      if (each.fd >= 0)
        ::close(each.fd);
    }
    ::close(epoll_);
    numbers_.leave();
  }

  const options& with_;
  const request_maker& maker_;
  dispenser& numbers_;
  const sockaddr_in where_;
  const unsigned index_;
  int epoll_ = -1;
  std::vector<connection> connections_;
  std::vector<connection*> free_;
  std::vector<connection*> broken_;
  std::vector<char> input_;
  time_point now_;
  time_point last_answer_;
  time_point measure_from_;
  time_point measure_until_;
  time_point due_;
  time_point reconnect_at_;
  nanoseconds every_{0};
  nanoseconds paused_{0}; // of the measured time
  std::int64_t in_flight_ = 0;
  double cpu_before_ = 0;
  bool measuring_ = false;
  bool cpu_taken_ = false;
  bool starved_ = false;
};

void print(const tally& all, const options& with, const dispenser& numbers) {
  std::printf("{\"requests\":%lld,\"ok\":%lld,\"by_status\":{", static_cast<long long>(all.requests),
              static_cast<long long>(all.ok));
  const char* comma = "";
  for (std::size_t status = 0; status < all.by_status.size(); ++status)
    if (all.by_status[status] > 0) {
      std::printf("%s\"%zu\":%lld", comma, status, static_cast<long long>(all.by_status[status]));
      comma = ",";
    }
  const auto seconds = std::max(all.seconds, 1e-9);
  std::printf("},\"errors\":%lld,\"reconnects\":%lld,\"unsent\":%lld,\"seconds\":%.3f,\"rps\":%.1f",
              static_cast<long long>(all.errors), static_cast<long long>(all.reconnects),
              static_cast<long long>(all.unsent), all.seconds, static_cast<double>(all.requests) / seconds);
  std::printf(",\"latency_ms\":{\"p50\":%.3f,\"p90\":%.3f,\"p99\":%.3f,\"p99_9\":%.3f,\"max\":%.3f}",
              all.latency.quantile_ms(0.5), all.latency.quantile_ms(0.9), all.latency.quantile_ms(0.99),
              all.latency.quantile_ms(0.999), all.latency.max_ms());
  std::printf(",\"bytes\":%lld,\"cpu_seconds\":%.3f,\"requests_total\":%lld", static_cast<long long>(all.bytes), all.cpu,
              static_cast<long long>(all.requests_total));
  if (with.what == scenario::votes)
    std::printf(",\"acknowledged_votes\":%lld,\"unknown_votes\":%lld,\"next_pair\":%llu,\"advances\":%d",
                static_cast<long long>(all.acknowledged), static_cast<long long>(all.unknown),
                static_cast<unsigned long long>(numbers.next_pair()), numbers.advances());
  std::printf("}\n");
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
  for (const auto& each : workers)
    all.add(each->counted);
  print(all, with, numbers);
  return all.requests_total > 0 ? 0 : 1;
}

} // namespace
} // namespace credence::load

int main(int argc, char** argv) {
  return credence::load::run(credence::load::read_options({argv + 1, argv + argc}));
}
