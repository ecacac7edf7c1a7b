#include "actors/people/people_index.hpp"
#include "actors/project/project_types.hpp"
#include "ops/demo/parts.hpp"
#include "ops/demo/words.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace credence::persistence {

namespace {

namespace words = demo_words;

constexpr std::int32_t period_count = 7;
/// With fewer profiles than this the ten accounts vote like everybody else.
constexpr std::int32_t crowd = 50;
constexpr int slices_max = 60; // of a period, each with its own popularity
constexpr double tau = 6.283185307179586;

std::int64_t live_profiles(std::int32_t profiles) {
  std::int64_t live = 0;
  for (std::int32_t i = 1; i <= profiles; ++i)
    live += !demo_archived_profile(i);
  return live;
}

/// The accounts keep their votes of the open period for who acts through them.
bool keeps_vote(const demo_size& size, std::int32_t profile, std::int32_t period) {
  return period == period_count && size.profiles >= crowd && profile <= demo_account_count;
}

std::int64_t voters_in(const demo_size& size, std::int32_t period) {
  return live_profiles(size.profiles) - (keeps_vote(size, 1, period) ? demo_account_count : 0);
}

/// Votes of the periods up to `until`; interest grows from period to period.
std::int64_t votes_through(std::int64_t votes, std::int32_t until) {
  return votes * until * (until + 5) / (period_count * (period_count + 5));
}

/// Periods are months here, so the first one of the history has the number of its month.
int first_number(timestamp from) {
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(from)};
  return static_cast<int>(static_cast<unsigned>(day.month()));
}

/// How listings are talked about: each has its following, its slow waves, and once a
/// period a few days of news, good or bad.
struct climate {
  static double following(std::int32_t project) {
    return (0.5 + demo_fraction(demo_dice(10, project))) / (project + 9.0);
  }
  static double news(std::int32_t project, std::int32_t period, double into) {
    const auto away = (into - demo_fraction(demo_dice(11, std::int64_t{project} * 16 + period))) / 0.05;
    return std::exp(-away * away);
  }
  /// The chance that a vote is bullish.
  static double mood(std::int32_t project, std::int32_t period, double into) {
    const auto r = demo_dice(12, project);
    const auto wave = std::sin(tau * (demo_fraction(r) + (period + into) * (0.15 + 0.2 * demo_fraction(demo_mix(r)))));
    const auto good = demo_dice(13, std::int64_t{project} * 16 + period) % 5 < 3 ? 0.25 : -0.4;
    return std::clamp(0.3 + 0.45 * demo_fraction(demo_dice(14, project)) + 0.18 * wave
                        + good * news(project, period, into),
                      0.03, 0.97);
  }
  /// When the fraction `done` of the votes has been cast, as a fraction of the period:
  /// most come at noon.
  static double hour(double done, double days) {
    return std::clamp(done + 0.8 / (tau * days) * std::sin(tau * days * done), 0.0, 1.0);
  }
};

class history {
public:
  history(connection& on, const demo_size& size, timestamp now, steady_time deadline, ops::progress& told)
    : on_(on), size_(size), now_(now), deadline_(deadline), told_(told), ring_(size, now),
      live_(live_profiles(size.profiles)), numbers_(static_cast<std::size_t>(size.projects) + 1),
      steps_(numbers_.size()), walked_(numbers_.size()), cast_(numbers_.size()) {
    cumulative_.resize(static_cast<std::size_t>(size.projects));
    for (std::int32_t project = 1; project <= size.projects; ++project) {
      auto step = static_cast<std::int64_t>(demo_mix(static_cast<std::uint64_t>(project))
                                            % static_cast<std::uint64_t>(size.profiles))
                  | 1;
      while (std::gcd(step, std::int64_t{size.profiles}) != 1)
        step += 2;
      steps_[static_cast<std::size_t>(project)] = step;
    }
  }

  void load() {
    told_.begin("votes", demo_weights::vote * static_cast<double>(size_.votes), size_.votes);
    const auto starts = demo_period_starts(now_);
    writer_ = read_demo_writer(on_, deadline_);
    int number = 0;
    int year = 0;
    for (std::int32_t p = 1; p <= period_count; ++p) {
      const auto from = starts[static_cast<std::size_t>(p) - 1];
      const auto to = p == period_count ? now_ : starts[static_cast<std::size_t>(p)];
      number = year_of(from) == year ? number + 1 : first_number(from);
      year = year_of(from);
      open(p, year, number, from, next_month(from));
      votes(p, from, to, votes_through(size_.votes, p) - votes_through(size_.votes, p - 1));
    }
    told_.begin("tallies", demo_weights::vote_in_tallies * static_cast<double>(size_.votes));
    tallies();
    on_.exec("UPDATE projects SET status = 'ARCHIVED' WHERE show_archived", deadline_);
  }

private:
  void open(std::int32_t id, int year, int number, timestamp from, timestamp until) {
    if (id > 1) {
      parameters with;
      with.int4(id - 1).time(from);
      on_.exec_params("UPDATE voting_periods SET closed_at = $2::timestamptz WHERE id = $1::int4", with, deadline_);
    }
    ++seq_;
    demo_fence(on_, writer_, seq_, deadline_);
    parameters with;
    const auto later = ring_.empty() || ring_.joined(ring_.first()) <= from ? 0 : demo_ring::members;
    with.int4(id).int4(year).int4(number).time(from).time(until).int8(live_ - later).int8(size_.projects).int8(seq_);
    on_.exec_params(
      "INSERT INTO voting_periods (id, year, number, starts_at, ends_at, live_profiles, active_projects, seq)"
      " VALUES ($1::int4, $2::int4, $3::int4, $4::timestamptz, $5::timestamptz, $6::int8, $7::int8, $8::int8)",
      with, deadline_);
  }

