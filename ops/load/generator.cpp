// A lean HTTP/1.1 load generator: epoll, keep-alive, one request in flight a connection.
// Closed loop (as fast as answers come) or open loop (--rate: a fixed schedule; latency
// counts from the moment a request was due, so a slow server cannot hide its queue).
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;
using nanoseconds = std::chrono::nanoseconds;

struct options {
  std::string host = "127.0.0.1";
  int port = 8080;
  int connections = 64;
  double seconds = 5;
  double warmup = 0;
  double rate = 0; // requests a second; 0: closed loop
  std::int64_t requests_max = INT64_MAX;
  std::string scenario = "constant";
  int first_project = 1;
  int last_project = 100;
  int profiles = 10000;
  int limit = 50;
  std::int64_t start_pair = 0;
  std::string tokens_file;
};

/// Latencies in buckets that grow by 1 %: good to a percent, however long the run.
class latencies {
public:
  void add(std::int64_t ns) {
    ++counts_[bucket(std::max<std::int64_t>(ns, 1))];
    ++total_;
    most_ = std::max(most_, ns);
  }
  double milliseconds(double quantile) const {
    auto left = static_cast<std::int64_t>(std::ceil(quantile * static_cast<double>(total_)));
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if ((left -= counts_[i]) <= 0)
        return std::exp(static_cast<double>(i) * step) / 1e6;
    return static_cast<double>(most_) / 1e6;
  }
  double most_milliseconds() const { return static_cast<double>(most_) / 1e6; }

private:
  static constexpr double step = 0.01;
  static std::size_t bucket(std::int64_t ns) {
    return std::min<std::size_t>(2999, static_cast<std::size_t>(std::log(static_cast<double>(ns)) / step));
  }
  std::array<std::int64_t, 3000> counts_{};
  std::int64_t total_ = 0;
  std::int64_t most_ = 0;
};

/// What is sent, one request after the other.
class scenario {
public:
  explicit scenario(const options& how) : how_(how), pair_(how.start_pair) {
    if (!how.tokens_file.empty()) {
      std::ifstream in{how.tokens_file};
      int profile = 0;
      std::string token;
      while (in >> profile >> token)
        if (profile >= 1 && profile <= how.profiles) {
          tokens_.resize(std::max(tokens_.size(), static_cast<std::size_t>(profile) + 1));
          tokens_[static_cast<std::size_t>(profile)] = token;
        }
    }
    step_ = 7919;
    while (std::gcd(step_, static_cast<std::int64_t>(how.profiles)) != 1)
      ++step_;
  }

  /// False when there is nothing left to send.
  bool next(std::string& out) {
    if (how_.scenario == "votes")
      return next_vote(out);
    if (how_.scenario == "balance") {
      const auto profile = 1 + static_cast<std::size_t>(pair_++ * step_ % how_.profiles);
      get(out, "/api/v2/projects/votes/balance", profile);
    } else if (how_.scenario == "voters") {
      get(out, "/api/v2/projects/" + std::to_string(how_.first_project) + "/voters?scope=global&limit=" + std::to_string(how_.limit), 0);
    } else if (how_.scenario == "listings") {
      get(out, "/api/v2/internal/listings", 0);
    } else {
      get(out, "/", 0);
    }
    return true;
  }
  std::int64_t next_pair() const { return pair_; }

private:
  /// Pair k: projects change with every request, voters walk through a permutation.
  bool next_vote(std::string& out) {
    const std::int64_t projects = how_.last_project - how_.first_project + 1;
    if (pair_ >= projects * how_.profiles)
      return false;
    const auto k = pair_++;
    const auto project = how_.first_project + static_cast<int>(k % projects);
    const auto profile = 1 + static_cast<std::size_t>((k / projects + (k % projects) * 31) * step_ % how_.profiles);
    static constexpr std::array<std::string_view, 4> bodies{
      R"({"voteType":"BULLISH"})", R"({"voteType":"BEARISH","voteReason":"roadmap slipped again"})",
      R"({"voteType":"BULLISH","voteReason":"ships every week and answers"})", R"({"voteType":"BULLISH","voteReason":"solid team"})"};
    const auto body = bodies[static_cast<std::size_t>(k / projects) % bodies.size()];
    out.append("POST /api/v2/projects/").append(std::to_string(project)).append("/votes HTTP/1.1\r\nHost: ").append(how_.host);
    authorize(out, profile);
    out.append("\r\nContent-Type: application/json\r\nContent-Length: ").append(std::to_string(body.size()));
    out.append("\r\n\r\n").append(body);
    return true;
  }

  void get(std::string& out, const std::string& target, std::size_t profile) {
    out.append("GET ").append(target).append(" HTTP/1.1\r\nHost: ").append(how_.host);
    authorize(out, profile);
    out.append("\r\n\r\n");
  }

  void authorize(std::string& out, std::size_t profile) {
    if (profile > 0 && profile < tokens_.size() && !tokens_[profile].empty())
      out.append("\r\nAuthorization: Bearer ").append(tokens_[profile]);
  }

