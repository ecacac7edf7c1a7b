#pragma once

#include "actors/chain/contract_abi.hpp"
#include "actors/domain/field_list.hpp"
#include "actors/domain/wei.hpp"
#include "actors/domain/words.hpp"
#include "actors/score/score_types.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Rows made of events. Their ids are those of the contracts plus `id_offset`. `columns` names the columns that hold
/// a row's members: from it come the row as it is written and the row as it is read. What a column makes of several
/// members, or of none, is not among them. A table's key is the column `id` unless the row names another one.
namespace credence::chain {

template <class T>
concept with_columns = requires {
  T::columns;
};

/// Bytes that are kept of a text; the rest is cut off.
inline constexpr std::size_t text_bytes_kept = 64 * 1024;

/// What is kept of a text in UTF-8: its first `text_bytes_kept` bytes, without a character that would be cut in two.
inline std::string beginning_of(std::string text) {
  if (text.size() <= text_bytes_kept)
    return text;
  auto end = text_bytes_kept;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  text.resize(end);
  return text;
}

// -- people, and what they write ----------------------------------------------------------------

using attestation_id = id<attestation_tag>;
using activity_vote_id = id<activity_vote_tag>;

/// What a review or vouch is about. The newest generation of a subject takes what comes; older ones keep what they
/// have.
using subject_key = std::variant<profile_id, address, digest32>;
/// The bytes of a subject's column: 4 of a profile's id (the high one first), 20 of an address, or 32 of an account's
/// hash.
std::vector<std::byte> bytes_of(const subject_key& key);
struct subject_place {
  subject_key key;
  std::int32_t generation = 0;
  static constexpr auto columns = CREDENCE_FIELDS(subject_place, key, generation);
  friend auto operator<=>(const subject_place&, const subject_place&) = default;
};
struct subject_row {
  user_id user; // the user whose score it moves
  std::optional<std::string> service, account;
  static constexpr auto columns = CREDENCE_FIELDS(subject_row, (user_id, user), service, account);
  friend bool operator==(const subject_row&, const subject_row&) = default;
};

/// Somebody with or without a profile. MERGED where `merged_into` is there; else ACTIVE or INACTIVE.
struct user_row {
  std::optional<profile_id> profile;
  bool active = false;
  std::optional<user_id> merged_into;
  static constexpr auto columns = CREDENCE_FIELDS(user_row, merged_into);
  friend bool operator==(const user_row&, const user_row&) = default;
};

struct profile_row {
  user_id user;
  std::optional<address> primary;
  std::int32_t invites_available = 0;
  std::optional<profile_id> inviter;
  unix_time created_at;
  bool archived = false;
  bool orphaned = false; // its block was taken back; the next event with its id fills it again
  static constexpr auto columns =
    CREDENCE_FIELDS(profile_row, (user_id, user), archived, orphaned, created_at, invites_available);
  friend bool operator==(const profile_row&, const profile_row&) = default;
};

struct address_row {
  user_id user;
  bool compromised = false;
  unix_time first_seen_at;
  std::optional<unix_time> unlinked_at;
  static constexpr std::string_view key_column = "address";
  static constexpr auto columns =
    CREDENCE_FIELDS(address_row, (user_id, user), compromised, unlinked_at, first_seen_at);
  friend bool operator==(const address_row&, const address_row&) = default;
};

struct attestation_row {
  profile_id profile;
  std::string service, account, evidence;
  bool archived = false;
  unix_time created_at;
  static constexpr auto columns =
    CREDENCE_FIELDS(attestation_row, (profile_id, profile), service, account, archived, created_at);
  friend bool operator==(const attestation_row&, const attestation_row&) = default;
};

/// A profile's id that the contract reserved for a subject; `names` is there once an event told which.
struct placeholder_row {
  std::optional<subject_place> names;
  static constexpr std::string_view key_column = "mock_id";
  friend bool operator==(const placeholder_row&, const placeholder_row&) = default;
};

enum class invitation_status : std::uint8_t { invited, accepted, accepted_other_invitation, withdrawn };
CREDENCE_WORDS(invitation_status, invitation_status_words, "INVITED", "ACCEPTED", "ACCEPTED_OTHER_INVITATION",
               "WITHDRAWN");
struct invitation_row {
  profile_id sender;
  address recipient;
  invitation_status status = invitation_status::invited;
  unix_time invited_at;
  std::optional<unix_time> accepted_at;
  std::optional<profile_id> profile; // that the recipient made
  static constexpr auto columns =
    CREDENCE_FIELDS(invitation_row, sender, recipient, status, invited_at, accepted_at, profile);
  friend bool operator==(const invitation_row&, const invitation_row&) = default;
};

struct review_row {
  std::optional<profile_id> author_profile;
  address author_address;
  subject_place subject;
  std::uint8_t score = 0; // 0 negative, 1 neutral, 2 positive
  bool archived = false;
  unix_time created_at, updated_at;
  std::int32_t edits = 0;
  using self = review_row;
  static constexpr auto columns =
    joined_lists(CREDENCE_FIELDS(self, author_profile, author_address, (subject_key, subject, &subject_place::key),
                                 (subject_generation, subject, &subject_place::generation)),
                 field{"score", as_number<std::int16_t>(&self::score)},
                 CREDENCE_FIELDS(self, archived, created_at, updated_at, edits));
  friend bool operator==(const review_row&, const review_row&) = default;
};

/// A record that can be voted on or replied to: of a contract, by its id there plus `id_offset`.
struct target_place {
  contract_kind kind{};
  std::int32_t id = 0;
  friend auto operator<=>(const target_place&, const target_place&) = default;
};
struct activity_vote_key {
  target_place target;
  profile_id voter;
  static constexpr auto columns = CREDENCE_FIELDS(activity_vote_key, (kind, target, &target_place::kind),
                                                  (target_id, target, &target_place::id), voter);
  friend auto operator<=>(const activity_vote_key&, const activity_vote_key&) = default;
};
struct activity_vote_row {
  activity_vote_id number;
  bool upvote = false;
  bool archived = false; // withdrawn
  unix_time created_at, updated_at;
  static constexpr auto columns = CREDENCE_FIELDS(activity_vote_row, number, upvote, archived, created_at, updated_at);
  friend bool operator==(const activity_vote_row&, const activity_vote_row&) = default;
};

struct reply_row {
  profile_id author;
  contract_kind target_kind{};
  unix_time created_at, updated_at;
  std::int32_t edits = 0;
  static constexpr auto columns =
    CREDENCE_FIELDS(reply_row, (author_profile, author), target_kind, created_at, updated_at, edits);
  friend bool operator==(const reply_row&, const reply_row&) = default;
};

/// A setting of a contract, as its events last told it.
struct parameter_key {
  contract_kind contract{};
  std::string name;
  static constexpr auto columns = CREDENCE_FIELDS(parameter_key, contract, name);
  friend auto operator<=>(const parameter_key&, const parameter_key&) = default;
};

// -- vouches ------------------------------------------------------------------------------------

// Made of events; and the rewards that fees of vouches bring.

/// By contract: `vouch`, in ether, or `vouch_v2`, in WHUF. Each counts its own numbers.
struct vouch_key {
  contract_kind contract{};
  vouch_id number;
  static constexpr auto columns = CREDENCE_FIELDS(vouch_key, contract, number);
  friend auto operator<=>(const vouch_key&, const vouch_key&) = default;
};

struct vouch_row {
  profile_id author;
  std::optional<address> wallet; // of the author; events of vouches in ether do not tell it
  subject_place subject;
  std::optional<profile_id>
    subject_profile; // the contract's, also of somebody who has not joined; fees are shared by it
  wei staked, deposited, balance, withdrawn, slashed;
  std::vector<score::vouch_part> parts; // of the balance
  std::optional<std::string> metadata;  // where an event told it
  bool archived = false;
  bool frozen = false;
  unix_time vouched_at;
  std::optional<unix_time> unvouched_at, unhealthy_at;
  static constexpr auto columns = CREDENCE_FIELDS(
    vouch_row, (author_profile, author), (subject_key, subject, &subject_place::key),
    (subject_generation, subject, &subject_place::generation), subject_profile, staked, deposited, balance, withdrawn,
    slashed, (told_metadata, metadata), archived, frozen, vouched_at, unvouched_at, unhealthy_at);
  friend bool operator==(const vouch_row&, const vouch_row&) = default;
};

/// What active vouches are looked for by: the author, the author's wallet, the profile whose pool they are in, the
/// subject.
struct voucher {
  profile_id who;
  friend auto operator<=>(const voucher&, const voucher&) = default;
};
struct pool_of {
  profile_id whom;
  friend auto operator<=>(const pool_of&, const pool_of&) = default;
};
using vouch_index = std::variant<voucher, address, pool_of, subject_place>;
struct by_party {
  std::vector<vouch_index> operator()(const vouch_row& row) const {
    if (row.archived)
      return {};
    std::vector<vouch_index> out{voucher{row.author}, row.subject};
    if (row.wallet)
      out.emplace_back(*row.wallet);
    if (row.subject_profile)
      out.emplace_back(pool_of{*row.subject_profile});
    return out;
  }
};

/// What fees of others' vouches brought a profile, also one that nobody has joined by.
struct vouch_rewards_row {
  wei balance, deposited, withdrawn;
  static constexpr std::string_view key_column = "profile";
  static constexpr auto columns = CREDENCE_FIELDS(vouch_rewards_row, balance, deposited, withdrawn);
  friend bool operator==(const vouch_rewards_row&, const vouch_rewards_row&) = default;
};

/// The subject that a userkey names, as far as that is a profile, an address or an account by its id. Everything else,
/// and a text that does not belong to the hash, stands for the hash itself.
struct vouch_target {
  subject_key key;
  std::optional<std::string> service, account;
};
vouch_target vouch_target_of(std::string_view userkey, const digest32& hash, std::int32_t id_offset);

// -- bonds --------------------------------------------------------------------------------------

// Whom a bond is about, its statement and its first expiration lie in the contract.

using bond_id = id<bond_tag>;

struct bond_row {
  profile_id author;
  std::string type, amount, amount_type; // as texts
  std::optional<std::string> expiration; // as an event told it last
  std::optional<unix_time> expires_at;   // of the last expiration that could be read
  std::optional<unix_time> archived_at;  // for good
  std::optional<address> archived_by;
  std::string archive_reason;
  unix_time created_at, updated_at;
  static constexpr auto columns =
    CREDENCE_FIELDS(bond_row, (author_profile, author), (bond_type, type), amount, amount_type,
                    (told_expiration, expiration), (told_expires_at, expires_at), archived_at, created_at, updated_at);
  friend bool operator==(const bond_row&, const bond_row&) = default;
};

/// When a bond expires by a text: an ISO 8601 date (its last second) or time with `Z` or an offset, or seconds or
/// milliseconds since 1970. Nothing for every other text.
std::optional<unix_time> expiration_in(std::string_view text);

// -- the broker ---------------------------------------------------------------------------------

// Posts, the fees of premium posts, and credit that posts may be paid with.

using broker_post_id = id<broker_post_tag>;

CREDENCE_WORDS(post_level, post_level_words, "BASIC", "PREMIUM");

struct post_row {
  profile_id author;
  post_level level{};
  std::string title, description, price, metadata; // as the event has them
  unix_time created_at, updated_at;
  static constexpr auto columns = CREDENCE_FIELDS(post_row, (author_profile, author), level, title, description, price,
                                                  metadata, created_at, updated_at);
  friend bool operator==(const post_row&, const post_row&) = default;
};

/// What was paid for a premium post. A row of its own, as no contract promises that the post is told first.
struct post_fee_row {
  address token;
  uint256 amount;
  address recipient;
  static constexpr std::string_view key_column = "post_id";
  static constexpr auto columns = CREDENCE_FIELDS(post_fee_row, token, amount, recipient);
  friend bool operator==(const post_fee_row&, const post_fee_row&) = default;
};

struct credit_key {
  profile_id holder;
  address token;
  static constexpr auto columns = CREDENCE_FIELDS(credit_key, (profile_id, holder), token);
  friend auto operator<=>(const credit_key&, const credit_key&) = default;
};
struct credit_row {
  uint256 balance;
  static constexpr auto columns = CREDENCE_FIELDS(credit_row, balance);
  friend bool operator==(const credit_row&, const credit_row&) = default;
};

// -- projects -----------------------------------------------------------------------------------

/// Bytes of the account that a project is of; an index holds no more than some 2,700.
inline constexpr std::size_t project_account_bytes_max = 1000;

struct project_row {
  user_id user;
  std::string userkey; // `service:<service>:<account>`
  bool archived = false;
  std::optional<std::string> name;
  std::string metadata;             // as the event has it
  std::vector<profile_id> managers; // ascending, each once, also those that nobody knows
  unix_time created_at;
  static constexpr auto columns =
    CREDENCE_FIELDS(project_row, (user_id, user), userkey, archived, name, metadata, managers, created_at);
  friend bool operator==(const project_row&, const project_row&) = default;
};

// -- the token ----------------------------------------------------------------------------------

struct token_key {
  address holder;
  address token;
  static constexpr auto columns = CREDENCE_FIELDS(token_key, holder, token);
  friend auto operator<=>(const token_key&, const token_key&) = default;
};
struct token_row {
  uint256 balance;
  uint256 missing; // so much more than events told of was sent: what the holder had before the first block, at least
  static constexpr auto columns = CREDENCE_FIELDS(token_row, balance, missing);
  friend bool operator==(const token_row&, const token_row&) = default;
};

/// Rewards that a contract owes an address.
struct reward_key {
  address holder;
  address contract;
  static constexpr auto columns = CREDENCE_FIELDS(reward_key, holder, contract);
  friend auto operator<=>(const reward_key&, const reward_key&) = default;
};
struct reward_row {
  uint256 balance;
  static constexpr auto columns = CREDENCE_FIELDS(reward_row, balance);
  friend bool operator==(const reward_row&, const reward_row&) = default;
};

// -- slashes ------------------------------------------------------------------------------------

// What the votes on a slash come to, and whom it costs score, the database works out when the slash closes
// (`judge_chain_slash` in 0008_slashes.sql).

/// What ended a slash: its time, its author or an admin of the contract, or the contract's own count.
enum class slash_end : std::uint8_t { time, cancelled, resolved };
CREDENCE_WORDS(slash_end, slash_end_words, "time", "cancelled", "resolved");
CREDENCE_WORDS(slash_type, slash_type_words, "SCORE", "FINANCIAL", "XP");
CREDENCE_WORDS(slash_resolution, slash_resolution_words, "PENDING", "CANCELLED", "SLASHED", "DEFENDED", "INCONCLUSIVE");
static_assert(slash_type_words.size() == enum_size<slash_type>);
static_assert(slash_resolution_words.size() == enum_size<slash_resolution>);

struct slash_row {
  profile_id author;
  subject_key subject;                       // an address, or the hash of an account
  user_id user;                              // whom that named when the slash was opened; 0: nobody known
  std::optional<profile_id> subject_profile; // of that user
  slash_type type{};
  std::int32_t amount = 0;     // points, hundredths of a percent, or XP
  std::int32_t duration_s = 0; // from `created_at`
  std::string comment, metadata;
  unix_time created_at;
  std::optional<slash_end> ended_by;          // none: it is open
  std::optional<unix_time> closed_at;         // likewise
  std::optional<slash_resolution> resolution; // that the contract told last
  uint256 resolution_bps;                     // beside it
  bool executed = false;