  /// How the attention lies `into` the period.
  void look_around(std::int32_t period, double into) {
    double sum = 0;
    for (std::int32_t project = 1; project <= size_.projects; ++project)
      cumulative_[static_cast<std::size_t>(project) - 1] = sum +=
        climate::following(project) * (1 + 3 * climate::news(project, period, into));
  }

  /// A project that somebody can still vote on.
  std::int32_t pick_project(std::uint64_t r, std::int64_t voters) const {
    const auto at = demo_fraction(r) * cumulative_.back();
    const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end(), at);
    auto project =
      1 + static_cast<std::int32_t>(std::min<std::ptrdiff_t>(found - cumulative_.begin(), size_.projects - 1));
    while (cast_[static_cast<std::size_t>(project)] == voters)
      project = project % size_.projects + 1;
    return project;
  }

  /// The next voter of a project in a period: all profiles in an order that differs from
  /// project to project, without those that are archived, keep their vote or vote together.
  std::int32_t pick_voter(std::int32_t project, std::int32_t period) {
    const auto j = static_cast<std::size_t>(project);
    for (;;) {
      const auto place = walked_[j]++ * steps_[j] + std::int64_t{project} * 31 + period * 17;
      const auto voter = static_cast<std::int32_t>(place % size_.profiles) + 1;
      if (!demo_archived_profile(voter) && !keeps_vote(size_, voter, period) && !ring_.has(voter))
        return voter;
    }
  }

  void votes(std::int32_t period, timestamp from, timestamp to, std::int64_t count) {
    if (count == 0)
      return;
    demo_fence(on_, writer_, seq_ + count, deadline_);
    std::fill(walked_.begin(), walked_.end(), 0);
    std::fill(cast_.begin(), cast_.end(), 0);
    const auto voters = voters_in(size_, period) - (ring_.empty() ? 0 : demo_ring::members);
    const auto together = ring_.votes(from, to);
    auto next = together.begin();
    const auto alone = count - static_cast<std::int64_t>(together.size());
    const auto span = static_cast<double>((to - from).count());
    const auto days = std::max(1.0, std::round(span / std::chrono::microseconds{std::chrono::days{1}}.count()));
    // Looking around costs as much as the listings are many, so not more often than votes come.
    const auto slices = std::clamp<std::int64_t>(alone / size_.projects, 1, slices_max);
    std::int64_t slice = -1;
    std::int64_t done = 0;
    demo_copy(on_,
              "COPY votes (seq, cast_at, project_id, voter_id, number, period_id, bullish, reason, weight)"
              " FROM STDIN (FORMAT binary)",
              count, deadline_, [&](binary_rows& out) {
                const auto into = static_cast<double>(done) / static_cast<double>(alone);
                if (const auto now = done * slices / alone; now != slice) {
                  slice = now;
                  look_around(period, into);
                }
                ++seq_;
                told_.at(++copied_);
                const auto at = from + std::chrono::microseconds{std::llround(climate::hour(into, days) * span)};
                if (next != together.end() && (next->at <= at || done == alone)) {
                  store(out, period, *next);
                  ++next;
                  return;
                }
                ++done;
                vote(out, period, into, at, voters);
              });
  }

  void vote(binary_rows& out, std::int32_t period, double into, timestamp at, std::int64_t voters) {
    const auto r = demo_dice(15, seq_);
    const auto opinion = demo_mix(r);
    const auto project = pick_project(r, voters);
    const auto j = static_cast<std::size_t>(project);
    const bool bullish = demo_fraction(opinion) < climate::mood(project, period, into);
    ++cast_[j];
    const auto voter = pick_voter(project, period);
    const auto& reasons = bullish ? words::bullish : words::bearish;
    // A listing is praised and blamed for a few things of its own.
    const auto which = demo_mix(opinion);
    const auto reason = which % 5 < 3 ? reasons[(static_cast<std::uint64_t>(project) + which / 8 % 6) % reasons.size()]
                                      : std::string_view{};
    store(out, period, {at, project, voter, bullish, reason});
  }

  /// The vote with the number `seq_`.
  void store(binary_rows& out, std::int32_t period, const demo_vote& vote) {
    const auto weight = people::vote_weight_of(demo_score(vote.voter));
    demo_row(out, seq_, vote.at, vote.project, vote.voter, ++numbers_[static_cast<std::size_t>(vote.project)], period,
             vote.bullish, vote.reason.empty() ? std::nullopt : std::optional{vote.reason},
             static_cast<std::int16_t>(weight));
    auto& tally = days_[{vote.project, period, std::chrono::floor<std::chrono::days>(vote.at)}];
    ++(vote.bullish ? tally.bullish : tally.bearish);
    (vote.bullish ? tally.weight.bullish : tally.weight.bearish) += weight;
  }

  void tallies() {
    binary_array project{sql_type::int4};
    binary_array period{sql_type::int4};
    binary_array day{sql_type::date};
    binary_array bullish{sql_type::int8};
    binary_array bearish{sql_type::int8};
    binary_array bullish_weight{sql_type::int8};
    binary_array bearish_weight{sql_type::int8};
    for (const auto& [key, tally] : days_) {
      project.int4(std::get<0>(key));
      period.int4(std::get<1>(key));
      day.day(std::get<2>(key));
      bullish.int8(tally.bullish);
      bearish.int8(tally.bearish);
      bullish_weight.int8(tally.weight.bullish);
      bearish_weight.int8(tally.weight.bearish);
    }
    parameters with;
    with.array(project)
      .array(period)
      .array(day)
      .array(bullish)
      .array(bearish)
      .array(bullish_weight)
      .array(bearish_weight);
    on_.exec_params(
      "INSERT INTO project_tallies (project_id, period_id, day, bullish, bearish, bullish_weight, bearish_weight)"
      " SELECT * FROM unnest($1::int4[], $2::int4[], $3::date[], $4::int8[], $5::int8[], $6::int8[], $7::int8[])",
      with, deadline_);
    on_.exec("INSERT INTO project_period_tallies SELECT project_id, period_id, sum(bullish_weight), sum(bearish_weight)"
             " FROM project_tallies GROUP BY 1, 2",
             deadline_);
    on_.exec("INSERT INTO project_rollups SELECT project_id, max(number), max(number) FROM votes GROUP BY project_id",
             deadline_);
  }

  connection& on_;
  demo_size size_;
  timestamp now_;
  steady_time deadline_;
  ops::progress& told_;
  demo_ring ring_;
  std::int64_t live_;
  demo_writer writer_;
  global_seq seq_ = 0;
  std::int64_t copied_ = 0; // votes
  // By project; each has its slot 0 unused but for the first.
  std::vector<double> cumulative_;
  std::vector<entity_seq> numbers_;
  std::vector<std::int64_t> steps_;  // through the profiles, to find voters
  std::vector<std::int64_t> walked_; // of these, in this period
  std::vector<std::int64_t> cast_;   // votes, in this period
  std::map<std::tuple<std::int32_t, std::int32_t, std::chrono::sys_days>, project::day_tally> days_;
};

} // namespace

