#include "ops/progress.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

namespace credence::ops {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto lines_every = 10s;
constexpr std::size_t width_unknown = 80;
constexpr std::size_t width_of_lines = 200; // in a file
constexpr double share_to_judge_by = 0.01;
constexpr auto time_to_judge_by = 2s;
constexpr std::string_view wiped = "\r\x1b[K";

/// 1,234,567
std::string grouped(std::int64_t number) {
  auto text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string text_of(std::chrono::seconds time) {
  const auto seconds = time.count();
  if (seconds < 60)
    return std::to_string(seconds) + " s";
  if (seconds < 3600)
    return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  return std::to_string(seconds / 3600) + " h " + std::to_string(seconds / 60 % 60) + " min";
}

std::size_t width_of(int terminal) {
  winsize size{};
  return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : width_unknown;
}

void write_all(int to, std::string_view text) noexcept {
  while (!text.empty()) {
    const auto written = ::write(to, text.data(), text.size());
    if (written <= 0)
      return; // whoever waited has gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::atomic<int> interrupted_terminal{-1};

/// Ctrl-C leaves the line as it was last seen; what comes next begins below it.
extern "C" void leave_line(int signal) {
  const auto written = ::write(interrupted_terminal.load(), "\n", 1);
  static_cast<void>(written);
  ::raise(signal); // the handler was for once
}

/// While it lives, SIGINT ends the line before it ends the process, as far as nobody else takes it.
class line_end_at_interrupt {
public:
  explicit line_end_at_interrupt(int terminal) {
    interrupted_terminal = terminal;
    struct sigaction how {};
    how.sa_handler = leave_line;
    how.sa_flags = SA_RESETHAND | SA_NODEFER;
    taken_ = ::sigaction(SIGINT, nullptr, &before_) == 0 && before_.sa_handler == SIG_DFL
             && ::sigaction(SIGINT, &how, nullptr) == 0;
  }
  line_end_at_interrupt(const line_end_at_interrupt&) = delete;
  line_end_at_interrupt& operator=(const line_end_at_interrupt&) = delete;
  ~line_end_at_interrupt() {
    if (taken_)
      ::sigaction(SIGINT, &before_, nullptr);
  }

private:
  struct sigaction before_ {};
  bool taken_ = false;
};

} // namespace

progress_output progress_on_standard_error() {
  const auto* term = std::getenv("TERM");
  progress_output out;
  out.rewritten = ::isatty(out.descriptor) == 1 && term && *term && std::string_view{term} != "dumb";
  if (!out.rewritten)
    out.every = lines_every;
  return out;
}

std::string progress_text(const std::string& title, const progress_state& how, std::size_t width) {
  auto text = title + ": " + how.part;
  if (how.steps > 1)
    text += ", " + grouped(how.done) + " of " + grouped(how.steps);
  text += ", " + std::to_string(static_cast<int>(how.share * 100)) + " %, ";
  text += how.left ? "about " + text_of(*how.left) + " left" : text_of(how.taken) + " so far";
  return text.substr(0, width);
}

class progress::teller {
public:
  teller(std::string title, progress_output to) : title_(std::move(title)), to_(to) {
    if (to_.rewritten)
      at_interrupt_.emplace(to_.descriptor);
    thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
  }
  teller(const teller&) = delete;
  teller& operator=(const teller&) = delete;
  ~teller() {
    thread_.request_stop();
    thread_.join();
    if (drawn_)
      write_all(to_.descriptor, wiped);
  }

  void expect(double weight) {
    const std::scoped_lock lock{mutex_};
    whole_ += weight;
  }

  void begin(const std::string& part, double weight, std::int64_t steps) {
    const std::scoped_lock lock{mutex_};
    passed_ += weight_;
    weight_ = weight;
    part_ = part;
    steps_ = steps;
    done = 0;
    if (to_.rewritten || to_.heard)
      write();
  }

  std::atomic<std::int64_t> done{0};

private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    std::condition_variable_any never;
    while (!never.wait_for(lock, stop, to_.every, [&] { return stop.stop_requested(); }))
      if (!part_.empty() && !stop.stop_requested())
        write();
  }

  /// The work may turn out to be more than was announced.
  double share(std::int64_t steps_done) const {
    const auto of_part =
      steps_ > 0 ? std::min(1.0, static_cast<double>(steps_done) / static_cast<double>(steps_)) : 0.0;
    return std::min(1.0, (passed_ + weight_ * of_part) / std::max(whole_, passed_ + weight_));
  }

  /// By how long it took to come where the work is. Between two steps that time runs out, and beyond it nothing is
  /// said.
  std::optional<std::chrono::seconds> left(double share, clock::time_point now) {
    if (share != judged_share_) {
      judged_share_ = share;
      const auto taken = std::chrono::duration<double>(now - began_).count();
      judged_end_.reset();
      if (share >= share_to_judge_by && now - began_ >= time_to_judge_by)
        judged_end_ =
          now + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(taken * (1 - share) / share));
    }
    if (!judged_end_ || *judged_end_ <= now)
      return std::nullopt;
    return std::chrono::ceil<std::chrono::seconds>(*judged_end_ - now);
  }

  void write() {
    const auto now = clock::now();
    const auto steps_done = done.load(std::memory_order_relaxed);
    const auto part_of_whole = share(steps_done);
    const progress_state how{part_,
                             steps_done,
                             steps_,
                             part_of_whole,
                             std::chrono::floor<std::chrono::seconds>(now - began_),
                             left(part_of_whole, now)};
    if (to_.heard)
      return to_.heard(how);
    // The last column stays free: some terminals begin a new line behind it.
    const auto width = to_.rewritten ? width_of(to_.descriptor) - 1 : width_of_lines;
    const auto text = progress_text(title_, how, width);
    drawn_ = to_.rewritten;
    write_all(to_.descriptor, to_.rewritten ? std::string{wiped} + text : text + "\n");
  }

  const std::string title_;
  const progress_output to_;
  const clock::time_point began_ = clock::now();
  std::optional<line_end_at_interrupt> at_interrupt_;
  std::mutex mutex_;
  std::string part_;
  double whole_ = 0;  // weight
  double passed_ = 0; // of the parts before
  double weight_ = 0; // of this one
  std::int64_t steps_ = 0;
  double judged_share_ = -1;
  std::optional<clock::time_point> judged_end_;
  bool drawn_ = false;
  std::jthread thread_;
};

progress::progress() = default;
progress::progress(std::string title, progress_output to) : teller_(std::make_unique<teller>(std::move(title), to)) {}
progress::~progress() = default;

void progress::expect(double weight) {
  if (teller_)
    teller_->expect(weight);
}

void progress::begin(const std::string& part, double weight, std::int64_t steps) {
  if (teller_)
    teller_->begin(part, weight, steps);
}

void progress::at(std::int64_t done) noexcept {
  if (teller_)
    teller_->done.store(done, std::memory_order_relaxed);
}

progress& untold() {
  static progress nobody;
  return nobody;
}

} // namespace credence::ops