  const options& how_;
  std::int64_t pair_;
  std::int64_t step_ = 1;
  std::vector<std::string> tokens_;
};

struct connection {
  int socket = -1;
  bool busy = false;
  steady::time_point due{};
  std::string out;
  std::size_t sent = 0;
  std::string in;
  std::size_t body_left = 0;
  int status = 0; // of the answer whose body is being read
};

class generator {
public:
  explicit generator(const options& how) : how_(how), what_(how) {}

  int run() {
    poll_ = ::epoll_create1(0);
    all_.resize(static_cast<std::size_t>(how_.connections));
    for (auto& each : all_) {
      if (!open(each)) {
        std::cerr << "cannot connect to " << how_.host << ":" << how_.port << "\n";
        return 1;
      }
      idle_.push_back(&each);
    }
    begin_ = steady::now();
    measured_from_ = begin_ + std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(how_.warmup));
    end_ = measured_from_ + std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(how_.seconds));
    next_due_ = begin_;
    while (work()) {
    }
    report();
    return 0;
  }

private:
  bool open(connection& c) {
    c.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(how_.port));
    ::inet_pton(AF_INET, how_.host.c_str(), &to.sin_addr);
    if (::connect(c.socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
      return false;
    const int one = 1;
    ::setsockopt(c.socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    ::fcntl(c.socket, F_SETFL, ::fcntl(c.socket, F_GETFL) | O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.ptr = &c;
    return ::epoll_ctl(poll_, EPOLL_CTL_ADD, c.socket, &event) == 0;
  }

  /// One turn; false when everything is done.
  bool work() {
    const auto now = steady::now();
    const bool over = exhausted_ || now >= end_ || started_ >= how_.requests_max;
    if (!over)
      start_due(now);
    if (over && in_flight_ == 0)
      return false;
    if (over && now > end_ + std::chrono::seconds{10}) {
      errors_ += in_flight_; // never answered
      return false;
    }
    int wait_ms = 100;
    if (how_.rate > 0 && !over)
      wait_ms = std::max<int>(0, static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(next_due_ - now).count()));
    epoll_event events[256];
    const int n = ::epoll_wait(poll_, events, 256, std::min(wait_ms, 100));
    for (int i = 0; i < n; ++i) {
      auto& c = *static_cast<connection*>(events[i].data.ptr);
      if (events[i].events & EPOLLOUT)
        flush(c);
      if (events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        read(c);
    }
    return true;
  }

  void start_due(steady::time_point now) {
    if (how_.rate <= 0) {
      while (!idle_.empty() && started_ < how_.requests_max)
        if (!start(now))
          return;
      return;
    }
    while (next_due_ <= now && !idle_.empty()) {
      if (!start(next_due_))
        return;
      ++scheduled_;
      next_due_ = begin_ + std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(static_cast<double>(scheduled_) / how_.rate));
    }
  }

  bool start(steady::time_point due) {
    auto& c = *idle_.front();
    c.out.clear();
    c.sent = 0;
    if (!what_.next(c.out)) {
      exhausted_ = true;
      return false;
    }
    idle_.pop_front();
    c.busy = true;
    c.due = due;
    ++started_;
    ++in_flight_;
    flush(c);
    return true;
  }

  void flush(connection& c) {
    while (c.sent < c.out.size()) {
      const auto n = ::send(c.socket, c.out.data() + c.sent, c.out.size() - c.sent, MSG_NOSIGNAL);
      if (n < 0) {
        if (errno != EAGAIN)
          return broken(c);
        epoll_event event{};
        event.events = EPOLLIN | EPOLLOUT | EPOLLET;
        event.data.ptr = &c;
        ::epoll_ctl(poll_, EPOLL_CTL_MOD, c.socket, &event);
        return;
      }
      c.sent += static_cast<std::size_t>(n);
    }
  }

  void read(connection& c) {
    for (;;) {
      const auto n = ::recv(c.socket, chunk_.data(), chunk_.size(), 0);
      if (n == 0 || (n < 0 && errno != EAGAIN))
        return broken(c);
      if (n < 0)
        return;
      bytes_ += n;
      take(c, {chunk_.data(), static_cast<std::size_t>(n)});
      if (static_cast<std::size_t>(n) < chunk_.size())
        return; // edge-triggered: a short read has emptied the socket
    }
  }

  void take(connection& c, std::string_view got) {
    if (c.status != 0) {
      const auto used = std::min(c.body_left, got.size());
      c.body_left -= used;
      if (c.body_left == 0)
        done(c);
      return;
    }
    if (!c.in.empty()) {
      c.in.append(got);
      got = c.in;
    }
    const auto end = got.find("\r\n\r\n");
    if (end == std::string_view::npos) {
      if (c.in.empty())
        c.in.assign(got);
      return;
    }
    c.status = std::atoi(got.data() + 9);
    auto at = got.substr(0, end).find("Content-Length: ");
    c.body_left = at == std::string_view::npos ? 0 : static_cast<std::size_t>(std::atoll(got.data() + at + 16));
    const auto have = got.size() - end - 4;
    c.body_left -= std::min(c.body_left, have);
    c.in.clear();
    if (c.body_left == 0)
      done(c);
  }

  void done(connection& c) {
    const auto now = steady::now();
    if (now >= measured_from_ && now < end_) {
      ++measured_;
      waits_.add((now - c.due).count());
    }
    ++statuses_[c.status];
    acknowledged_ += c.status == 200 && how_.scenario == "votes";
    c.status = 0;
    c.busy = false;
    --in_flight_;
    idle_.push_back(&c);
    if (how_.rate <= 0 && now < end_ && started_ < how_.requests_max && !exhausted_)
      start(now);
  }

  void broken(connection& c) {
    ::close(c.socket);
    errors_ += c.busy;
    in_flight_ -= c.busy;
    c.busy = false;
    c.status = 0;
    c.in.clear();
    if (open(c))
      idle_.push_back(&c);
  }

  void report() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    const auto until = std::min(steady::now(), end_);
    const auto seconds = std::chrono::duration<double>(until - measured_from_).count();
    std::int64_t total = 0;
    std::string statuses;
    for (const auto& [status, count] : statuses_) {
      statuses += (statuses.empty() ? "\"" : ",\"") + std::to_string(status) + "\":" + std::to_string(count);
      total += count;
    }
    std::printf("{\"scenario\":\"%s\",\"connections\":%d,\"rate\":%.0f,\"requests\":%lld,\"measured\":%lld,\"seconds\":%.3f,"
                "\"rps\":%.1f,\"p50_ms\":%.3f,\"p90_ms\":%.3f,\"p99_ms\":%.3f,\"p999_ms\":%.3f,\"max_ms\":%.3f,"
                "\"statuses\":{%s},\"errors\":%lld,\"acknowledged\":%lld,\"next_pair\":%lld,\"bytes\":%lld,\"cpu_seconds\":%.3f}\n",
                how_.scenario.c_str(), how_.connections, how_.rate, static_cast<long long>(total), static_cast<long long>(measured_),
                seconds, static_cast<double>(measured_) / seconds, waits_.milliseconds(0.5), waits_.milliseconds(0.9),
                waits_.milliseconds(0.99), waits_.milliseconds(0.999), waits_.most_milliseconds(), statuses.c_str(),
                static_cast<long long>(errors_), static_cast<long long>(acknowledged_), static_cast<long long>(what_.next_pair()),
                static_cast<long long>(bytes_), cpu);
  }

  const options& how_;
  scenario what_;
  int poll_ = -1;
  std::vector<connection> all_;
  std::deque<connection*> idle_;
  std::vector<char> chunk_ = std::vector<char>(128 * 1024);
  steady::time_point begin_{};
  steady::time_point measured_from_{};
  steady::time_point end_{};
  steady::time_point next_due_{};
  std::int64_t scheduled_ = 0;
  std::int64_t started_ = 0;
  std::int64_t in_flight_ = 0;
  std::int64_t measured_ = 0;
  std::int64_t errors_ = 0;
  std::int64_t acknowledged_ = 0;
  std::int64_t bytes_ = 0;
  bool exhausted_ = false;
  std::map<int, std::int64_t> statuses_;
  latencies waits_;
};