  unix_time ends_at() const { return {created_at.seconds + duration_s}; }
  static constexpr auto columns =
    CREDENCE_FIELDS(slash_row, (author_id, author), (subject_profile_id, subject_profile), type, amount, duration_s,
                    comment, metadata, created_at, ended_by, closed_at, resolution, resolution_bps, executed);
  friend bool operator==(const slash_row&, const slash_row&) = default;
};

/// The ends of open slashes.
struct by_slash_end {
  std::vector<unix_time> operator()(const slash_row& row) const {
    return row.ended_by ? std::vector<unix_time>{} : std::vector<unix_time>{row.ends_at()};
  }
};

// -- markets ------------------------------------------------------------------------------------

// Those in ether, one a profile, and those in WHUF.

/// Which trades a market takes. `graduated`: none any more.
enum class market_status : std::uint8_t { active, sell_only, paused, graduated };
CREDENCE_WORDS(market_status, market_status_words, "ACTIVE", "SELL_ONLY", "PAUSED", "GRADUATED");

/// What the arithmetic of those who read mirrored markets can hold. An event beyond that fails.
inline constexpr std::int64_t market_votes_max = 9'007'199'254'740'991; // 2^53 - 1; also of the liquidity
inline const uint256 market_price_max = uint256{1} << 128;
inline const uint256 market_volume_max = uint256{1} << 254;

/// A market of the contract `reputation_market` has the number of its profile, one of `market` a number of its own.
struct market_key {
  contract_kind contract{};
  market_id number;
  static constexpr auto columns = CREDENCE_FIELDS(market_key, contract, (id, number));
  friend auto operator<=>(const market_key&, const market_key&) = default;
};

/// What only a market in WHUF has.
struct token_market_terms {
  std::string userkey; // whom it is about, as the event has it
  digest32 userkey_hash{};
  address pricing_contract, trust_token, distrust_token;
  static constexpr auto columns =
    CREDENCE_FIELDS(token_market_terms, userkey, userkey_hash, pricing_contract, trust_token, distrust_token);
  friend bool operator==(const token_market_terms&, const token_market_terms&) = default;
};

struct market_row {
  address creator;
  address recipient;    // of donations
  market_config config; // nothing but zeros of a market in WHUF
  std::optional<token_market_terms> in_tokens;
  uint256 trust, distrust; // votes, or supplies of tokens
  uint256 trust_price, distrust_price;
  uint256 backing;      // of the tokens
  uint256 withdrawn;    // from a market that has graduated
  uint256 bought, sold; // funds of all purchases and sales
  std::int64_t trades = 0, trust_trades = 0, prices = 0;
  market_status status{};
  unix_time created_at, updated_at;
  static constexpr auto columns = CREDENCE_FIELDS(
    market_row, creator, recipient, (liquidity, config, &market_config::liquidity),
    (base_price, config, &market_config::base_price), (creation_cost, config, &market_config::creation_cost), trust,
    distrust, trust_price, distrust_price, backing, withdrawn, bought, sold, trades, trust_trades, prices,
    (standing, status), created_at, updated_at);
  friend bool operator==(const market_row&, const market_row&) = default;
};

/// A trade, by the id of its event. It knows its place in each list of trades that it is in, from 1 on.
struct market_trade_row {
  market_key market;
  address account; // who traded
  bool buys = false, trusts = false;
  uint256 votes, funds;
  std::int64_t number = 0, side_number = 0;                 // of the market's trades, of those of that side
  std::int64_t account_number = 0, account_side_number = 0; // of the account's trades, of those of a side
  uint256 volume_after, bought_after;                       // of the market
  unix_time at;
  static constexpr std::string_view key_column = "event_id";
  static constexpr auto columns =
    CREDENCE_FIELDS(market_trade_row, (contract, market, &market_key::contract),
                    (market_id, market, &market_key::number), account, buys, trusts, votes, funds, number, side_number,
                    account_number, account_side_number, volume_after, bought_after, at);
  friend bool operator==(const market_trade_row&, const market_trade_row&) = default;
};

/// A market's prices from an event on, by the event's id.
struct market_price_row {
  market_key market;
  std::int64_t number = 0; // of the market's prices, from 1 on
  uint256 trust, distrust;
  uint256 trust_price, distrust_price;
  unix_time at;
  static constexpr std::string_view key_column = "event_id";
  static constexpr auto columns =
    CREDENCE_FIELDS(market_price_row, (contract, market, &market_key::contract),
                    (market_id, market, &market_key::number), number, trust, distrust, trust_price, distrust_price, at);
  friend bool operator==(const market_price_row&, const market_price_row&) = default;
};

struct market_position_key {
  market_key market;
  address account;
  static constexpr auto columns = CREDENCE_FIELDS(market_position_key, (contract, market, &market_key::contract),
                                                  (market_id, market, &market_key::number), account);
  friend auto operator<=>(const market_position_key&, const market_position_key&) = default;
};
struct market_position_row {
  uint256 trust, distrust;
  static constexpr auto columns = CREDENCE_FIELDS(market_position_row, trust, distrust);
  friend bool operator==(const market_position_row&, const market_position_row&) = default;
};

/// An address on all markets of a contract.
struct market_account_key {
  contract_kind contract{};
  address account;
  static constexpr auto columns = CREDENCE_FIELDS(market_account_key, contract, account);
  friend auto operator<=>(const market_account_key&, const market_account_key&) = default;
};
struct market_account_row {
  uint256 bought, sold; // funds
  uint256 donations;    // that were paid out to it
  std::int64_t trades = 0, trust_trades = 0;
  static constexpr auto columns = CREDENCE_FIELDS(market_account_row, bought, sold, donations, trades, trust_trades);
  friend bool operator==(const market_account_row&, const market_account_row&) = default;
};

/// Kinds of markets in ether that may be opened, by their index. Nothing: no event told what is there.
using market_configs = std::vector<std::optional<market_config>>;
inline constexpr std::size_t market_configs_max = 100;
/// The parameter of the contract that holds them: `liquidity/basePrice/creationCost`, with commas between them, `?` for
/// what nobody told.
inline constexpr std::string_view market_configs_parameter = "marketConfigs";
std::string text_of(const market_configs& configs);
/// Nothing in it of what is no such text.
market_configs market_configs_in(std::string_view text);

} // namespace credence::chain
