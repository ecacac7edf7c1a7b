#pragma once

#include "http/call/route.hpp"

#include <span>

namespace credence::http {

/// The table of the public listener, made from http/api/<resource>/openapi.json by ops/operations.py.
std::span<const route> routes();

} // namespace credence::http
