#include "http/server/bounds.hpp"

#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "ops/log.hpp"

#include <algorithm>
#include <chrono>

namespace credence::http {

namespace {

// The moment is shared by all threads, so it is not written for every request.
constexpr std::chrono::nanoseconds precision = std::chrono::milliseconds{1};

} // namespace

write_gate::write_gate(std::uint32_t most, std::chrono::nanoseconds pause)
  : gate_(most ? std::make_shared<gate>(static_cast<std::int32_t>(most)) : nullptr), pause_(pause) {}

bool write_gate::admit(place& into, std::optional<steady_time> early_since, steady_time now) noexcept {
  if (!gate_)
    return true;
  if (early_since && crowded(*early_since))
    return false;
  into = place{gate_};
  if (nearly_full())
    note(now);
  return static_cast<bool>(into);
}

std::int32_t write_gate::room_for_early(steady_time now) const noexcept {
  return !gate_ || crowded(now - pause_) ? 0 : std::max(0, most_early() - gate_->inside());
}

bool write_gate::crowded(steady_time since) const noexcept {
  if (nearly_full())
    return true;
  return steady_time::duration{crowded_at_.load(std::memory_order_relaxed)} > since.time_since_epoch();
}

void write_gate::note(steady_time now) noexcept {
  const auto at = now.time_since_epoch();
  if (at - steady_time::duration{crowded_at_.load(std::memory_order_relaxed)} >= precision)
    crowded_at_.store(at.count(), std::memory_order_relaxed);
}

namespace {

std::int64_t portions(std::int64_t of, std::int64_t each) { return (of + each - 1) / each; }

/// Values between the commas of a JSON text, those within its strings left out.
std::int64_t items_in(std::string_view json) {
  if (json.empty())
    return 0;
  std::int64_t out = 1;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"')
      in_text = !in_text;
    else if (in_text && json[i] == '\\')
      ++i;
    else if (!in_text && json[i] == ',')
      ++out;
  }
  return out;
}

/// The `limit` of a body, as its handler reads it; 0 where it has none, and where the body is refused anyway.
std::int64_t limit_in(std::string_view body) {
  if (body.empty())
    return 0;
  auto read = json_body::parse(body);
  return read ? read->integer("limit").value_or(0) : 0;
}

bool names_ids(std::string_view parameter) {
  if (parameter.ends_with("[]"))
    parameter.remove_suffix(2);
  return parameter == "profileIds" || parameter == "profileId" || parameter == "ids";
}

} // namespace

std::int64_t weight_of(const query_map& query, std::string_view body) {
  std::int64_t rows = std::clamp<std::int64_t>(limit_in(body), 0, limits::price_points_max);
  std::int64_t keys = items_in(body);
  for (const auto& [name, value] : query) {
    if (name == "limit")
      rows = std::max(rows, std::clamp<std::int64_t>(parse_integer(value).value_or(0), 0, limits::price_points_max));
    else if (names_ids(name))
      keys += 1 + std::count(value.begin(), value.end(), ',');
  }
  return std::max({std::int64_t{1}, portions(rows, rows_per_request), portions(keys, keys_per_request)});
}

namespace {

constexpr int lines_max = 50; // a second

} // namespace

bool line_bound::may_add(steady_time now) {
  if (now >= until_) {
    if (count_ > lines_max)
      ops::log(ops::level::warn, what_is_left_out_, {{"count", count_ - lines_max}});
    until_ = now + std::chrono::seconds{1};
    count_ = 0;
  }
  return ++count_ <= lines_max;
}

} // namespace credence::http
