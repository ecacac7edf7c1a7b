#pragma once

#include "actors/market/market_types.hpp"
#include "actors/market/read_parts.hpp"

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>

#include <array>
#include <compare>
#include <optional>
#include <unordered_map>
#include <vector>

namespace credence::market {

/// Who holds votes of a market, kept in order: a trade costs what it takes to move one holder,
/// a page what it carries. Positions come in parts; trades are counted meanwhile.
class holder_list {
public:
  /// The positions after those before; `last` when there are no more.
  void add(const stored_positions& part, bool last);
  /// A committed trade.
  void take(const traded& trade);

  /// Whether all positions have come.
  bool complete() const noexcept { return parts_.complete(); }
  /// Positions that are here: of those who hold votes of both sides, two.
  std::size_t size() const noexcept { return order_.size(); }
  /// Where the next part begins.
  profile_id after() const { return parts_.after(); }
  /// Most votes first, of one side or both; accounts are left out.
  holder_page page_of(const page& slice, std::optional<vote_side> side = {}) const;

private:
  struct rank {
    std::int64_t votes_negated = 0;
    std::int32_t who = 0;
    vote_side side{};
    auto operator<=>(const rank&) const = default;
  };
  using order = __gnu_pbds::tree<rank, __gnu_pbds::null_type, std::less<rank>, __gnu_pbds::rb_tree_tag,
                                 __gnu_pbds::tree_order_statistics_node_update>;

  void count(const traded& trade);
  void set(profile_id who, vote_side side, std::int64_t& held, std::int64_t votes);

  read_parts<profile_id> parts_;
  std::unordered_map<profile_id, vote_counts> votes_;
  order order_;
  std::array<order, 2> of_side_;  // the same of one side, by its place among the sides
  std::vector<traded> meanwhile_; // of holders who are still to come; the next part that is asked for has them
};

} // namespace credence::market
