#pragma once

#include "http/call/route.hpp"

#include <span>

namespace credence::http {

/// THE table of the public listener: what the resources declare in http/api/<resource>/routes.hpp.
std::span<const route> routes();

} // namespace credence::http