std::vector<timestamp> demo_period_starts(timestamp now) {
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  std::vector<timestamp> out;
  for (int back = period_count - 1; back >= 0; --back)
    out.push_back(
      std::chrono::sys_days{(std::chrono::year_month{today.year(), today.month()} - std::chrono::months{back}) / 1});
  return out;
}

demo_writer read_demo_writer(connection& on, steady_time deadline) {
  const auto found =
    on.exec_params("SELECT o.epoch, o.owner, coalesce(b.sequence, 0) AS sequence, coalesce(b.last_seq, 0) AS last_seq "
                   "FROM shard_owners o"
                   " LEFT JOIN batches b USING (shard) WHERE o.shard = 1 ORDER BY b.sequence DESC LIMIT 1",
                   deadline);
  return {found.first<std::int64_t>("epoch"), found.first<std::string>("owner"), found.first<std::int64_t>("sequence"),
          found.first<global_seq>("last_seq")};
}

void demo_fence(connection& on, demo_writer& by, global_seq last, steady_time deadline) {
  on.exec_params("SELECT fence_batch(1, $5::text, $1::int8, $2::int8, md5('demo ' || $2::int8)::uuid,"
                 " $3::int8, $4::int8)",
                 parameters{}.int8(by.epoch).int8(++by.sequence).int8(by.last_seq + 1).int8(last).text(by.owner),
                 deadline);
  by.last_seq = last;
}

std::int64_t demo_votes_max(const demo_size& size) {
  // The open period takes the largest share, 18 of 84 rounded up, and has the fewest
  // voters; each votes once on each project in it.
  return voters_in(size, period_count) * size.projects * (period_count * (period_count + 5)) / 19;
}

std::int32_t load_demo_history(connection& on, const demo_size& size, timestamp now, steady_time deadline,
                               ops::progress& told) {
  history{on, size, now, deadline, told}.load();
  return period_count;
}

} // namespace credence::persistence
