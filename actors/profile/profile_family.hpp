#pragma once

#include "actors/directory.hpp"
#include "actors/kernel/entity_actor.hpp"
#include "actors/listing/project_index.hpp"
#include "actors/people/people_index.hpp"
#include "actors/period/period_state.hpp"
#include "actors/profile/credentials.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/profile/profile_state.hpp"
#include "actors/profile/xp_account.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace credence::profile {

struct profiles {
  static constexpr auto kind = ops::actor_kind::profile;
  using storage = profile::storage;
  using id = profile_id;
  static auto whose(const auto& question) -> decltype(question.profile) { return question.profile; }
  using handle = profile_handle;
  using questions = profile_questions;
  using to_one = types<vote_landed>;
  using to_router = types<>;
};

/// The actor of one profile: votes cast, XP, keys and sessions. Its rules are in
/// profile_state, xp_account and credentials; this passes messages between them, the
/// store and those who ask. Each of them is read from the store when first asked for.
class profile_actor : public writing_entity_actor<profile_actor, profiles, context> {
public:
  static inline const char* name = "profile";
  using writing_entity_actor::on;

  // votes (profile_actor.cpp)
  void on(const ask<get_balance>& question);
  void on(const ask<get_own_votes>& question);
  void on(const vote_landed& landed);

  // XP (profile_tips.cpp)
  void on(const ask<send_tip>& question);
  void on(const tip_landed& landed);
  void on(const ask<get_tips>& question);
  void on(const ask<get_tip_figures>& question);
  void on(const ask<get_receipt>& question);
  void on(const ask<grant_xp>& question);
  void on(const ask<get_grant>& question);

  // keys and sessions (profile_credentials.cpp)
  void on(const ask<create_key>& question);
  void on(const ask<list_keys>& question);
  void on(const ask<revoke_key>& question);
  void on(const ask<check_credential>& question);
  void on(const ask<open_session>& question);
  void on(const ask<refresh_session>& question);
  void on(const ask<end_session>& question);
  void on(const ask<end_other_sessions>& question);
  void on(const ask<list_sessions>& question);
  void on(const ask<use_nonce>& question);

  // partners that act for the profile (profile_credentials.cpp)
  void on(const ask<switch_partner>& question);
  void on(const ask<check_partner>& question);
  void on(const ask<list_partners>& question);
  void on(const ask<make_partner_code>& question);

  void load();
  void take_back();
  void start_afresh();
  bool at_rest() const noexcept;
  std::vector<figure> in_memory() const;

private:
  profile_state::surroundings around() const {
    return {*with_->calendar->get(), *with_->projects,
            with_->people->status_of(id_) == people::people_index::status::archived};
  }

  template <class F>
  void with_votes(period_id in, F then);
  void on_votes(period_id in, bool there);
  /// Runs `then`, with whether it is there, once the XP has been read.
  template <class F>
  void with_xp(F then);
  /// Runs `then` with a balance that was read a moment ago, as other programs give out XP as well.
  template <class Q, class F>
  void with_fresh_xp(const ask<Q>& question, F then);
  void decide_tip(const ask<send_tip>& question);
  void decide_grant(const ask<grant_xp>& question);
  void xp_changed(global_seq as_of);
  /// Runs `then` once keys and sessions have been read.
  template <class Q, class F>
  void with_credentials(const ask<Q>& question, F then);
  template <class Q, class Then>
  void carry_out(const ask<Q>& question, Then then);
  void load_credentials_now();
  /// Takes over what others may change in the database: whether the profile may have keys, its wallets,
  /// access tokens that were revoked.
  void take_access(const stored_credentials& stored);
  void end_revoked_tokens();
  void end_those_without_wallet();
  void go_on_refreshing(const ask<refresh_session>& question);
  /// Runs `then` once what others may change was read no longer than `believed_for` ago.
  template <class Q, class F>
  void with_access(const ask<Q>& question, std::chrono::seconds believed_for, bool needed, F then);
  void answer_check(const ask<check_credential>& question);
  std::shared_ptr<credential_slot> slot_of(const api_key& key);
  std::shared_ptr<credential_slot> slot_of(const session& which);
  void end_stolen(const ask<refresh_session>& question);
  template <class Q>
  void on_sessions_ended(const ask<Q>& question, const sessions_ended& change);
  void end_slot(credential_kind kind, const std::string& id, timestamp expires_at);
  /// Of the router, which passes it on to this profile's next actor.
  template <class Q>
  void ask_again(const ask<Q>& question) {
    send(with_->others->profiles.to(), question);
  }

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
