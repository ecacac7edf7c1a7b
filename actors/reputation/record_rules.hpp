#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/reputation/notice_types.hpp"
#include "actors/reputation/record_rows.hpp"
#include "config/settings.hpp"

#include <optional>
#include <string>

/// The rules of all kinds of records, and what they share.
namespace credence::reputation {

/// A yes: what is answered once the change is stored, or at once where nothing has to change.
template <class Answer, class Change>
struct decided {
  Answer answer;
  std::optional<Change> change;
};

/// Of each request: which rows it is decided over, and the decision over them, which changes nothing.
#define CREDENCE_RULES(request, change)                                                                                \
  void add_keys(const request& command, record_keys& to);                                                              \
  outcome<decided<request::answer_type, change>> decide(const record_rows& rows, const request& command,               \
                                                        const settings::people& how, timestamp now)

/// The profile, where it is live and its block is settled; else the refusal.
outcome<profile_row> live(const record_rows& rows, profile_id who);

/// Why no record may be about a subject yet, if so: an event said whose it is in a block that is not settled.
std::optional<refusal> unsettled(const record_rows& rows, const subject_key& subject);

/// What a text that may be left out is after an edit: an empty one stands for none.
inline std::optional<std::string> if_any(const std::optional<std::string>& fresh,
                                         const std::optional<std::string>& before) {
  if (!fresh)
    return before;
  return fresh->empty() ? std::nullopt : fresh;
}

/// The refusal of one more review or vouch of a profile that has made enough for a day.
refusal too_many_of(profile_id author);

// -- reviews -----------------------------------------------------------------------------------

/// The refusal of a review whose subject is its author.
refusal reviews_itself(profile_id author);

CREDENCE_RULES(create_review, review_created);
CREDENCE_RULES(edit_review, review_edited);
CREDENCE_RULES(archive_review, review_archived);

// -- vouches -----------------------------------------------------------------------------------

CREDENCE_RULES(create_vouch, vouch_created);
CREDENCE_RULES(move_vouch, vouch_moved);
CREDENCE_RULES(mark_unhealthy, vouch_marked_unhealthy);

// -- replies, and votes on activities ----------------------------------------------------------

/// Whether a vote stands so already.
bool is_as_wished(const activity_vote& before, const put_vote& wanted);
/// The refusal of a withdrawal by somebody who has not voted.
refusal no_vote_to_withdraw(const activity& on);

CREDENCE_RULES(create_reply, reply_created);
CREDENCE_RULES(edit_reply, reply_edited);
CREDENCE_RULES(put_vote, activity_voted);

// -- joining: profiles, their addresses, invitations -------------------------------------------

CREDENCE_RULES(create_profile, profile_created);
CREDENCE_RULES(archive_profile, profile_archived);
CREDENCE_RULES(edit_profile, profile_edited);
CREDENCE_RULES(link_address, address_linked);
CREDENCE_RULES(unlink_address, address_unlinked);
CREDENCE_RULES(send_invitation, invitation_sent);
CREDENCE_RULES(cancel_invitation, invitation_withdrawn);

// -- attestations ------------------------------------------------------------------------------

CREDENCE_RULES(attest_account, account_attested);
CREDENCE_RULES(archive_attestation, attestation_archived);

// -- human verification ------------------------------------------------------------------------

CREDENCE_RULES(decide_verification, verification_decided);

// -- bonds -------------------------------------------------------------------------------------

CREDENCE_RULES(create_bond, bond_created);
CREDENCE_RULES(archive_bond, bond_archived);
CREDENCE_RULES(set_bond_expiration, bond_expiration_set);

// -- what projects say of themselves -----------------------------------------------------------

CREDENCE_RULES(create_project, project_created);
CREDENCE_RULES(edit_project, project_edited);
CREDENCE_RULES(archive_project, project_archived);

/// The refusal of a project that is not there.
refusal no_project(project_id which);

// -- categories and chains ---------------------------------------------------------------------

CREDENCE_RULES(create_category, category_saved);
CREDENCE_RULES(edit_category, category_saved);
CREDENCE_RULES(create_chain, chain_saved);
CREDENCE_RULES(edit_chain, chain_saved);

/// The refusal of a category or a chain that is not there.
refusal no_category(category_id which);
refusal no_chain(chain_id which);

// -- notifications -----------------------------------------------------------------------------

/// Always so: whoever asks has read what there is.
CREDENCE_RULES(mark_notices_read, notices_read);

#undef CREDENCE_RULES

} // namespace credence::reputation
