#include "persistence/demo_history.hpp"

#include "persistence/demo_words.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace credence::persistence {

namespace {

namespace words = demo_words;

constexpr std::int32_t period_count = 7;
constexpr std::size_t copy_chunk = 256 * 1024;

std::int64_t live_profiles(std::int32_t profiles) {
  std::int64_t live = 0;
  for (std::int32_t i = 1; i <= profiles; ++i)
    live += !demo_archived_profile(i);
  return live;
}

/// The moments at which the periods begin: the first of this month and of the six before it.
std::vector<timestamp> beginnings(timestamp now) {
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  std::vector<timestamp> out;
  for (int back = period_count - 1; back >= 0; --back)
    out.push_back(
      std::chrono::sys_days{(std::chrono::year_month{today.year(), today.month()} - std::chrono::months{back}) / 1});
  return out;
}

class history {
public:
  history(connection& on, const demo_size& size, timestamp now, steady_time deadline)
    : on_(on), size_(size), now_(now), deadline_(deadline), live_(live_profiles(size.profiles)) {
    // Popularity falls with the rank, so that there is a top and a long tail.
    double sum = 0;
    for (std::int32_t j = 1; j <= size_.projects; ++j)
      cumulative_.push_back(sum += 1.0 / (j + 4.0));
    numbers_.resize(static_cast<std::size_t>(size_.projects) + 1);
  }

  void load() {
    const auto starts = beginnings(now_);
    parameters none;
    epoch_ = on_.exec_params("SELECT epoch FROM shard_owners WHERE shard = 1", deadline_).int8(0, 0);
    int number = 0;
    int year = 0;
    for (std::int32_t p = 1; p <= period_count; ++p) {
      const auto from = starts[static_cast<std::size_t>(p) - 1];
      const auto to = p == period_count ? now_ : starts[static_cast<std::size_t>(p)];
      number = year_of(from) == year ? number + 1 : 1;
      year = year_of(from);
      open(p, year, number, from, next_month(from));
      // Interest grows from period to period.
      const auto share = [](std::int64_t votes, std::int32_t until) {
        return votes * until * (until + 5) / (period_count * (period_count + 5));
      };
      votes(p, from, to, share(size_.votes, p) - share(size_.votes, p - 1));
    }
    tallies();
    on_.exec("UPDATE projects SET status = 'ARCHIVED' WHERE show_archived", deadline_);
  }

private:
  void fence(global_seq first, global_seq last) {
    parameters with;
    with.int8(epoch_).int8(++sequence_).int8(first).int8(last);
    on_.exec_params("SELECT fence_batch(1, 'credence', $1::int8, $2::int8, gen_random_uuid(), $3::int8, $4::int8)", with,
                    deadline_);
  }

  void open(std::int32_t id, int year, int number, timestamp from, timestamp until) {
    if (id > 1) {
      parameters with;
      with.int4(id - 1).time(from);
      on_.exec_params("UPDATE voting_periods SET closed_at = $2::timestamptz WHERE id = $1::int4", with, deadline_);
    }
    ++seq_;
    fence(seq_, seq_);
    parameters with;
    with.int4(id).int4(year).int4(number).time(from).time(until).int8(live_).int8(size_.projects).int8(seq_);
    on_.exec_params("INSERT INTO voting_periods (id, year, number, starts_at, ends_at, live_profiles, active_projects, seq)"
                    " VALUES ($1::int4, $2::int4, $3::int4, $4::timestamptz, $5::timestamptz, $6::int8, $7::int8, $8::int8)",
                    with, deadline_);
  }

  std::int32_t pick_project(std::uint64_t r) const {
    const auto at = static_cast<double>(r >> 11) * 0x1.0p-53 * cumulative_.back();
    const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end(), at);
    return 1 + static_cast<std::int32_t>(std::min<std::ptrdiff_t>(found - cumulative_.begin(), size_.projects - 1));
  }

  /// The `i`-th voter of a project in a period: a permutation of all profiles that
  /// differs from project to project, without those that are archived.
  std::int32_t pick_voter(std::int32_t project, std::int32_t period, std::int64_t& i) const {
    const std::int64_t all = size_.profiles;
    auto step = static_cast<std::int64_t>(demo_mix(static_cast<std::uint64_t>(project)) % static_cast<std::uint64_t>(all)) | 1;
    while (std::gcd(step, all) != 1)
      step += 2;
    for (;;) {
      const auto voter = static_cast<std::int32_t>((i++ * step + project * 31 + period * 17) % all) + 1;
      if (!demo_archived_profile(voter))
        return voter;
    }
  }

