#pragma once

#include <chrono>
#include <cstdint>

namespace credence::http {

class call;

/// An answer that has come back to the thread of the call that asked.
class arrival {
public:
  explicit arrival(std::uint64_t turn) noexcept : turn_(turn) {}
  /// Which of the call's questions is answered: the call hears the answer to its latest one alone.
  std::uint64_t turn() const noexcept { return turn_; }
  /// What the database has done for it.
  virtual std::chrono::nanoseconds database_time() const noexcept = 0;
  /// Has the call go on with the answer.
  virtual void hear() = 0;

protected:
  ~arrival() = default;

private:
  std::uint64_t turn_;
};

/// Who serves a call, and sends its answer once the handler has given one: the connection that it came on.
class call_server {
public:
  /// Takes back an envelope of the call, and has the call hear the answer unless that is too late. The call may
  /// be gone afterwards.
  virtual void take_back(arrival& came) = 0;

protected:
  ~call_server() = default;
};

} // namespace credence::http
