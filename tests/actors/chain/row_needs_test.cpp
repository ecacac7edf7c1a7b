#include "actors/chain/row_needs.hpp"
#include "tests/actors/chain/random_events.hpp"

#include <array>

namespace credence::chain {
namespace {

/// Puts the rows of `keys` that are there from one set of rows to another, as reading them from a database does.
void read(const chain_rows& from, const row_keys& keys, chain_rows& to) {
  const auto some = [](const auto& table, const auto& of, auto& into) {
    for (const auto& each : of)
      if (const auto* row = table.find(each))
        into.put(each, *row);
  };
  some(from.users, keys.users, to.users);
  some(from.profiles, keys.profiles, to.profiles);
  some(from.placeholders, keys.placeholders, to.placeholders);
  some(from.addresses, keys.addresses, to.addresses);
  some(from.attestations, keys.attestations, to.attestations);
  some(from.subjects, keys.places, to.subjects);
  some(from.reviews, keys.reviews, to.reviews);
  some(from.votes, keys.votes, to.votes);
  some(from.replies, keys.replies, to.replies);
  some(from.vouches, keys.vouches, to.vouches);
  some(from.vouch_rewards, keys.rewarded, to.vouch_rewards);
  some(from.bonds, keys.bonds, to.bonds);
  for (const auto& [key, row] : from.vouches.all()) {
    const bool in_ether = key.contract == contract_kind::vouch;
    if (!row.archived
        && ((in_ether
             && (keys.vouchers.contains(row.author)
                 || (row.subject_profile && keys.pools.contains(*row.subject_profile))))
            || (in_ether && keys.vouched.contains(row.subject.key))
            || (!in_ether && keys.wallets.contains(*row.wallet))))
      to.vouches.put(key, row);
  }
  some(from.posts, keys.posts, to.posts);
  some(from.post_fees, keys.posts, to.post_fees);
  some(from.credits, keys.credits, to.credits);
  some(from.projects, keys.projects, to.projects);
  some(from.balances, keys.balances, to.balances);
  some(from.rewards, keys.rewards, to.rewards);
  some(from.slashes, keys.slashes, to.slashes);
  some(from.markets, keys.markets, to.markets);
  some(from.market_positions, keys.market_positions, to.market_positions);
  some(from.market_accounts, keys.market_accounts, to.market_accounts);
  for (const auto each : keys.owners)
    for (const auto which : from.projects.with(each))
      to.projects.put(which, *from.projects.find(which));
  for (const auto& each : keys.subjects)
    if (const auto place = from.newest(each))
      to.subjects.put(*place, *from.subjects.find(*place));
  for (const auto each : keys.holders)
    for (const auto& which : from.addresses.with(each))
      to.addresses.put(which, *from.addresses.find(which));
  for (const auto& each : keys.recipients)
    for (const auto which : from.invitations.with(each))
      to.invitations.put(which, *from.invitations.find(which));
}

/// Rows that hold no more than a chunk of events needs, and how many rounds it took to read them.
int read_needed(const fold_world& all, const std::vector<event>& events, chain_rows& to) {
  for (const auto& [key, row] : all.rows.parameters.all())
    to.parameters.put(key, row);
  for (const auto& [key, row] : all.rows.last_ids.all())
    to.last_ids.put(key, row);
  row_needs needs{all.how};
  for (const auto& each : events)
    needs.add(each);
  int rounds = 0;
  for (auto keys = needs.next(to); !keys.empty(); keys = needs.next(to)) {
    read(all.rows, keys, to);
    if (++rounds > 10) {
      ADD_FAILURE() << "it never ends";
      break;
    }
  }
  for (const auto& [key, row] : all.rows.slashes.all())
    if (!row.ended_by && row.ends_at().seconds < all.time + static_cast<std::int64_t>(events.size()))
      to.slashes.put(key, row);
  to.settle();
  return rounds;
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

TEST(RowNeeds, FoldingOverTheRowsThatAreNeededIsFoldingOverAll) {
  int most_rounds = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    samples::dice_type dice{seed};
    fold_world all;
    for (int chunk = 0; chunk < 60; ++chunk) {
      std::vector<event> events;
      for (auto left = 1 + samples::below(dice, 6); left > 0; --left)
        events.push_back(random_step(dice));
      fold_world few;
      few.how = all.how;
      few.time = all.time;
      few.last_event = all.last_event;
      most_rounds = std::max(most_rounds, read_needed(all, events, few.rows));
      const auto mark = all.rows.mark();
      for (const auto& each : events)
        ASSERT_EQ(all.fold(each), few.fold(each)) << name_of(each) << ", seed " << seed << ", chunk " << chunk;
      ASSERT_TRUE(same_changes(all.rows, mark, few.rows)) << "seed " << seed << ", chunk " << chunk;
    }
  }
  EXPECT_LE(most_rounds, 5);
}

TEST(RowNeeds, AreFewHoweverManyRowsThereAre) {
  fold_world all;
  for (int i = 1; i <= 200; ++i)
    all.join(i, samples::address_of(static_cast<unsigned char>(i)));
  chain_rows few;
  read_needed(all, {profile_events::profile_archived{{7}}}, few);
  EXPECT_EQ(few.profiles.all().size(), 1U);
  EXPECT_EQ(few.users.all().size(), 1U);
  EXPECT_TRUE(few.addresses.all().empty()) << "whose primary address stays";
}

TEST(RowNeeds, AnIdBeyondTheGreatestNeedsNothing) {
  fold_settings how;
  how.id_offset = 2147483647;
  row_needs needs{how};
  needs.add(profile_events::profile_archived{{1}});
  EXPECT_TRUE(needs.next({}).empty());
}

} // namespace
} // namespace credence::chain
