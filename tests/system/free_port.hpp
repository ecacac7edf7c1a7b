#pragma once

#include <cstdint>

namespace credence::test {

/// A port of this machine that nobody listens at just now; throws where none is free.
std::uint16_t free_port();

} // namespace credence::test