constexpr const char* help =
  "credence_load [options]: loads a server and prints one JSON object\n"
  "  --host H --port P --connections N --seconds S --warmup S --requests N --rate R\n"
  "  --scenario constant|votes|balance|voters|listings\n"
  "  --projects A-B --profiles N --limit N --start-pair K --tokens FILE\n";

} // namespace

int main(int argc, char** argv) {
  options how;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help") {
      std::cout << help;
      return 0;
    }
    if (i + 1 >= argc) {
      std::cerr << name << " needs a value\n" << help;
      return 2;
    }
    const std::string value = argv[++i];
    if (name == "--host")
      how.host = value;
    else if (name == "--port")
      how.port = std::stoi(value);
    else if (name == "--connections")
      how.connections = std::stoi(value);
    else if (name == "--seconds")
      how.seconds = std::stod(value);
    else if (name == "--warmup")
      how.warmup = std::stod(value);
    else if (name == "--requests")
      how.requests_max = std::stoll(value);
    else if (name == "--rate")
      how.rate = std::stod(value);
    else if (name == "--scenario")
      how.scenario = value;
    else if (name == "--projects") {
      how.first_project = std::stoi(value);
      const auto dash = value.find('-');
      how.last_project = dash == std::string::npos ? how.first_project : std::stoi(value.substr(dash + 1));
    } else if (name == "--profiles")
      how.profiles = std::stoi(value);
    else if (name == "--limit")
      how.limit = std::stoi(value);
    else if (name == "--start-pair")
      how.start_pair = std::stoll(value);
    else if (name == "--tokens")
      how.tokens_file = value;
    else {
      std::cerr << "unknown option " << name << "\n" << help;
      return 2;
    }
  }
  return generator{how}.run();
}
