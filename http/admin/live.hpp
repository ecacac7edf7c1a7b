#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/domain/time.hpp"
#include "http/call/call.hpp"
#include "http/call/console_caller.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"
#include "ops/log.hpp"
#include "ops/log_ring.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http::admin {

inline void write_line(json_writer& to, const ops::kept_line& line) {
  to.field("number", line.number);
  to.field("at", line.at_ms);
  to.field("level", ops::level_name(line.how));
  to.field("event", line.event);
  to.key("fields");
  to.raw(line.fields);
}

/// The query's `level`.
inline std::optional<ops::level> read_level(parameters& from) {
  static constexpr std::array<std::string_view, 4> names{"debug", "info", "warn", "error"};
  const auto found = from.choice("level", names);
  return found ? std::optional{static_cast<ops::level>(*found)} : std::nullopt;
}

} // namespace credence::http::admin

namespace credence::http {

struct route;

} // namespace credence::http

namespace credence::http::admin {

class admin_context;

/// Where a client of the event stream has come to: `<start>.<log line>.<audit number>`.
struct event_place {
  std::int64_t start = 0; // of the process, in milliseconds
  std::int64_t line = 0;
  std::int64_t audit = 0; // 0: at whatever is the newest when it is first known
};
std::string text_of(const event_place& place);
/// Nothing where the text is no such place.
std::optional<event_place> parse_event_place(std::string_view text);

/// What a client wants of the event stream.
struct subscription {
  std::vector<std::string> topics;
  ops::level least = ops::level::debug; // of lines of the log
  std::optional<event_place> seen;
  std::int64_t audit_newest = 0; // where the audit begins for a client that has seen nothing of it; 0: unknown
  caller by;
};

/// Sends changes to all subscribers: each topic is read at most once a second, however many subscribe to it, and not at
/// all while nobody does. Belongs to the thread of the admin listener.
class hub {
public:
  static constexpr std::size_t streams_max = 32;
  static constexpr std::size_t streams_of_one_max = 8; // of one person, so that others have some left
  static constexpr std::size_t topics_max = 16;        // of a stream

  explicit hub(admin_context& of);
  ~hub();
  hub(const hub&) = delete;
  hub& operator=(const hub&) = delete;

  bool full() const noexcept { return streams_.size() >= streams_max; }
  /// Whether this person has as many streams as one may have.
  bool full_for(const caller& who) const;
  /// Whether there is a topic of this name, such as `overview` or `project:7`.
  bool knows(std::string_view name) const;
  std::shared_ptr<event_source> open(const subscription& wanted);
  /// Comes every 50 ms.
  void tick(steady_time now);

private:
  class stream;
  struct topic;

  std::shared_ptr<topic> topic_of(const std::string& name);
  void read(const std::shared_ptr<topic>& what, steady_time now);
  void feed_lines();
  void feed_audit(steady_time now);
  void take_audit(const std::string& body, std::int64_t asked_after);
  /// A stream that is left open is a use of its session.
  void look_at_wallets();
  void drop_gone();

  admin_context& context_;
  std::vector<std::shared_ptr<stream>> streams_;
  std::map<std::string, std::shared_ptr<topic>> topics_; // that are watched
  std::int64_t audit_newest_ = 0;                        // as far as it is known
  bool audit_reading_ = false;
  steady_time audit_next_{};
  steady_time lines_next_{};
};

} // namespace credence::http::admin
