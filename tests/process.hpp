#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace credence::test {

/// What a program that has run to its end left behind.
struct finished {
  int code = -1; // exit code; 128 + signal when it was killed
  std::string out;
  std::string err;
};

using environment = std::vector<std::pair<std::string, std::string>>;

/// How long a program may work without a word: a compiler and a browser take minutes where others keep the machine
/// busy.
constexpr std::chrono::minutes silence{15};

/// Runs a program to its end (killed, and `err` says so, once it has said nothing for `silence`) with extra environment
/// variables.
finished run_program(const std::vector<std::string>& command, const environment& extra = {});

/// SIGSTOP, to a process that is there. Returns once each of its threads stands still: on a busy machine they go on for
/// a while, and answer. Throws when they still go on after a minute.
void stop_process(pid_t pid);

/// A program that goes on in the background; killed when this object goes.
class child_process {
public:
  child_process() = default;
  /// Standard error goes to `log_file`, which is appended to.
  child_process(const std::vector<std::string>& command, const std::string& log_file, const environment& extra = {});
  child_process(child_process&& other) noexcept : pid_(std::exchange(other.pid_, -1)), code_(other.code_) {}
  child_process& operator=(child_process&& other) noexcept;
  ~child_process();

  pid_t pid() const noexcept { return pid_; }
  void signal(int number) const;
  /// Waits for its end; its exit code, -1 when it has not ended in time.
  int wait(int timeout_ms = 180'000);
  bool running();

private:
  pid_t pid_ = -1;
  int code_ = -1; // once it has ended
};

} // namespace credence::test
