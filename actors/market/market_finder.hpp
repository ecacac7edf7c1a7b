#pragma once

#include "actors/domain/keyed_hash.hpp"
#include "actors/market/market_lists.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace credence::market {

/// Finds markets by what their owners are called. Held in memory, as one text may be
/// shared by thousands who are to be ranked: every three bytes in a row of a text lead to
/// the markets that have them, the rarest three of what is looked for are followed, and what
/// they lead to is looked through.
class market_finder {
public:
  /// A market that is new, or whose owner is called something else now.
  void put(const named_market& what);
  /// All funds that changed hands on it, which only grow. Kept also for a market that is not known yet.
  void set_volume(profile_id market, const wei& volume);

  struct found {
    std::vector<profile_id> markets;
    std::int64_t total = 0;
  };
  /// Names that are the text first, then those that begin with it, then those that hold it,
  /// and then other text that does; each by volume. Of other text `limits::search_candidates_max` are
  /// looked through, and only so many counted that all together are `limits::search_matches_max`.
  /// Text of one or two bytes: the beginnings alone.
  found find(std::string_view text, page slice) const;
  /// All of them, the newest first.
  found newest(page slice);

private:
  using place = std::uint32_t; // in `entries_`
  struct entry {
    profile_id market{}; // 0: was put again, elsewhere
    global_seq opened = 0;
    wei volume;
    std::string names; // folded, each between line ends
    std::string about; // folded, after a line end
  };
  /// Places in rising order, as the differences between them.
  class places {
  public:
    void add(place next);
    std::uint32_t count() const noexcept { return count_; }
    template <class Visitor>
    void each(Visitor&& visit) const;

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

  void add(entry next);
  void tidy();
  static void note(grams& into, std::string_view text, place at);
  static const places* rarest(const grams& from, std::string_view text);
  template <class Visitor>
  void candidates(const grams& from, std::string_view text, Visitor&& visit) const;

  std::vector<entry> entries_;
  std::unordered_map<profile_id, place> known_;
  grams by_name_;
  grams by_about_;
  std::unordered_map<profile_id, wei> early_; // volumes of markets that are not known yet
  std::size_t old_ = 0;                       // entries that were put again
  std::unique_ptr<market_finder> next_;       // the same without those, as far as it has come
  place copied_ = 0;                          // into it
  std::vector<std::pair<global_seq, profile_id>> opened_;
  bool in_order_ = true; // `opened_`
};

} // namespace credence::market
