#pragma once

#include <string>
#include <string_view>

namespace credence::http::admin {

class desk;

/// What this process knows of an alert that holds, beyond what its number says: the writer's last error, who paused
/// writes and why. Empty where it knows no more.
std::string detail_of(desk& of, std::string_view alert);

} // namespace credence::http::admin
