#pragma once

#include "actors/kernel/load.hpp"
#include "actors/reputation/attestation_storage.hpp"
#include "actors/reputation/bond_storage.hpp"
#include "actors/reputation/catalogue_storage.hpp"
#include "actors/reputation/join_storage.hpp"
#include "actors/reputation/list_types.hpp"
#include "actors/reputation/notice_storage.hpp"
#include "actors/reputation/project_record_storage.hpp"
#include "actors/reputation/record_rows.hpp"
#include "actors/reputation/reply_storage.hpp"
#include "actors/reputation/review_storage.hpp"
#include "actors/reputation/verification_storage.hpp"
#include "actors/reputation/vouch_storage.hpp"

/// What records write and read.
namespace credence::reputation {

/// What is written and what is asked.
struct storage {
  using facts =
    types<review_created, review_edited, review_archived, profile_created, profile_archived, profile_edited,
          address_linked, address_unlinked, invitation_sent, invitation_withdrawn, vouch_created, vouch_moved,
          vouch_marked_unhealthy, reply_created, reply_edited, activity_voted, project_created, project_edited,
          project_archived, category_saved, chain_saved, account_attested, attestation_archived, verification_decided,
          bond_created, bond_archived, bond_expiration_set, notices_read>;
  using loads =
    joined<types<load<load_records, stored_records>, load<load_review, found_review>,
                 load<load_invitation, found_invitation>, load<load_vouch, found_vouch>, load<load_reply, found_reply>,
                 load<load_vote, found_vote>, load<load_team, found_team>, load<get_categories>, load<get_chains>,
                 load<get_category_users>, load<get_user_categories>, load<load_attestation, found_attestation>,
                 load<load_verification, verification_standing>, load<load_bond, found_bond>>,
           list_loads>;
};

} // namespace credence::reputation
