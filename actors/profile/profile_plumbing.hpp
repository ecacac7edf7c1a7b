#pragma once

#include "actors/directory.hpp"
#include "actors/kernel/entity_plumbing.hpp"
#include "actors/profile/credentials.hpp"
#include "actors/profile/profile_entity.hpp"
#include "actors/profile/profile_state.hpp"
#include "actors/profile/xp_account.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace credence::profile {

/// The actor of one profile: votes cast, XP, keys and sessions. Its rules are in
/// profile_state, xp_account and credentials; this passes messages between them, the
/// store and those who ask. Each of them is read from the store when first asked for.
class profile_plumbing : public entity_plumbing<ops::actor_kind::profile, profile_entity, profile_plumbing, context> {
public:
  static inline const char* name = "profile";

  void start(pointer self, profile_id id, const std::shared_ptr<const context>& with, profile_supervisor router,
             bystanders receivers);

  // votes (profile_actor.cpp)
  void on_balance(const ask<get_balance>& asked);
  void on_own_votes(const ask<get_own_votes>& asked);
  void on_landed(const vote_landed& what);

  // XP (profile_tips.cpp)
  void on_tip(const ask<send_tip>& asked);
  void on_tip_landed(const tip_landed& what);
  void on_tips(const ask<get_tips>& asked);
  void on_tip_figures(const ask<get_tip_figures>& asked);
  void on_receipt(const ask<get_receipt>& asked);

  // keys and sessions (profile_credentials.cpp)
  void on_create_key(const ask<create_key>& asked);
  void on_list_keys(const ask<list_keys>& asked);
  void on_revoke_key(const ask<revoke_key>& asked);
  void on_check(const ask<check_credential>& asked);
  void on_open_session(const ask<open_session>& asked);
  void on_refresh(const ask<refresh_session>& asked);
  void on_end_session(const ask<end_session>& asked);
  void on_end_other_sessions(const ask<end_other_sessions>& asked);
  void on_list_sessions(const ask<list_sessions>& asked);

private:
  friend entity_plumbing;
  profile_state::surroundings around() const {
    return {*with_->calendar->get(), *with_->projects, with_->people->standing_of(id_) == people::people_index::standing::archived};
  }

  template <class F>
  void with_votes(period_id in, F then);
  void on_votes(period_id in, bool there);
  /// Runs `then`, with whether it is there, once the XP has been read.
  template <class F>
  void with_xp(F then);
  void decide_tip(const ask<send_tip>& asked);
  void xp_changed(global_seq as_of);
  /// Runs `then` once keys and sessions have been read.
  template <class Q, class F>
  void with_credentials(const ask<Q>& asked, F then);
  template <class Q, class Then>
  void carry_out(const ask<Q>& asked, Then then);
  void load_credentials_now();
  /// Takes over what others may change in the database: whether the profile may have keys, its wallets,
  /// access tokens that were revoked.
  void take_access(const stored_credentials& stored);
  void end_revoked_tokens();
  void end_those_without_wallet();
  void go_on_refreshing(const ask<refresh_session>& asked);
  /// Runs `then` once what others may change was read no longer than `believed_for` ago.
  template <class Q, class F>
  void with_access(const ask<Q>& asked, std::chrono::seconds believed_for, bool needed, F then);
  void answer_check(const ask<check_credential>& asked);
  std::shared_ptr<credential_slot> slot_of(const api_key& key);
  std::shared_ptr<credential_slot> slot_of(const session& which);
  void end_stolen(const ask<refresh_session>& asked);
  template <class Q>
  void on_sessions_ended(const ask<Q>& asked, const sessions_ended& what);
  void end_slot(credential_kind what, const std::string& id, timestamp expires_at);
  /// Of the router, which passes it on to this profile's next actor.
  template <class Q>
  void ask_again(const ask<Q>& asked) {
    caf::anon_send(with_->others->profiles, asked);
  }
  void drop_pending();
  void give_up();
  bool at_rest() const noexcept;

  profile_id id_;
  profile_supervisor router_;
  bystanders receivers_; // of tips under way, in their order
  struct waiting_for_votes {
    period_id in;
    std::function<void(bool there)> then;
  };
  profile_state rules_;
  std::optional<xp_account> xp_;
  std::optional<credentials> credentials_;
  std::vector<std::string> revoked_tokens_;
  std::vector<waiting_for_votes> waiting_for_votes_;
  std::vector<std::function<void(bool there)>> waiting_for_xp_;
  std::vector<std::function<void(bool there)>> waiting_for_credentials_;
  std::vector<std::shared_ptr<credential_slot>> slots_; // kept alive while this actor is
  steady_time xp_read_at_{};
  steady_time access_read_at_{};
};

} // namespace credence::profile
