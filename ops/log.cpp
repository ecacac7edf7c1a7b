#include "ops/log.hpp"

#include "config/settings.hpp"
#include "ops/log_ring.hpp"
#include "ops/repeats.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace credence::ops {

namespace {

/// Length of the well-formed UTF-8 sequence at `at`, 0 when there is none.
std::size_t sequence_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(at);
  if (first < 0x80)
    return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || at + length > text.size())
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80)
      return 0;
  const auto second = byte(at + 1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90)
      || (first == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

/// A JSON string of any bytes: what is not UTF-8 becomes U+FFFD.
void put_text(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const auto length = sequence_at(text, at);
    const auto c = text[at];
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
      continue;
    }
    if (length == 1 && (c == '"' || c == '\\')) {
      out += '\\';
      out += c;
    } else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out.append(text, at, length);
    }
    at += length;
  }
  out += '"';
}

void put_value(std::string& out, const field& field) {
  if (const auto* text = std::get_if<std::string_view>(&field.value))
    return put_text(out, *text);
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
    out += std::to_string(*number);
    return;
  }
  if (const auto* flag = std::get_if<bool>(&field.value)) {
    out += *flag ? "true" : "false";
    return;
  }
  const auto number = std::get<double>(field.value);
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::isfinite(number) ? number : 0.0);
  out += text;
}

void put_time(std::string& out) {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[40];
  const auto n = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + n, sizeof text - n, ".%03dZ", static_cast<int>(ms));
  out += text;
}

spdlog::level::level_enum level_of(level how) {
  switch (how) {
    case level::debug: return spdlog::level::debug;
    case level::info: return spdlog::level::info;
    case level::warn: return spdlog::level::warn;
    case level::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

const char* name_of(level how) {
  constexpr std::array names{"debug", "info", "warn", "error"};
  return names[static_cast<std::size_t>(how)];
}

spdlog::logger& logger() {
  static const auto one = [] {
    auto fresh = std::make_shared<spdlog::logger>("credence", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    fresh->set_pattern("%v");
    fresh->set_level(spdlog::level::info);
    return fresh;
  }();
  return *one;
}

/// The latest lines, for whoever looks.
class ring {
public:
  void keep(level how, std::string_view event, std::string fields) {
    const auto now =
      std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()).time_since_epoch().count();
    const std::scoped_lock lock{mutex_};
    bytes_ += fields.size();
    lines_.push_back({++last_, now, how, std::string{event}, fields.empty() ? "{}" : "{" + fields.substr(1) + "}"});
    while (lines_.size() > kept_lines_max || (bytes_ > kept_bytes_max && lines_.size() > 1)) {
      bytes_ -= lines_.front().fields.size();
      lines_.pop_front();
    }
    newest_.store(last_, std::memory_order_release);
  }

  kept_lines find(const line_filter& by) const {
    const std::scoped_lock lock{mutex_};
    kept_lines out;
    out.last = last_;
    out.dropped = !lines_.empty() && by.after > 0 && by.after < lines_.front().number - 1;
    const auto begin = std::lower_bound(lines_.begin(), lines_.end(), by.after + 1,
                                        [](const kept_line& line, std::int64_t n) { return line.number < n; });
    if (by.oldest)
      for (auto each = begin; each != lines_.end() && out.lines.size() < by.limit; ++each)
        take(*each, by, out.lines);
    else
      for (auto each = lines_.end(); each != begin && out.lines.size() < by.limit;)
        take(*--each, by, out.lines);
    if (!by.oldest)
      std::reverse(out.lines.begin(), out.lines.end());
    return out;
  }

  std::int64_t newest() const noexcept { return newest_.load(std::memory_order_acquire); }

private:
  static void take(const kept_line& line, const line_filter& by, std::vector<kept_line>& to) {
    if (line.how >= by.least && line.at_ms >= by.from_ms && line.at_ms < by.to_ms
        && (by.event.empty() || line.event == by.event)
        && (by.text.empty() || line.event.find(by.text) != std::string::npos
            || line.fields.find(by.text) != std::string::npos))
      to.push_back(line);
  }

  static constexpr std::size_t kept_lines_max = 2000;
  static constexpr std::size_t kept_bytes_max = 2 * 1024 * 1024;
  mutable std::mutex mutex_;
  std::deque<kept_line> lines_;
  std::size_t bytes_ = 0;
  std::int64_t last_ = 0;
  std::atomic<std::int64_t> newest_{0};
};

ring& the_ring() {
  static ring one;
  return one;
}

/// One line as it goes to a place: with its level and event in front, for `repeats`.
struct held_line {
  level how;
  std::string event;
  std::string fields; // each with a comma in front
};

std::string packed(level how, std::string_view event, std::string_view fields) {
  std::string out(1, static_cast<char>(how));
  return out.append(event).append("\n").append(fields);
}

held_line unpacked(const std::string& text) {
  const auto end = text.find('\n');
  return {static_cast<level>(text[0]), text.substr(1, end - 1), text.substr(end + 1)};
}

/// What is kept of a line that is held back: as many whole fields as fit.
constexpr std::size_t kept_fields_length_max = 2048;

/// Where lines go to, but for those that repeat others.
class place {
public:
  explicit place(void (*put)(level, std::string_view, std::string)) : put_(put) {}

  /// `key`: what is alike in lines that repeat each other; nothing where a line is like no other. `kept`: of the
  /// fields, where it is held back.
  void take(const std::optional<std::string>& key, level how, std::string_view event, const std::string& fields,
            std::string_view kept) {
    if (key) {
      const std::lock_guard lock{guard_};
      if (!repeats_.lets_through(*key, packed(how, event, kept), std::chrono::steady_clock::now()))
        return;
    }
    put_(how, event, fields);
  }
  void tell_repeats() {
    std::unique_lock lock{guard_};
    const auto due = repeats_.due(std::chrono::steady_clock::now());
    lock.unlock();
    tell(due);
  }
  void tell_all_repeats() {
    std::unique_lock lock{guard_};
    const auto all = repeats_.all();
    lock.unlock();
    tell(all);
  }

private:
  void tell(const std::vector<repeats::told>& held_back) {
    for (const auto& each : held_back) {
      auto line = unpacked(each.text);
      put_(line.how, line.event, std::move(line.fields) + R"(,"repeated":)" + std::to_string(each.held));
    }
  }

  void (*put_)(level, std::string_view, std::string);
  std::mutex guard_;
  repeats repeats_;
};

void write_line(level how, std::string_view event, std::string fields) {
  std::string line = R"({"time":")";
  put_time(line);
  line.append(R"(","level":")").append(name_of(how)).append(R"(","event":)");
  put_text(line, event);
  line.append(fields).append("}");
  logger().log(level_of(how), spdlog::string_view_t{line.data(), line.size()});
}

place& written() {
  static place one{write_line};
  return one;
}

place& remembered() {
  static place one{
    [](level how, std::string_view event, std::string fields) { the_ring().keep(how, event, std::move(fields)); }};
  return one;
}

/// What makes one request's line differ from another's that failed in the same way.
bool of_one_request(std::string_view field) { return field == "request_id" || field == "ms"; }

} // namespace

