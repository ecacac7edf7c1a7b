#pragma once

#include "actors/wallets/signer_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

/// The rules of a wallet's outbox, with what nodes and the follower tell made up.
namespace credence::wallets {

using state = transaction_state;
using namespace std::chrono_literals;

inline constexpr timestamp noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + 12h};

inline signing_bounds some_bounds() {
  signing_bounds out;
  out.chain_id = 31337;
  out.fee_max = wei{1000};
  out.priority_fee_max = wei{100};
  out.gas_max = 500'000;
  out.signatures_per_day = 3;
  out.open_max = 4;
  out.stuck_after = 60s;
  return out;
}

struct SignerState : testing::Test {
  void SetUp() override { wallet.restore({}, day_of(noon)); }

  outbox_row row(std::int64_t id, std::uint64_t nonce, gas_fees fees = {wei{100}, wei{10}}) {
    outbox_row out;
    out.id = id;
    out.nonce = nonce;
    out.plan.gas_limit = 21'000;
    out.plan.data = "call";
    out.fees = fees;
    out.state = state::stored;
    out.created_at = out.changed_at = noon;
    return out;
  }
  void add(std::int64_t id, std::uint64_t nonce, std::int64_t replaces = 0, gas_fees fees = {wei{100}, wei{10}}) {
    wallet.add(row(id, nonce, fees), replaces == 0, replaces);
  }
  send_verdict answered(std::int64_t id, send_result how) {
    auto out = wallet.on_sent(id, {how, "as nodes say"});
    apply(out.moves);
    return out;
  }
  void sent(std::int64_t id, std::uint64_t nonce, std::int64_t replaces = 0, gas_fees fees = {wei{100}, wei{10}}) {
    add(id, nonce, replaces, fees);
    answered(id, send_result::taken);
  }
  void apply(const std::vector<transaction_move>& moves) { wallet.apply({profile_id{1}, moves, noon}); }
  housekeeping look(const followed_outbox& followed, const std::optional<node_view>& node = {}, timestamp now = noon) {
    auto out = wallet.look(followed, node, now);
    apply(out.moves);
    return out;
  }
  /// The follower has this one in that block, and rights rest on blocks up to `authority`.
  static followed_outbox in_block(std::int64_t id, std::int64_t block, std::int64_t authority) {
    return {{{profile_id{1}, id, block}}, std::max(block, authority), authority};
  }
  static node_view node_with(nonce_counts nonces, std::map<std::int64_t, seen_transaction> seen = {}) {
    return {nonces, std::move(seen)};
  }
  state state_of(std::int64_t id) const { return wallet.row(id)->state; }
  bool done(std::int64_t id) const { return wallet.row(id) == nullptr; }

  signing_bounds within = some_bounds();
  signer_state wallet{within};
};

inline constexpr seen_transaction waiting{true, std::nullopt, false};
inline constexpr seen_transaction unknown{};

} // namespace credence::wallets
