#include "http/admin/series.hpp"

#include "ops/log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>

namespace credence::http::admin {

namespace {

/// How the file begins: one that begins otherwise is begun anew.
struct series_head {
  std::array<char, 16> magic{'c', 'r', 'e', 'd', 'e', 'n', 'c', 'e', ' ', 's', 'e', 'r', 'i', 'e', 's'};
  std::uint32_t version = 2; // of the layout
  std::uint32_t size = 0;    // of all of it

  bool operator==(const series_head&) const = default;
};
constexpr std::int64_t minute = 60;
constexpr std::int64_t names_freed_every = 3'600;
constexpr std::array<std::int64_t, 15> steps_of_values{1,   2,   5,   10,    15,    30,    60,    120,
                                                       300, 600, 900, 1'800, 3'600, 7'200, 21'600};

struct kept_name {
  static constexpr std::size_t text_max = 94;
  char what = 0; // 0: free
  std::uint8_t length = 0;
  std::array<char, text_max> text{};

  std::string_view words() const noexcept { return {text.data(), std::min<std::size_t>(length, text_max)}; }
};

std::uint32_t weighted(std::uint32_t a, std::uint32_t weight_a, std::uint32_t b, std::uint32_t weight_b) {
  if (a == series_point::unknown || b == series_point::unknown)
    return std::min(a, b);
  const auto all = std::uint64_t{weight_a} + weight_b;
  return all == 0 ? a : static_cast<std::uint32_t>((std::uint64_t{a} * weight_a + std::uint64_t{b} * weight_b) / all);
}

std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
  return a == series_point::unknown ? b : b == series_point::unknown ? a : std::max(a, b);
}

/// Without the parts. The middle of the middles is about the middle; of the 99th percentiles the highest counts.
void add_figures(series_point& to, const series_point& more) {
  to.p50_us = weighted(to.p50_us, to.requests, more.p50_us, more.requests);
  to.commit_p50_us = weighted(to.commit_p50_us, to.batches, more.commit_p50_us, more.batches);
  to.p99_us = greater(to.p99_us, more.p99_us);
  to.commit_p99_us = greater(to.commit_p99_us, more.commit_p99_us);
  to.counted_ms += more.counted_ms;
  to.requests += more.requests;
  to.errors += more.errors;
  to.refusals += more.refusals;
  to.limited += more.limited;
  to.votes += more.votes;
  to.trades += more.trades;
  to.tips += more.tips;
  to.batches += more.batches;
  to.changes += more.changes;
  to.queued = std::max(to.queued, more.queued);
  to.database_mib = std::max(to.database_mib, more.database_mib);
}

template <std::size_t N>
void add_parts(std::array<series_part, N>& to, const std::array<series_part, N>& more, bool routes) {
  for (const auto& each : more) {
    if (each.name == 0)
      continue;
    auto place = std::find_if(to.begin(), to.end(), [&](const series_part& own) { return own.name == each.name; });
    if (place == to.end()) {
      place = std::min_element(to.begin(), to.end(), [](const series_part& a, const series_part& b) {
        return (a.name == 0 ? 0 : a.requests) < (b.name == 0 ? 0 : b.requests);
      });
      if (place->name != 0 && place->requests >= each.requests)
        continue;
      *place = each;
      continue;
    }
    place->requests += each.requests;
    place->errors += each.errors;
    place->refusals += each.refusals;
    place->extra = routes ? greater(place->extra, each.extra) : place->extra + each.extra;
  }
}

void add_point(series_point& kept, const series_point& more) {
  if (kept.at != more.at) {
    kept = more;
    return;
  }
  add_figures(kept, more);
  add_parts(kept.routes, more.routes, true);
  add_parts(kept.clients, more.clients, false);
}

/// A point with the figures of one route or client in place of those of all.
template <std::size_t N>
series_point only_part(const series_point& of, const std::array<series_part, N>& parts, std::uint32_t name,
                       bool route) {
  auto out = of;
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [name](const series_part& each) { return each.name != 0 && each.name == name; });
  const auto part = found == parts.end() ? series_part{.extra = route ? series_point::unknown : 0} : *found;
  out.requests = part.requests;
  out.errors = part.errors;
  out.refusals = part.refusals;
  out.limited = route ? 0 : part.extra;
  out.p50_us = series_point::unknown;
  out.p99_us = route ? part.extra : series_point::unknown;
  return out;
}

} // namespace

