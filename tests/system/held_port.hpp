#pragma once

#include <cstdint>

namespace credence::test {

/// A port of loopback that nobody else gets while this object is there, for programs that are told where to listen: a
/// socket is bound to it and does not listen. Who asks the system for any port, or connects from one, is given another;
/// a program that binds this one by its number, with SO_REUSEADDR as servers do, may listen at it, and another one
/// after its end. Until then connections are refused.
class held_port {
public:
  /// Throws where no port is free.
  held_port();
  held_port(const held_port&) = delete;
  held_port& operator=(const held_port&) = delete;
  ~held_port();

  std::uint16_t number() const noexcept { return number_; }

private:
  int socket_;
  std::uint16_t number_ = 0;
};

} // namespace credence::test
