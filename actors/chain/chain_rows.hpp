#pragma once

#include "actors/chain/chain_records.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
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

/// Thrown where a row that must be there was not read.
struct row_not_read {};

/// What was noted as missing, which counts as read from now on.
template <class Key>
std::set<Key> take_noted(std::set<Key>& missing, std::set<Key>& read) {
  read.insert(missing.begin(), missing.end());
  return std::exchange(missing, {});
}

/// Rows of one table by their key; also by what `Index` takes out of a row. Remembers every change, so that changes can
/// be taken back. Where it holds some rows only, it notes which others are looked for. It is compiled once for each
/// table, in chain_rows.cpp.
template <class Key, class Row, class Index = no_index>
class row_table {
public:
  using image = std::pair<Key, std::optional<Row>>;
  using taken = indexing::index_key_of<decltype(Index{}(std::declval<const Row&>()))>;
  using index_key = typename taken::type;
  static constexpr bool indexed = !std::same_as<Index, no_index>;

  /// Lives until the row changes. Null also where it was not read.
  const Row* find(const Key& key) const {
    const auto at = rows_.find(key);
    if (at != rows_.end())
      return &at->second;
    if (notes_ && !notes_->read.contains(key))
      notes_->missing.insert(key);
    return nullptr;
  }
  /// A row that another one names, so that it is there. Throws `row_not_read`.
  const Row& at(const Key& key) const {
    const auto* found = find(key);
    if (!found)
      throw row_not_read{};
    return *found;
  }
  void put(const Key& key, Row row) {
    const auto* old = find(key);
    log_.emplace_back(key, old ? std::optional{*old} : std::nullopt);
    store(key, std::move(row));
  }
  /// Keys of the rows with that index, in order.
  std::vector<Key> with(const index_key& index) const requires(!std::same_as<Index, no_index>) {
    if (notes_ && notes_->of_lists && !notes_->lists_read.contains(index))
      notes_->lists_missing.insert(index);
    std::vector<Key> out;
    if constexpr (indexed) // clang 14 instantiates also what a constraint leaves out
      if (const auto at = index_.find(index); at != index_.end())
        out.assign(at->second.begin(), at->second.end());
    return out;
  }
  /// The least index that a row has; nothing where none has any.
  std::optional<index_key> least_index() const requires(!std::same_as<Index, no_index>) {
    if constexpr (indexed)
      return index_.empty() ? std::nullopt : std::optional{index_.begin()->first};
    else
      return std::nullopt;
  }
  const std::map<Key, Row>& all() const noexcept { return rows_; }

  /// From now on, rows that are looked for or changed and are not here, and `with_lists` what `with` is asked for, are
  /// noted once.
  void note_missing(bool with_lists) {
    notes_ = std::make_unique<notes>();
    notes_->of_lists = with_lists;
  }
  /// The opposite: all rows are here.
  void hold_all() { notes_.reset(); }
  /// No row is stored with that key.
  void is_new(const Key& key) {
    if (notes_)
      notes_->read.insert(key);
  }
  /// Nothing is stored with that index.
  void none_stored(const index_key& index) {
    if (notes_)
      notes_->lists_read.insert(index);
  }
  bool misses_any() const noexcept { return notes_ && !(notes_->missing.empty() && notes_->lists_missing.empty()); }
  /// What was noted since the last time; it counts as read from now on.
  std::set<Key> take_missing() { return notes_ ? take_noted(notes_->missing, notes_->read) : std::set<Key>{}; }
  std::set<index_key> take_missing_lists() {
    return notes_ ? take_noted(notes_->lists_missing, notes_->lists_read) : std::set<index_key>{};
  }

