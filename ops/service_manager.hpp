#pragma once

#include <string_view>

/// What systemd wants to hear of a service with Type=notify (sd_notify(3)), without its library.
namespace credence::ops {

/// Tells the service manager, such as `READY=1`; nothing where there is none. From any thread.
void tell_service_manager(std::string_view text) noexcept;

} // namespace credence::ops
