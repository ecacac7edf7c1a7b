#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

/// How long work tells somebody who waits for it what it does, how far it is and how long it will take.
namespace credence::ops {

struct progress_state;

/// Where progress is told, and how.
struct progress_output {
  int descriptor = 2;
  bool rewritten = false;               // a terminal: one line, written again and again, and wiped in the end
  std::chrono::milliseconds every{200}; // between two lines, or two writings of the one
  /// Hears of it instead of the descriptor, at every new part, too. Called from several threads, one at a time.
  std::function<void(const progress_state&)> heard = {};
};

/// Standard error: one line that is rewritten where that is a terminal, unless TERM is `dumb` or missing; elsewhere a
/// line every ten seconds.
progress_output progress_on_standard_error();

/// How far work is.
struct progress_state {
  std::string part;                         // such as `votes`
  std::int64_t done = 0;                    // steps of the part
  std::int64_t steps = 0;                   // that the part has; 0 or 1: it is not counted
  double share = 0;                         // of the whole work, 0 to 1
  std::chrono::seconds taken{};             // so far
  std::optional<std::chrono::seconds> left; // as it seems
};

/// `demo: votes, 3,120,000 of 5,000,000, 62 %, about 1 min 10 s left`, or how long it has taken while nobody can say
/// the rest. At most `width` characters.
std::string progress_text(const std::string& title, const progress_state& how, std::size_t width);

/// The progress of a piece of work in parts of different weight. A thread of its own prints it, so that the work is not
/// delayed, and a part that takes long is seen to go on. Without an output it prints nothing.
class progress {
public:
  progress();
  progress(std::string title, progress_output to);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  /// Wipes the line.
  ~progress();

  /// Parts are to come that weigh so much together, in any unit, beside those that were announced before.
  void expect(double weight);
  /// The part before has come to its end, and this one begins.
  void begin(const std::string& part, double weight, std::int64_t steps = 0);
  /// So many steps of the part are done. Cheap enough to be told for every row.
  void at(std::int64_t done) noexcept;

private:
  class teller;
  std::unique_ptr<teller> teller_;
};

/// Tells nobody.
progress& untold();

} // namespace credence::ops