  /// Between 0 and 1: how well a project is seen at a moment. Each has its own slow wave.
  static double mood(std::int32_t project, std::int32_t period, double into) {
    return 0.55 + 0.35 * std::sin(project * 1.7 + (period + into) * 0.9);
  }

  void votes(std::int32_t period, timestamp from, timestamp to, std::int64_t count) {
    if (count == 0)
      return;
    fence(seq_ + 1, seq_ + count);
    std::vector<std::int64_t> walked(static_cast<std::size_t>(size_.projects) + 1);
    std::vector<std::int64_t> cast(static_cast<std::size_t>(size_.projects) + 1);
    const auto span = std::max<std::int64_t>(1, (to - from).count());
    binary_rows out;
    std::int64_t done = 0;
    const auto one = [&] {
      const auto r = demo_mix(static_cast<std::uint64_t>(seq_) * 3 + 1);
      auto project = pick_project(r);
      while (cast[static_cast<std::size_t>(project)] == live_)
        project = project % size_.projects + 1;
      const auto j = static_cast<std::size_t>(project);
      ++cast[j];
      const auto voter = pick_voter(project, period, walked[j]);
      const auto into = static_cast<double>(done) / static_cast<double>(count);
      const auto at = from + std::chrono::microseconds{static_cast<std::int64_t>(into * static_cast<double>(span))};
      const auto opinion = demo_mix(r);
      const bool bullish = static_cast<double>(opinion >> 11) * 0x1.0p-53 < mood(project, period, into);
      out.row(8);
      out.int8(++seq_);
      out.time(at);
      out.int4(project);
      out.int4(voter);
      out.int4(++numbers_[j]);
      out.int4(period);
      out.boolean(bullish);
      if (opinion % 5 < 3)
        out.text(bullish ? words::bullish[opinion / 8 % words::bullish.size()]
                         : words::bearish[opinion / 8 % words::bearish.size()]);
      else
        out.null();
      auto& tally = days_[{project, period, std::chrono::floor<std::chrono::days>(at)}];
      ++(bullish ? tally.first : tally.second);
      ++done;
    };
    on_.copy_in(
      "COPY votes (seq, cast_at, project_id, voter_id, number, period_id, bullish, reason) FROM STDIN (FORMAT binary)",
      [&](std::string& buffer) {
        while (done < count && out.size() < copy_chunk)
          one();
        const bool more = done < count;
        if (!more)
          out.end();
        buffer = out.take();
        return more;
      },
      deadline_);
  }

  void tallies() {
    binary_array project{sql_type::int4};
    binary_array period{sql_type::int4};
    binary_array day{sql_type::date};
    binary_array bullish{sql_type::int8};
    binary_array bearish{sql_type::int8};
    for (const auto& [key, tally] : days_) {
      project.int4(std::get<0>(key));
      period.int4(std::get<1>(key));
      day.day(std::get<2>(key));
      bullish.int8(tally.first);
      bearish.int8(tally.second);
    }
    parameters with;
    with.array(project).array(period).array(day).array(bullish).array(bearish);
    on_.exec_params("INSERT INTO project_tallies SELECT * FROM unnest($1::int4[], $2::int4[], $3::date[], $4::int8[], $5::int8[])",
                    with, deadline_);
    on_.exec("INSERT INTO project_rollups SELECT project_id, max(number) FROM votes GROUP BY project_id", deadline_);
  }

  connection& on_;
  demo_size size_;
  timestamp now_;
  steady_time deadline_;
  std::int64_t live_;
  std::int64_t epoch_ = 1;
  std::int64_t sequence_ = 0;
  global_seq seq_ = 0;
  std::vector<double> cumulative_;
  std::vector<entity_seq> numbers_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::chrono::sys_days>, std::pair<std::int64_t, std::int64_t>> days_;
};

} // namespace

std::int64_t demo_votes_max(const demo_size& size) {
  // The open period takes the largest share, 19 of 84; every pair votes once in it.
  return live_profiles(size.profiles) * size.projects * (period_count * (period_count + 5)) / 19;
}

std::int32_t load_demo_history(connection& on, const demo_size& size, timestamp now, steady_time deadline) {
  history{on, size, now, deadline}.load();
  return period_count;
}

} // namespace credence::persistence
