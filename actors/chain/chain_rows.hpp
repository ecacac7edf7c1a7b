#pragma once

#include "actors/chain/bond_records.hpp"
#include "actors/chain/broker_records.hpp"
#include "actors/chain/chain_records.hpp"
#include "actors/chain/market_records.hpp"
#include "actors/chain/project_records.hpp"
#include "actors/chain/slash_records.hpp"
#include "actors/chain/token_records.hpp"
#include "actors/chain/vouch_records.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// The rows that events are folded into, in memory, with what they were before.
namespace credence::chain {

struct no_index {
  std::tuple<> operator()(const auto&) const { return {}; }
};

namespace indexing {
/// An index that takes several keys out of a row gives a vector of them.
template <class Taken>
struct index_key_of {
  using type = Taken;
  static std::array<Taken, 1> all(Taken key) { return {std::move(key)}; }
};
template <class Key>
struct index_key_of<std::vector<Key>> {
  using type = Key;
  static std::vector<Key> all(std::vector<Key> keys) { return keys; }
};
} // namespace indexing

/// Rows of one table by their key; also by what `Index` takes out of a row. Remembers every change, so that changes can be
/// taken back.
template <class Key, class Row, class Index = no_index>
class row_table {
public:
  using image = std::pair<Key, std::optional<Row>>;
  using taken = indexing::index_key_of<decltype(Index{}(std::declval<const Row&>()))>;
  using index_key = typename taken::type;

  /// Lives until the row changes.
  const Row* find(const Key& key) const {
    const auto at = rows_.find(key);
    return at == rows_.end() ? nullptr : &at->second;
  }
  void put(const Key& key, Row row) { change(key, std::move(row)); }
  void erase(const Key& key) { change(key, std::nullopt); }
  /// Keys of the rows with that index, in order.
  std::vector<Key> with(const index_key& index) const requires(!std::same_as<Index, no_index>) {
    std::vector<Key> out;
    const auto at = index_.find(index);
    if (at != index_.end())
      out.assign(at->second.begin(), at->second.end());
    return out;
  }
  /// The least index that a row has; nothing where none has any.
  std::optional<index_key> least_index() const requires(!std::same_as<Index, no_index>) {
    return index_.empty() ? std::nullopt : std::optional{index_.begin()->first};
  }
  const std::map<Key, Row>& all() const noexcept { return rows_; }

  /// Now, for `before` and `back_to`.
  std::size_t mark() const noexcept { return log_.size(); }
  /// Each key changed since the mark, and its row as it was then (nothing: there was none).
  std::vector<image> before(std::size_t mark) const {
    std::map<Key, std::optional<Row>> first;
    for (auto i = mark; i < log_.size(); ++i)
      first.insert(log_[i]);
    return {first.begin(), first.end()};
  }
  /// Takes back every change since the mark, the newest first.
  void back_to(std::size_t mark) {
    while (log_.size() > mark) {
      auto [key, row] = std::move(log_.back());
      log_.pop_back();
      store(key, std::move(row));
    }
  }
  /// What has changed so far is not taken back any more; marks taken before are void.
  void settle() { log_.clear(); }

private:
  void change(const Key& key, std::optional<Row> row) {
    const auto* old = find(key);
    log_.emplace_back(key, old ? std::optional{*old} : std::nullopt);
    store(key, std::move(row));
  }
  void store(const Key& key, std::optional<Row> row) {
    if constexpr (!std::same_as<Index, no_index>) {
      if (const auto* old = find(key))
        for (const auto& each : taken::all(Index{}(*old))) {
          const auto at = index_.find(each);
          at->second.erase(key);
          if (at->second.empty())
            index_.erase(at);
        }
      if (row)
        for (const auto& each : taken::all(Index{}(*row)))
          index_[each].insert(key);
    }
    if (row)
      rows_.insert_or_assign(key, *std::move(row));
    else
      rows_.erase(key);
  }

  std::map<Key, Row> rows_;
  std::map<index_key, std::set<Key>> index_;
  std::vector<image> log_;
};

struct by_user {
  user_id operator()(const address_row& row) const { return row.user; }
};
struct by_recipient {
  address operator()(const invitation_row& row) const { return row.recipient; }
};

struct by_project_user {
  user_id operator()(const project_row& row) const { return row.user; }
};

/// All tables that this fold writes.
struct chain_rows {
  row_table<user_id, user_row> users;
  row_table<profile_id, profile_row> profiles;
  row_table<address, address_row, by_user> addresses;
  row_table<attestation_id, attestation_row> attestations;
  row_table<subject_place, subject_row> subjects;
  row_table<profile_id, placeholder_row> placeholders;
  row_table<invitation_id, invitation_row, by_recipient> invitations;
  row_table<review_id, review_row> reviews;
  row_table<activity_vote_key, activity_vote_row> votes;
  row_table<reply_id, reply_row> replies;
  row_table<parameter_key, std::string> parameters;
  /// The last id given out: of users and invitations by us, of everything else by its contract (before `id_offset`).
  row_table<std::string, std::int64_t> last_ids;
  row_table<vouch_key, vouch_row, by_party> vouches;
  row_table<profile_id, vouch_rewards_row> vouch_rewards;
  row_table<bond_id, bond_row> bonds;
  row_table<broker_post_id, post_row> posts;
  row_table<broker_post_id, post_fee_row> post_fees;
  row_table<credit_key, credit_row> credits;
  row_table<project_id, project_row, by_project_user> projects;
  row_table<token_key, token_row> balances;
  row_table<reward_key, reward_row> rewards;
  row_table<slash_id, slash_row, by_slash_end> slashes;
  row_table<market_key, market_row> markets;
  row_table<std::int64_t, market_trade_row> market_trades; // by the ids of their events
  row_table<std::int64_t, market_price_row> market_prices; // the same
  row_table<market_position_key, market_position_row> market_positions;
  row_table<market_account_key, market_account_row> market_accounts;

  auto tables() {
    return std::tie(users, profiles, addresses, attestations, subjects, placeholders, invitations, reviews, votes, replies, parameters, last_ids,
                    vouches, vouch_rewards, bonds, posts, post_fees, credits, projects, balances, rewards, slashes, markets, market_trades,
                    market_prices, market_positions, market_accounts);
  }
  /// Calls `visit` with each table.
  template <class Visit>
  void for_each_table(Visit visit) {
    std::apply([&](auto&... table) { (visit(table), ...); }, tables());
  }

  using marks = std::vector<std::size_t>; // one a table
  marks mark();
  /// Takes back every change since the mark.
  void back_to(const marks& mark);
  /// What has changed so far stays.
  void settle();

  /// The newest generation of a subject; nothing where there is none.
  std::optional<subject_place> newest(const subject_key& key) const {
    auto at = subjects.all().upper_bound({key, generation_max});
    if (at == subjects.all().begin() || (--at)->first.key != key)
      return std::nullopt;
    return at->first;
  }
  static constexpr std::int32_t generation_max = 2147483647;
};

} // namespace credence::chain