kept_lines log_lines(const line_filter& by) { return the_ring().find(by); }
std::int64_t newest_log_line() noexcept { return the_ring().newest(); }

void set_log_level(std::string_view name) {
  if (name == "off")
    logger().set_level(spdlog::level::off);
  for (const auto each : {level::debug, level::info, level::warn, level::error})
    if (name == name_of(each))
      logger().set_level(level_of(each));
}

std::string_view level_name(level of) noexcept { return name_of(of); }

void start_log(const settings::log& how) { set_log_level(how.level); }

bool log_enabled(level how) noexcept { return logger().should_log(level_of(how)); }

void log(level how, std::string_view event, std::initializer_list<field> fields) {
  if (!log_enabled(how))
    return;
  std::string all;
  std::string alike;
  const bool may_repeat = how >= level::warn;
  bool request = false;
  std::size_t kept = 0;
  for (const auto& each : fields) {
    std::string one = ",";
    put_text(one, each.name);
    one += ':';
    put_value(one, each);
    if (of_one_request(each.name))
      request = true;
    else if (may_repeat)
      alike += one;
    all += one;
    if (all.size() <= kept_fields_length_max)
      kept = all.size();
  }
  const auto key =
    may_repeat ? std::optional{packed(how, event, std::to_string(std::hash<std::string>{}(alike)))} : std::nullopt;
  const auto to_keep = std::string_view{all}.substr(0, kept);
  remembered().take(key, how, event, all, to_keep);
  written().take(request ? std::nullopt : key, how, event, all, to_keep); // a request is looked for by its id
}

void log_repeats() {
  remembered().tell_repeats();
  written().tell_repeats();
}

void log_all_repeats() {
  remembered().tell_all_repeats();
  written().tell_all_repeats();
}

} // namespace credence::ops
