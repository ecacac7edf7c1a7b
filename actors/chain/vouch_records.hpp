#pragma once

#include "actors/chain/chain_records.hpp"
#include "actors/domain/wei.hpp"
#include "actors/score/vouch_part.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Rows of vouches that are made of events, and of the rewards that fees of vouches bring.
namespace credence::chain {

/// By contract: `vouch`, in ether, or `vouch_v2`, in WHUF. Each counts its own numbers.
struct vouch_key {
  contract_kind contract{};
  vouch_id number;
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
  friend bool operator==(const vouch_rewards_row&, const vouch_rewards_row&) = default;
};

/// The subject that a userkey names, as far as that is a profile, an address or an account by its id. Everything else,
/// and a text that does not belong to the hash, stands for the hash itself.
struct vouch_target {
  subject_key key;
  std::optional<std::string> service, account;
};
vouch_target vouch_target_of(std::string_view userkey, const digest32& hash, std::int32_t id_offset);

} // namespace credence::chain
