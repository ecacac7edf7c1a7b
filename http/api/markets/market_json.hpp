#pragma once

#include "actors/domain/wei.hpp"
#include "actors/funds/funds_types.hpp"
#include "actors/market/market_lists.hpp"
#include "actors/news/news_types.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/json_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http {

/// What wei are worth in US dollars, by `http.eth_price_usd`.
class dollars {
public:
  /// `price`: of an ether, as the setting has it; empty: nothing is worth anything.
  explicit dollars(const std::string& price);

  /// Of an ether, as JSON tells it; nothing where the setting is empty.
  std::optional<std::string> price() const;
  /// Writes the member: a JSON number with at most six digits behind the point, the rest cut off; null where there is
  /// no amount or no price.
  void field(json_writer& to, json_name name, const std::optional<wei_change>& amount) const;

private:
  std::optional<std::int64_t> millionths_; // of a dollar, for an ether
};

// Markets and money as JSON. Amounts are decimal strings of wei.

/// A market as v1 shows it (spec: "Market (v1)").
void encode_v1(json_writer& to, const market::market_view& view);

/// A market as v2 shows it: with `id`, `sequence`, its owner as `user`, and how its capitalisation
/// has changed.
struct market_answer {
  market::market_view market;
  std::size_t size_hint() const noexcept { return 3072; }
};
void encode(json_writer& to, const market_answer& answer, user_cards& users);
/// How prices and the capitalisation have changed in some days: `{profileId, change: {trust, distrust, total}, days}`.
struct market_change {
  market_id market;
  std::int64_t days = 1;
  dollars worth;
  market::market_moment now;
  std::optional<market::market_moment> then; // null: the market was not there
};
void encode_members(json_writer& to, const market_change& change);
/// A market with what was asked for besides: `marketTopHolders: {trust, distrust}`, `marketChange`.
struct market_info_answer {
  market::market_view market;
  std::optional<market::holder_page> trust;
  std::optional<market::holder_page> distrust;
  std::optional<market_change> change;
  std::size_t size_hint() const noexcept { return 16 * 1024; }
};
void encode_members(json_writer& to, const market_info_answer& answer, user_cards& users);
/// `{values, total, limit, offset}`.
struct market_page_answer {
  market::market_page markets;
  std::size_t size_hint() const noexcept { return 128 + markets.values.size() * 3072; }
};
void encode(json_writer& to, const market_page_answer& answer, user_cards& users);
/// `[market]`.
struct markets_answer {
  std::vector<market::market_view> markets;
  std::size_t size_hint() const noexcept { return 128 + markets.size() * 3072; }
};
void encode(json_writer& to, const markets_answer& answer, user_cards& users);
/// `[{type, market}]`.
struct featured_market {
  std::string_view type;
  market::market_view market;
};
struct featured_answer {
  std::vector<featured_market> markets;
  std::size_t size_hint() const noexcept { return 128 + markets.size() * 3072; }
};
void encode(json_writer& to, const featured_answer& answer, user_cards& users);
/// A page of `{user, actorAddress, marketId, voteType, votes, total}`; `total` are the votes, too.
struct holders_answer {
  market_id market;
  market::holder_page holders;
  std::size_t size_hint() const noexcept { return 128 + holders.values.size() * 1536; }
};
void encode(json_writer& to, const holders_answer& answer, user_cards& users);

void encode_members(json_writer& to, const market::quote& quote);
void encode_members(json_writer& to, const market::trade_receipt& receipt);
/// `[{configIndex, configType, liquidity, basePrice, creationCost}]`.
void encode(json_writer& to, const market::offered_configs& configs);
void encode_members(json_writer& to, const funds::transfer_receipt& receipt);
void encode_members(json_writer& to, const funds::funds_view& view);

// Lists over markets as v1 shows them (spec: "Market records (v1)").

/// Names a trade of the API where clients expect a transaction: Keccak-256 of its number.
std::string trade_hash(std::int64_t trade);

void encode(json_writer& to, const std::vector<market::market_view>& views);
/// `[…]`, oldest first.
void encode(json_writer& to, const market::price_list& list);
/// `{values, total, limit, offset}`.
void encode(json_writer& to, const market::trade_list& list);
/// `{all: [...], total, limit, offset}`.
void encode_members(json_writer& to, const market::holder_page& page, market_id market);
void encode(json_writer& to, const std::vector<market::holding>& holdings);
void encode_members(json_writer& to, const market::total_volume& volume);
void encode(json_writer& to, const std::vector<market::profit_row>& rows);
void encode(json_writer& to, const std::vector<market::xp_row>& rows);
/// `[{marketProfileId, tweet}]`; `tweet` is null where there is none.
void encode(json_writer& to, const std::vector<news::news_item>& items);

} // namespace credence::http
