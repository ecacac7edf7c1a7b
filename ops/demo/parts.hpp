#pragma once

#include "ops/demo/demo.hpp"

#include <algorithm>
#include <concepts>
#include <optional>
#include <span>

/// What the parts of the demo data share.
namespace credence::persistence {

/// How long the parts take, beside the time of one row of people: measured with 100,000 people and a million votes.
namespace demo_weights {
inline constexpr double rows_of_person = 6.2; // in the tables of people
inline constexpr double listing = 8;
inline constexpr double vote = 0.4;
inline constexpr double vote_in_tallies = 0.02;
inline constexpr double writer = 1000; // who writes records
inline constexpr double market = 5000;
inline constexpr double row_tidied = 0.03;
} // namespace demo_weights

/// Profiles up to this one own the well-known development wallets.
inline constexpr std::int32_t demo_account_count = 10;

/// Well-mixed bits of a number (splitmix64).
constexpr std::uint64_t demo_mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

/// Random bits that are a function of what they are for, so that nothing depends on order.
constexpr std::uint64_t demo_dice(std::uint64_t number, std::int64_t which) {
  return demo_mix(number * 0x9E3779B97F4A7C15ull + static_cast<std::uint64_t>(which));
}

/// 0 to just below 1.
constexpr double demo_fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

constexpr bool demo_archived_profile(std::int32_t profile) { return profile > demo_account_count && profile % 97 == 0; }
constexpr bool demo_archived_project(std::int32_t project) { return project > 10 && project % 13 == 0; }

/// The moments at which the periods begin, the open one last: the first of this month and of the six before it.
std::vector<timestamp> demo_period_starts(timestamp now);

std::string demo_name(std::int32_t profile);
std::string demo_handle(std::int32_t profile);
std::string demo_project_name(std::int32_t project);
/// Account numbers at x.com and discord.
std::string demo_x_account(std::int32_t profile);
std::string demo_discord_account(std::int32_t profile);
std::string demo_project_account(std::int32_t project);
std::array<std::byte, 20> demo_wallet(std::int32_t profile);
std::array<std::byte, 20> demo_embedded_wallet(std::int32_t profile);
std::int64_t demo_xp(std::int32_t profile);
std::int32_t demo_score(std::int32_t profile);

/// Adds a row of these values; an optional one that is absent is null.
template <class... Values>
void demo_row(binary_rows& out, const Values&... values) {
  const auto put = [&out]<class Value>(const auto& self, const Value& value) -> void {
    if constexpr (requires { value.has_value(); })
      return value ? self(self, *value) : out.null();
    else if constexpr (std::same_as<Value, std::nullopt_t>)
      out.null();
    else if constexpr (std::same_as<Value, bool>)
      out.boolean(value);
    else if constexpr (std::same_as<Value, std::int16_t>)
      out.int2(value);
    else if constexpr (std::same_as<Value, std::int32_t>)
      out.int4(value);
    else if constexpr (std::same_as<Value, std::int64_t>)
      out.int8(value);
    else if constexpr (std::same_as<Value, timestamp>)
      out.time(value);
    else if constexpr (std::convertible_to<const Value&, std::span<const std::byte>>)
      out.bytes(value);
    else
      out.text(value);
  };
  out.row(sizeof...(Values));
  (put(put, values), ...);
}

/// Streams rows into `COPY … FROM STDIN (FORMAT binary)`: calls `fill(out)`, which adds
/// one row, `count` times. Holds a quarter of a megabyte at most.
template <class Fill>
void demo_copy(connection& on, const char* sql, std::int64_t count, steady_time deadline, Fill fill) {
  constexpr std::size_t chunk = 256 * 1024;
  std::int64_t done = 0;
  binary_rows out;
  on.copy_in(
    sql,
    [&](std::string& buffer) {
      for (; done < count && out.size() < chunk; ++done)
        fill(out);
      const bool more = done < count;
      if (!more)
        out.end();
      buffer = out.take();
      return more;
    },
    deadline);
}

/// The same for rows that are numbered from 1: calls `fill(out, number)`.
template <class Fill>
void demo_copy_each(connection& on, const char* sql, std::int32_t count, steady_time deadline, Fill fill) {
  std::int32_t number = 0;
  demo_copy(on, sql, count, deadline, [&](binary_rows& out) { fill(out, ++number); });
}

/// Whose the demo's batches are, and how far they go.
struct demo_writer {
  std::int64_t epoch = 1;
  std::string owner;
  std::int64_t sequence = 0;
  global_seq last_seq = 0;
};
demo_writer read_demo_writer(connection& on, steady_time deadline);
/// One more batch, up to the global number `last`.
void demo_fence(connection& on, demo_writer& by, global_seq last, steady_time deadline);

/// Users, profiles, addresses, attestations and XP, also of the users behind projects.
void load_demo_people(connection& on, const demo_size& size, timestamp now, const attestation_hasher& hash,
                      steady_time deadline, ops::progress& told);

/// How many votes a demo of this size can hold.
std::int64_t demo_votes_max(const demo_size& size);

struct demo_vote {
  timestamp at;
  std::int32_t project;
  std::int32_t voter;
  bool bullish;
  std::string_view reason; // empty: none
};

/// Loads periods and votes as they would have come about: a period is opened, its votes
/// are copied while it is open, it is closed. The ten accounts have not voted yet in the
/// open one, when there are others enough. Returns the number of periods.
std::int32_t load_demo_history(connection& on, const demo_size& size, timestamp now, steady_time deadline,
                               ops::progress& told);

/// Slashes of every kind and outcome, two of them open, with the votes on them; none where
/// there are too few profiles. After the history, whose numbers they go on with.
void load_demo_slashes(connection& on, const demo_size& size, timestamp now, steady_time deadline);

/// Who was invited by whom, and the reviews, vouches, replies and votes of the first profiles over half a year, decided
/// by the rules of records. After the slashes, whose numbers they go on with.
void load_demo_records(connection& on, const demo_size& size, const attestation_hasher& hash, timestamp now,
                       steady_time deadline);

/// The score of everybody whom a record is about: it is made of the records, and starts where it comes to the score
/// that the demo gives (`demo_score`). After all records.
void load_demo_scores(connection& on, timestamp now, steady_time deadline);

/// Money for the first profiles, markets of every tier and two months of trades on them, at
/// these terms; none where there are too few profiles. After whatever else is numbered.
void load_demo_markets(connection& on, const demo_size& size, const market::terms& trading, timestamp now,
                       steady_time deadline);

// A dozen profiles of the demo that act as one, for whoever looks for such.

/// What the metadata of the members' reviews are; those of all others say no more than where they come from.
inline constexpr std::string_view demo_ring_mark = R"({"source":"demo","ring":true})";

/// They joined within minutes in the period before the open one, invited by the first of them. They praise each other
/// and vouch for each other, and in both periods they vote alike on a few listings within seconds of each other; on
/// nothing else.
class demo_ring {
public:
  static constexpr std::int32_t members = 12;

  /// Empty where the demo is too small to do without a dozen voters.
  demo_ring(const demo_size& size, timestamp now);

  bool empty() const { return first_ == 0; }
  bool has(std::int32_t profile) const { return !empty() && profile >= first_ && profile < first_ + members; }
  /// The members' profiles have neighbouring ids; the places go round, so that the one before 0 is the last one.
  std::int32_t first() const { return first_; }
  std::int32_t at_place(std::int32_t place) const { return first_ + (place + members) % members; }

  timestamp joined(std::int32_t profile) const;
  /// The votes of a period, as they were cast.
  std::vector<demo_vote> votes(timestamp from, timestamp to) const;

private:
  std::int32_t first_ = 0;
  timestamp joins_;
  std::vector<std::int32_t> projects_;
};

} // namespace credence::persistence
