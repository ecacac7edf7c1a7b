#pragma once

#include "http/call/route.hpp"

#include <span>

namespace credence::http::admin {

/// The table of the admin listener, made from http/admin/openapi.json by ops/operations.py.
std::span<const route> routes();

} // namespace credence::http::admin
