#include "actors/chain/chain_rows.hpp"
#include "tests/actors/chain/random_events.hpp"

#include <array>

namespace credence::chain {
namespace {

bool is_of(const row_keys& keys, const vouch_key& key, const vouch_row& row) {
  const auto any = [&](const std::optional<vouch_index>& party) { return party && keys.parties.contains(*party); };
  if (key.contract == contract_kind::vouch_v2)
    return any(row.wallet ? std::optional<vouch_index>{*row.wallet} : std::nullopt);
  return any(voucher{row.author}) || any(row.subject)
         || any(row.subject_profile ? std::optional<vouch_index>{pool_of{*row.subject_profile}} : std::nullopt);
}

/// Puts the rows of `keys` that are there from one set of rows to another, as reading them from a database does.
void read(const chain_rows& from, const row_keys& keys, chain_rows& to) {
  const auto some = [](const auto& table, const auto& of, auto& into) {
    for (const auto& each : of)
      if (const auto* row = table.find(each))
        into.put(each, *row);
  };
#define CREDENCE_TABLE(name, ...) some(from.name, keys.name, to.name);
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  for (const auto& [key, row] : from.vouches.all())
    if (!row.archived && is_of(keys, key, row))
      to.vouches.put(key, row);
  for (const auto each : keys.owners)
    for (const auto which : from.projects.with(each))
      to.projects.put(which, *from.projects.find(which));
  for (const auto& each : keys.newest)
    if (const auto place = from.newest(each))
      to.subjects.put(*place, *from.subjects.find(*place));
  for (const auto each : keys.holders)
    for (const auto& which : from.addresses.with(each))
      to.addresses.put(which, *from.addresses.find(which));
  for (const auto& each : keys.recipients)
    for (const auto which : from.invitations.with(each))
      to.invitations.put(which, *from.invitations.find(which));
}

struct folded_few {
  fold_world world;
  std::vector<std::string> fates;
  int rounds = 0; // in which rows were read
};
/// Folds the events over rows that are read as they turn out to be missing.
void fold_few(const fold_world& all, const std::vector<event>& events, folded_few& out) {
  auto& few = out.world;
  few.how = all.how;
  for (const auto& [key, row] : all.rows.parameters.all())
    few.rows.parameters.put(key, row);
  for (const auto& [key, row] : all.rows.last_ids.all())
    few.rows.last_ids.put(key, row);
  for (const auto& [key, row] : all.rows.slashes.all())
    if (!row.ended_by && row.ends_at().seconds < all.time + static_cast<std::int64_t>(events.size()))
      few.rows.slashes.put(key, row);
  few.rows.settle();
  few.rows.note_missing();
  for (; out.rounds < 10; ++out.rounds) {
    few.time = all.time;
    few.last_event = all.last_event;
    out.fates.clear();
    const auto begun = few.rows.mark();
    for (const auto& each : events)
      out.fates.push_back(few.fold(each));
    const auto missing = few.rows.take_missing();
    if (missing.empty())
      return;
    few.rows.back_to(begun);
    read(all.rows, missing, few.rows);
    few.rows.settle();
  }
  ADD_FAILURE() << "it never ends";
}

/// Whether both folds changed the same rows to the same.
bool same_changes(const chain_rows& all, const chain_rows::marks& mark, const chain_rows& few) {
  auto next = mark.begin();
  const auto same = [&](const auto& a, const auto& b) {
    const auto before = a.before(*next++);
    if (before != b.before(0))
      return false;
    return std::all_of(before.begin(), before.end(), [&](const auto& each) {
      const auto *x = a.find(each.first), *y = b.find(each.first);
      return (!x && !y) || (x && y && *x == *y);
    });
  };
  bool all_same = true;
#define CREDENCE_TABLE(name, ...) all_same = same(all.name, few.name) && all_same;
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  return all_same;
}

TEST(MissingRows, FoldingOverTheRowsThatAreReadIsFoldingOverAll) {
  int most_rounds = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    samples::dice_type dice{seed};
    fold_world all;
    for (int chunk = 0; chunk < 60; ++chunk) {
      std::vector<event> events;
      for (auto left = 1 + samples::below(dice, 6); left > 0; --left)
        events.push_back(random_step(dice));
      folded_few few;
      fold_few(all, events, few);
      most_rounds = std::max(most_rounds, few.rounds);
      const auto mark = all.rows.mark();
      for (std::size_t i = 0; i < events.size(); ++i)
        ASSERT_EQ(all.fold(events[i]), few.fates[i]) << name_of(events[i]) << ", seed " << seed << ", chunk " << chunk;
      ASSERT_TRUE(same_changes(all.rows, mark, few.world.rows)) << "seed " << seed << ", chunk " << chunk;
    }
  }
  EXPECT_LE(most_rounds, 6);
}

TEST(MissingRows, AreFewHoweverManyRowsThereAre) {
  fold_world all;
  for (int i = 1; i <= 200; ++i)
    all.join(i, samples::address_of(static_cast<unsigned char>(i)));
  folded_few few;
  fold_few(all, {profile_events::profile_archived{{7}}}, few);
  EXPECT_EQ(few.world.rows.profiles.all().size(), 1U);
  EXPECT_EQ(few.world.rows.users.all().size(), 1U);
  EXPECT_TRUE(few.world.rows.addresses.all().empty()) << "whose primary address stays";
  EXPECT_EQ(few.rounds, 2) << "the profile, then its user";
}

TEST(MissingRows, AnIdBeyondTheGreatestNeedsNone) {
  fold_world all;
  all.how.id_offset = 2147483647;
  folded_few few;
  fold_few(all, {profile_events::profile_archived{{1}}}, few);
  EXPECT_EQ(few.rounds, 0);
}

} // namespace
} // namespace credence::chain
