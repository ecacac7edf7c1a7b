#pragma once

#include "actors/context.hpp"
#include "actors/kernel/door.hpp"
#include "actors/kernel/port.hpp"
#include "actors/reputation/record_storage.hpp"

namespace credence::reputation {

/// What the keeper decides.
using record_requests =
  types<create_review, edit_review, archive_review, create_profile, archive_profile, edit_profile, link_address,
        unlink_address, send_invitation, cancel_invitation, create_vouch, move_vouch, mark_unhealthy, create_reply,
        edit_reply, put_vote, create_project, edit_project, archive_project, create_category, edit_category,
        create_chain, edit_chain, attest_account, archive_attestation, decide_verification, create_bond, archive_bond,
        set_bond_expiration, mark_notices_read>;
/// Questions about single records and notices, which it reads from the database.
using record_reads = types<get_review, get_invitation, get_vouch, get_reply, get_vote, get_team, get_attestation,
                           get_verification, get_bond, list_notices>;

/// Decides on records: one keeper for all, as ids have no gaps and many rules span several rows. It works in rounds. It
/// takes the requests that wait, reads the rows they need at once, decides them in order, each over what those before
/// it changed, sends each change by itself, and begins again when the fate of all is known. Between rounds it keeps
/// nothing.
using record_handle = made_of<actor_handle, joined<record_requests, record_reads>>;
struct record_door {
  using handle = record_handle;
  using straight = joined<list_questions, types<get_categories, get_chains, get_category_users, get_user_categories>>;
};

record_handle spawn_records(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage);

} // namespace credence::reputation
