#pragma once

#include "actors/domain/hash.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"
#include "actors/market/market_lists.hpp"

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace credence::market {

/// How far what markets are found by is read.
struct names_read {
  std::string as_of;    // of all names
  std::string next;     // of those that are being read
  market_id to{};       // so far
  bool resumed = false; // they are read on after a failure
};

/// Finds markets by what their owners are called. Held in memory, as one text may be
/// shared by thousands who are to be ranked: every three bytes in a row of a text lead to
/// the markets that have them, the rarest three of what is looked for are followed, and what
/// they lead to is looked through.
class market_finder {
public:
  /// A market that is new, or whose owner is called something else now.
  void put(const named_market& market);
  /// All funds that changed hands on it, which only grow. Kept also for a market that is not known yet.
  void set_volume(market_id market, const wei& volume);

  struct found {
    std::vector<market_id> markets;
    std::int64_t total = 0;
  };
  /// Names that are the text first, then those that begin with it, then those that hold it,
  /// and then other text that does; each by volume. Text of one or two bytes: the beginnings alone. Only markets made
  /// at `since` or later. Nothing may be `put` until it is found.
  void look_for(std::string_view text, page slice, timestamp since = timestamp::min());
  /// Goes on looking through so many texts. True when it is found.
  bool work(std::size_t steps);
  found take();
  /// All that were made at `since` or later, the newest first, or the oldest.
  found newest(page slice, bool ascending = false, timestamp since = timestamp::min()) const;
  /// All of them, the greatest volume first, or the smallest.
  found busiest(page slice, bool ascending = false) const;

private:
  using place = std::uint32_t; // in `entries_`
  struct entry {
    market_id market{}; // 0: was put again, elsewhere
    timestamp created_at{};
    wei volume;
    std::string names; // folded, each between line ends
    std::string about; // folded, after a line end
  };
  /// Places in rising order, as the differences between them.
  class places {
  public:
    void add(place next);
    std::uint32_t count() const noexcept { return count_; }
    /// A position while iterating.
    struct cursor {
      std::size_t byte = 0;
      place at = 0;
    };
    /// Moves on to the next one; false when there is none.
    bool next(cursor& from) const;

  private:
    std::string steps_;
    place last_ = 0;
    std::uint32_t count_ = 0;
  };
  using grams = std::unordered_map<std::uint32_t, places, keyed_hash>;
  struct match {
    int tier = 0;
    place at = 0;
  };
  struct better {
    const market_finder* in;
    bool operator()(const match& a, const match& b) const;
  };
  struct search {
    std::string needle;    // what is held by all that is found
    std::string beginning; // of a name
    std::string whole;     // a name
    const places* names;   // that may hold it; null: none
    const places* about;
    timestamp since;
    places::cursor at{};
    sliced_order<match, better> order;
  };

  void add(entry next);
  void tidy();
  static void note(grams& into, std::string_view text, place at);
  static const places* rarest(const grams& from, std::string_view text);

  std::vector<entry> entries_;
  std::unordered_map<market_id, place> known_;
  grams by_name_;
  grams by_about_;
  std::unordered_map<market_id, wei> early_; // volumes of markets that are not known yet
  std::size_t old_ = 0;                      // entries that were put again
  std::unique_ptr<market_finder> next_;      // the same without those, as far as it has come
  place copied_ = 0;                         // into it
  using opening = std::pair<timestamp, market_id>;
  __gnu_pbds::tree<opening, __gnu_pbds::null_type, std::less<opening>, __gnu_pbds::rb_tree_tag,
                   __gnu_pbds::tree_order_statistics_node_update>
    opened_;
  using trading = std::pair<wei, std::int32_t>; // volume, then the market's id negated: the last one is the busiest
  __gnu_pbds::tree<trading, __gnu_pbds::null_type, std::less<trading>, __gnu_pbds::rb_tree_tag,
                   __gnu_pbds::tree_order_statistics_node_update>
    traded_;
  std::optional<search> search_;
};

} // namespace credence::market