struct kept_series::layout {
  series_head head;
  std::array<std::uint64_t, marks_kept_of.size()> marks_made;
  std::array<kept_name, names_kept> names;
  std::array<series_mark, marks_kept> marks;      // kind by kind
  std::array<series_point, seconds_kept> seconds; // of a moment at its second % seconds_kept
  std::array<series_point, minutes_kept> minutes; // likewise
};

std::size_t kept_series::bytes() noexcept { return sizeof(layout); }

namespace {

/// The file with room for all of it, locked; negative where it cannot be had. It is one of ours, or all of it is zero.
/// All of its room is taken at once, so that it is kept on also while a disk is full.
int series_file(const std::string& path, const series_head& ours) {
  if (path.empty())
    return -1;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  const bool mine = file >= 0 && ::fcntl(file, F_OFD_SETLK, &lock) == 0;
  struct stat about {};
  series_head there;
  const bool fits = mine && ::fstat(file, &about) == 0 && about.st_size == static_cast<off_t>(ours.size)
                    && ::pread(file, &there, sizeof(there), 0) == sizeof(there) && there == ours;
  int why = file < 0 ? errno : 0;
  if (mine && !fits && ::ftruncate(file, 0) != 0)
    why = errno;
  if (mine && why == 0)
    why = ::posix_fallocate(file, 0, static_cast<off_t>(ours.size));
  if (mine && why == 0)
    return file;
  if (why != 0)
    ops::log(ops::level::warn, "series_not_kept", {{"file", path}, {"error", std::strerror(why)}});
  if (file >= 0)
    ::close(file);
  return -1;
}

/// False where not all of it can be read.
bool read_series(int file, char* to, std::size_t bytes) {
  for (std::size_t have = 0; have < bytes;) {
    const auto more = ::pread(file, to + have, bytes - have, static_cast<off_t>(have));
    if (more <= 0)
      return false;
    have += static_cast<std::size_t>(more);
  }
  return true;
}

} // namespace