  /// The present state, for `before` and `back_to`.
  std::size_t mark() const noexcept { return log_.size(); }
  /// Each key that was changed since the mark, with its row as it was then (nothing where there was none), in the order
  /// in which they were first changed.
  std::vector<image> before(std::size_t mark) const {
    std::vector<image> out;
    std::set<Key> seen;
    for (auto i = mark; i < log_.size(); ++i)
      if (seen.insert(log_[i].first).second)
        out.push_back(log_[i]);
    return out;
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
  struct notes {
    std::set<Key> read, missing;
    std::set<index_key> lists_read, lists_missing;
    bool of_lists = false;
  };
  struct no_map {};

  void store(const Key& key, std::optional<Row> row) {
    if constexpr (indexed) {
      if (const auto old = rows_.find(key); old != rows_.end())
        for (const auto& each : taken::all(Index{}(old->second))) {
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
  std::conditional_t<indexed, std::map<index_key, std::set<Key>>, no_map> index_;
  std::unique_ptr<notes> notes_; // none: all rows are here
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

/// All tables that this fold writes, in the order in which they are written: TABLE(name, relation in the database, key,
/// row, index).
#define CREDENCE_CHAIN_TABLES(TABLE)                                                                                   \
  TABLE(users, "users", user_id, user_row, no_index)                                                                   \
  TABLE(profiles, "profiles", profile_id, profile_row, no_index)                                                       \
  TABLE(addresses, "addresses", address, address_row, by_user)                                                         \
  TABLE(attestations, "attestations", attestation_id, attestation_row, no_index)                                       \
  TABLE(subjects, "subjects", subject_place, subject_row, no_index)                                                    \
  TABLE(placeholders, "placeholders", profile_id, placeholder_row, no_index)                                           \
  TABLE(invitations, "invitations", invitation_id, invitation_row, by_recipient)                                       \
  TABLE(reviews, "reviews", review_id, review_row, no_index)                                                           \
  TABLE(votes, "activity_votes", activity_vote_key, activity_vote_row, no_index)                                       \
  TABLE(replies, "replies", reply_id, reply_row, no_index)                                                             \
  TABLE(parameters, "chain_params", parameter_key, std::string, no_index)                                              \
  /* The last id given out: of users and invitations by us, of everything else by its contract (before `id_offset`).   \
   */                                                                                                                  \
  TABLE(last_ids, "chain_last_ids", std::string, std::int64_t, no_index)                                               \
  TABLE(vouches, "vouches", vouch_key, vouch_row, by_party)                                                            \
  TABLE(vouch_rewards, "vouch_rewards", profile_id, vouch_rewards_row, no_index)                                       \
  TABLE(bonds, "bonds", bond_id, bond_row, no_index)                                                                   \
  TABLE(posts, "broker_posts", broker_post_id, post_row, no_index)                                                     \
  TABLE(post_fees, "broker_fees", broker_post_id, post_fee_row, no_index)                                              \
  TABLE(credits, "broker_credits", credit_key, credit_row, no_index)                                                   \
  TABLE(projects, "chain_projects", project_id, project_row, by_project_user)                                          \
  TABLE(balances, "token_balances", token_key, token_row, no_index)                                                    \
  TABLE(rewards, "reward_balances", reward_key, reward_row, no_index)                                                  \
  TABLE(slashes, "slashes", slash_id, slash_row, by_slash_end)                                                         \
  TABLE(markets, "chain_markets", market_key, market_row, no_index)                                                    \
  /* By the ids of their events, as prices. */                                                                         \
  TABLE(market_trades, "chain_trades", std::int64_t, market_trade_row, no_index)                                       \
  TABLE(market_prices, "chain_prices", std::int64_t, market_price_row, no_index)                                       \
  TABLE(market_positions, "chain_positions", market_position_key, market_position_row, no_index)                       \
  TABLE(market_accounts, "chain_market_accounts", market_account_key, market_account_row, no_index)

#define CREDENCE_TABLE(name, relation, key, row, index) extern template class row_table<key, row, index>;
CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE

/// Keys of rows to be read. Parameters and the last ids that were given out are few and always read, all of them.
struct row_keys {
#define CREDENCE_TABLE(name, relation, key, row, index) std::set<key> name;
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  std::set<user_id> holders;     // all addresses of these users
  std::set<address> recipients;  // all invitations of these addresses
  std::set<vouch_index> parties; // active vouches of each: those in WHUF by an address, those in ether by the others
  std::set<user_id> owners;      // the project of each of these users
  std::set<subject_key> newest;  // the newest generation of each

  bool empty() const;
};

struct chain_rows {
#define CREDENCE_TABLE(name, relation, key, row, index) row_table<key, row, index> name;
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE

  using marks = std::vector<std::size_t>; // one a table
  marks mark();
  /// Takes back every change since the mark.
  void back_to(const marks& mark);
  /// What has changed so far stays.
  void settle();

  /// From now on, what is looked for and was not read is noted, and counts as not there. `slashes` that are due have
  /// been read.
  void note_missing();
  bool misses_any() const noexcept;
  /// What was noted since the last time; it counts as read from now on.
  row_keys take_missing();
  /// A user who is new: nothing else is stored of them.
  void made(user_id fresh);

  /// The newest generation of a subject; nothing where there is none.
  std::optional<subject_place> newest(const subject_key& key) const;

private:
  struct noted_subjects {
    std::set<subject_key> read, missing; // of which the newest generation is looked for
  };
  std::unique_ptr<noted_subjects> subjects_; // none: all rows are here
};

} // namespace credence::chain
