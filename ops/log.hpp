#pragma once

#include "config/settings.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

/// The log: one JSON object a line on standard error. Never a token, a signature,
/// a password or a body. A warning or an error that only repeats one is held back, and told of later with `repeated`,
/// the number of them, and of its fields as many as fit into 2 KiB.
namespace credence::ops {

enum class level : std::uint8_t { debug, info, warn, error };

struct field {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double, bool> value;
  field(std::string_view n, std::string_view v) : name(n), value(v) {}
  field(std::string_view n, const char* v) : name(n), value(std::string_view{v}) {}
  field(std::string_view n, const std::string& v) : name(n), value(std::string_view{v}) {}
  field(std::string_view n, std::int64_t v) : name(n), value(v) {}
  field(std::string_view n, int v) : name(n), value(std::int64_t{v}) {}
  field(std::string_view n, std::size_t v) : name(n), value(static_cast<std::int64_t>(v)) {}
  field(std::string_view n, double v) : name(n), value(v) {}
  field(std::string_view n, bool v) : name(n), value(v) {}
};

void start_log(const settings::log& how);
/// `{"time":"…Z","level":"info","event":"<event>",…fields}`
void log(level how, std::string_view event, std::initializer_list<field> fields = {});
bool log_enabled(level how) noexcept;
/// Logs how often warnings and errors have come again that were held back (ops/repeats.hpp); to be called now and then.
void log_repeats();
/// The same for all that are still held back; to be called at the end.
void log_all_repeats();

} // namespace credence::ops