kept_series::kept_series(const std::string& file) {
  static_assert(std::is_trivially_copyable_v<layout>);
  auto* at = ::mmap(nullptr, sizeof(layout), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    throw std::bad_alloc{};
  all_ = static_cast<layout*>(at); // takes no memory before it is written to
  series_head ours;
  ours.size = sizeof(layout);
  file_ = series_file(file, ours);
  if (file_ >= 0 && !read_series(file_, static_cast<char*>(at), sizeof(layout))) {
    std::memset(at, 0, sizeof(layout));
    give_up("it cannot be read");
  }
  if (all_->head == ours)
    return;
  all_->head = ours;
  keep(all_->head);
}

void kept_series::give_up(const char* why) {
  ops::log(ops::level::warn, "series_not_kept", {{"error", why}});
  ::close(std::exchange(file_, -1));
}

/// Writes a part of it to the file. What fails there, as on a disk that is full, is no reason to end: memory that is
/// mapped to a file would end the process.
template <class Part>
void kept_series::keep(const Part& part) {
  const auto offset = reinterpret_cast<const char*>(&part) - reinterpret_cast<const char*>(all_);
  if (file_ < 0)
    return;
  errno = ENOSPC; // where only a piece is written
  if (::pwrite(file_, &part, sizeof(part), static_cast<off_t>(offset)) != static_cast<ssize_t>(sizeof(part)))
    give_up(std::strerror(errno));
}

kept_series::~kept_series() {
  ::munmap(all_, sizeof(layout));
  if (file_ >= 0)
    ::close(file_);
}

std::string_view kept_series::name(std::uint32_t number) const {
  return number == 0 || number > names_kept ? std::string_view{} : all_->names[number - 1].words();
}

std::uint32_t kept_series::number_of(named what, std::string_view name) {
  const auto text = name.substr(0, kept_name::text_max);
  std::size_t free = names_kept;
  for (std::size_t i = 0; i < names_kept; ++i) {
    const auto& each = all_->names[i];
    if (each.what == 0)
      free = std::min(free, i);
    else if (each.what == static_cast<char>(what) && each.words() == text) {
      given_[i] = true;
      return static_cast<std::uint32_t>(i + 1);
    }
  }
  if (free == names_kept) {
    free_names();
    for (free = 0; free < names_kept && all_->names[free].what != 0;)
      ++free;
  }
  if (free == names_kept)
    return 0;
  auto& fresh = all_->names[free];
  fresh.what = static_cast<char>(what);
  fresh.length = static_cast<std::uint8_t>(text.size());
  std::copy(text.begin(), text.end(), fresh.text.begin());
  keep(fresh);
  given_[free] = true;
  return static_cast<std::uint32_t>(free + 1);
}

/// Clients call themselves as they like, so that names grow old: those that no point has are given up, but for those
/// whose numbers this process goes on with.
void kept_series::free_names() {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(system_now().time_since_epoch()).count();
  if (now - names_freed_at_ < names_freed_every)
    return;
  names_freed_at_ = now;
  auto used = given_;
  const auto use = [&used](const auto& parts) {
    for (const series_part& each : parts)
      if (each.name >= 1 && each.name <= names_kept)
        used[each.name - 1] = true;
  };
  const auto use_all = [&use](const auto& points) {
    for (const series_point& each : points) {
      use(each.routes);
      use(each.clients);
    }
  };
  use_all(all_->seconds);
  use_all(all_->minutes);
  for (std::size_t i = 0; i < names_kept; ++i)
    if (!used[i])
      all_->names[i].what = 0;
  keep(all_->names);
}

void kept_series::add_second(const series_point& more) {
  auto& to = all_->seconds[more.at % static_cast<std::uint32_t>(seconds_kept)];
  add_point(to, more);
  keep(to);
}

void kept_series::add_minute(const series_point& more) {
  auto& to = all_->minutes[more.at / minute % static_cast<std::uint32_t>(minutes_kept)];
  add_point(to, more);
  keep(to);
}

/// The place of what was, or will be, the mark of that kind with this number, from 0.
series_mark& kept_series::mark_of(mark_kind kind, std::uint64_t number) const {
  const auto which = static_cast<std::size_t>(kind);
  const auto first = std::accumulate(marks_kept_of.begin(), marks_kept_of.begin() + which, std::size_t{});
  return all_->marks[first + number % marks_kept_of[which]];
}

void kept_series::mark(timestamp at, mark_kind kind, std::string_view text) {
  auto cut = text.substr(0, series_mark::text_max);
  while (cut.size() < text.size() && !cut.empty() && (static_cast<unsigned char>(text[cut.size()]) & 0xc0) == 0x80)
    cut.remove_suffix(1); // between characters of UTF-8
  auto& made = all_->marks_made[static_cast<std::size_t>(kind)];
  auto& to = mark_of(kind, made);
  to = {};
  to.at_ms = std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count();
  to.kind = kind;
  to.length = static_cast<std::uint8_t>(cut.size());
  std::copy(cut.begin(), cut.end(), to.text.begin());
  keep(to);
  ++made;
  keep(made);
}

const series_mark* kept_series::newest(mark_kind kind) const {
  const auto made = all_->marks_made[static_cast<std::size_t>(kind)];
  return made == 0 ? nullptr : &mark_of(kind, made - 1);
}

namespace {

/// What routes or clients came to, point by point.
class totals {
public:
  explicit totals(bool routes) : routes_(routes) {}

  template <std::size_t N>
  void add(const std::array<series_part, N>& parts) {
    for (const auto& each : parts) {
      if (each.name == 0 || each.name > kept_series::names_kept)
        continue;
      auto& to = by_number_[each.name];
      to.requests += each.requests;
      to.errors += each.errors;
      to.refusals += each.refusals;
      if (!routes_)
        to.limited += each.extra;
      else if (each.extra != series_point::unknown)
        to.p99_us = std::max<std::int64_t>(to.p99_us.value_or(0), each.extra);
    }
  }

  template <class NameOf>
  std::vector<series_total> sorted(NameOf name_of) {
    std::vector<series_total> out;
    for (std::uint32_t number = 1; number < by_number_.size(); ++number) {
      auto& each = by_number_[number];
      each.name = each.requests > 0 ? name_of(number) : std::string{};
      if (!each.name.empty())
        out.push_back(std::move(each));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const series_total& a, const series_total& b) { return a.requests > b.requests; });
    return out;
  }

private:
  bool routes_;
  std::vector<series_total> by_number_ = std::vector<series_total>(kept_series::names_kept + 1);
};

} // namespace

