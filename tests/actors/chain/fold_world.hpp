#pragma once

#include "actors/chain/chain_state.hpp"
#include "tests/actors/chain/chain_samples.hpp"

#include <gtest/gtest.h>

namespace credence::chain {

/// Rows, and events folded into them one after the other, a second apart. Slashes close when they end.
struct fold_world {
  fold_world() {
    for (const auto kind : {contract_kind::review, contract_kind::vouch, contract_kind::discussion,
                            contract_kind::slash, contract_kind::project, contract_kind::whuffie})
      how.contracts[contract_of(kind)] = kind;
  }

  static address contract_of(contract_kind kind) {
    return samples::address_of(static_cast<unsigned char>(200 + static_cast<unsigned>(kind)));
  }

  /// Folds an event; why it failed, or nothing. `effects` is what this event alone caused.
  std::string fold(const event& entry, std::optional<contract_kind> from = std::nullopt) {
    effects = {};
    const auto declared = visit([]<class E>(const E&) { return E::is.contract; }, entry);
    close_due_slashes(rows, now());
    const auto fate = chain::fold(rows, how, {from.value_or(declared), now(), ++last_event}, entry, effects);
    ++time;
    return fate.reason;
  }
  void applied(const event& entry) { EXPECT_EQ(fold(entry), "") << name_of(entry); }
  unix_time now() const { return {time}; }

  // what most tests begin with
  void join(std::int32_t profile, const address& with) { applied(profile_events::profile_created{{profile}, with}); }
  void claim(std::int32_t profile, const address& which) {
    applied(profile_events::address_claim{{profile}, which, address_claim_kind::claimed});
  }
  void let_go(std::int32_t profile, const address& which) {
    applied(profile_events::address_claim{{profile}, which, address_claim_kind::unclaimed});
  }
  void attest(std::int32_t number, std::int32_t profile, const std::string& account) {
    applied(attestation_events::attestation_created{{profile}, people::account_service::x, account, "proof", {number}});
  }
  void review(std::int32_t number, const address& author, const address& subject, std::int32_t subject_profile = 0) {
    applied(review_events::review_created{review_score::positive, author, {}, subject, {number}, {subject_profile}});
  }
  void review_account(std::int32_t number, const address& author, const std::string& account,
                      std::int32_t subject_profile = 0) {
    applied(review_events::review_created{
      review_score::negative, author, attestation_hash("x.com", account), {}, {number}, {subject_profile}});
  }

  const profile_row& profile(std::int32_t of) const { return *rows.profiles.find({of}); }
  user_id user(std::int32_t profile_of) const { return profile(profile_of).user; }
  const user_row& user_row_of(user_id of) const { return *rows.users.find(of); }
  const address_row& address_row_of(const address& of) const { return *rows.addresses.find(of); }
  const review_row& review_row_of(std::int32_t of) const { return *rows.reviews.find({of}); }
  /// Whom a review counts for, as the rows stand.
  user_id reviewed(std::int32_t of) const { return rows.subjects.find(review_row_of(of).subject)->user; }
  std::size_t users() const { return rows.users.all().size(); }

  chain_rows rows;
  fold_settings how;
  fold_effects effects;
  std::int64_t time = 1'700'000'000;
  std::int64_t last_event = 0; // its id
};

} // namespace credence::chain
