#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/mark_stale.hpp"
#include "actors/kernel/port.hpp"
#include "actors/profile/profile_storage.hpp"
#include "actors/project/project_types.hpp"

namespace credence::profile {

/// A committed vote on its way to the voter: the profile takes it into its
/// balance and answers the one who cast it.
struct vote_landed {
  ask<project::cast_vote> question;
  own_vote vote;
};

/// Those that one batch has committed on one project, for the router.
struct votes_landed {
  std::vector<vote_landed> votes;
};

/// A committed tip on its way to the receiver, who takes it in and answers the sender's client.
struct tip_landed {
  ask<send_tip> question;
  tip_receipt receipt; // the receiver's balance is missing
  global_seq as_of = 0;
};

/// What a profile is asked and told.
using profile_questions =
  actor_handle<get_balance, get_own_votes, send_tip, get_tips, get_tip_figures, get_receipt, grant_xp, get_grant,
               create_key, list_keys, revoke_key, check_credential, open_session, refresh_session, end_session,
               end_other_sessions, list_sessions, switch_partner, check_partner, list_partners, make_partner_code,
               use_nonce, tip_landed>;

/// The router of all profiles.
using profile_handle = extended<profile_questions, votes_landed, mark_stale<profile_id>>;
struct profile_door {
  using handle = profile_handle;
  using straight = types<list_partner_acts>;
};

/// Spawns the router of all profiles.
profile_handle spawn_profiles(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::profile