series_answer kept_series::read(const series_question& question, std::int64_t now) const {
  series_answer out;
  const bool by_second = question.from >= now - seconds_kept && question.to - question.from <= seconds_kept;
  const auto raw = by_second ? 1 : minute;
  const auto from =
    std::max(question.from - question.from % raw, now - (by_second ? seconds_kept : minutes_kept * minute));
  const auto to = std::min(question.to, now + raw);
  const auto wanted = std::max<std::int64_t>((to - from) / static_cast<std::int64_t>(question.values_max), raw);
  const auto step = *std::find_if(steps_of_values.begin(), steps_of_values.end() - 1,
                                  [&](std::int64_t each) { return each % raw == 0 && each >= wanted; });
  out.step = std::chrono::seconds{step};
  const auto number_in = [this](named what, const std::optional<std::string>& wanted_name) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; wanted_name && i < names_kept; ++i)
      if (all_->names[i].what == static_cast<char>(what)
          && all_->names[i].words() == std::string_view{*wanted_name}.substr(0, kept_name::text_max))
        number = static_cast<std::uint32_t>(i + 1);
    return number;
  };
  const auto route = number_in(named::route, question.route);
  const auto client = number_in(named::client, question.client);
  totals by_route{true};
  totals by_client{false};
  for (auto at = from; at < to; at += raw) {
    const auto& point = by_second ? all_->seconds[static_cast<std::size_t>(at % seconds_kept)]
                                  : all_->minutes[static_cast<std::size_t>(at / minute % minutes_kept)];
    if (point.at != static_cast<std::uint64_t>(at))
      continue;
    by_route.add(point.routes);
    by_client.add(point.clients);
    auto figures = question.route    ? only_part(point, point.routes, route, true)
                   : question.client ? only_part(point, point.clients, client, false)
                                     : point;
    figures.at = static_cast<std::uint32_t>(at - at % step);
    figures.routes = {};
    figures.clients = {};
    if (out.values.empty() || out.values.back().at != figures.at)
      out.values.push_back(figures);
    else
      add_figures(out.values.back(), figures);
  }
  const auto name_of = [this](std::uint32_t number) { return std::string{name(number)}; };
  out.routes = by_route.sorted(name_of);
  out.clients = by_client.sorted(name_of);
  for (std::size_t kind = 0; kind < marks_kept_of.size(); ++kind) {
    const auto made = all_->marks_made[kind];
    for (auto number = made - std::min<std::uint64_t>(made, marks_kept_of[kind]); number < made; ++number)
      if (const auto& each = mark_of(mark_kind{static_cast<std::uint8_t>(kind)}, number);
          each.at_ms >= from * 1000 && each.at_ms < to * 1000)
        out.marks.push_back(each);
  }
  std::stable_sort(out.marks.begin(), out.marks.end(),
                   [](const series_mark& a, const series_mark& b) { return a.at_ms < b.at_ms; });
  return out;
}

} // namespace credence::http::admin
