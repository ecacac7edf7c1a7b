#pragma once

#include "http/call/route.hpp"

#include <span>

namespace credence::http::admin {

/// THE table of the admin listener: what the areas declare in http/admin/<area>/routes.hpp.
std::span<const route> routes();

} // namespace credence::http::admin
