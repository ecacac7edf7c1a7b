#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/reputation/notice_types.hpp"
#include "actors/reputation/record_rows.hpp"
#include "config/settings.hpp"

#include <optional>
#include <string>

/// The rules of all kinds of records, and what they share. Each kind has, for each of its questions:
///
///   void add_keys(const Q& asked, record_keys& to);    which rows it is decided over
///   outcome<decided<answer, change>> decide(const record_rows& rows, const Q& asked, const settings::people& how,
///   timestamp now);
///
/// `decide` changes nothing.
namespace credence::reputation {

/// A yes: what is answered once the change is stored, or at once where nothing has to change.
template <class Answer, class Change>
struct decided {
  Answer answer;
  std::optional<Change> change;
};

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

void add_keys(const create_review& command, record_keys& to);
void add_keys(const edit_review& command, record_keys& to);
void add_keys(const archive_review& command, record_keys& to);

outcome<decided<review_record, review_created>> decide(const record_rows& rows, const create_review& command,
                                                       const settings::people& how, timestamp now);
outcome<decided<review_record, review_edited>> decide(const record_rows& rows, const edit_review& command,
                                                      const settings::people& how, timestamp now);
outcome<decided<review_record, review_archived>> decide(const record_rows& rows, const archive_review& command,
                                                        const settings::people& how, timestamp now);

// -- vouches -----------------------------------------------------------------------------------

void add_keys(const create_vouch& command, record_keys& to);
void add_keys(const move_vouch& command, record_keys& to);
void add_keys(const mark_unhealthy& command, record_keys& to);

outcome<decided<vouch_record, vouch_created>> decide(const record_rows& rows, const create_vouch& command,
                                                     const settings::people& how, timestamp now);
outcome<decided<vouch_record, vouch_moved>> decide(const record_rows& rows, const move_vouch& command,
                                                   const settings::people& how, timestamp now);
outcome<decided<vouch_record, vouch_marked_unhealthy>> decide(const record_rows& rows, const mark_unhealthy& command,
                                                              const settings::people& how, timestamp now);

// -- replies, and votes on activities ----------------------------------------------------------

/// Whether a vote stands so already.
bool is_as_wished(const activity_vote& before, const put_vote& wanted);
/// The refusal of a withdrawal by somebody who has not voted.
refusal no_vote_to_withdraw(const activity& on);

void add_keys(const create_reply& command, record_keys& to);
void add_keys(const edit_reply& command, record_keys& to);
void add_keys(const put_vote& command, record_keys& to);

outcome<decided<reply_record, reply_created>> decide(const record_rows& rows, const create_reply& command,
                                                     const settings::people& how, timestamp now);
outcome<decided<reply_record, reply_edited>> decide(const record_rows& rows, const edit_reply& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<activity_vote, activity_voted>> decide(const record_rows& rows, const put_vote& command,
                                                       const settings::people& how, timestamp now);

// -- joining: profiles, their addresses, invitations -------------------------------------------

void add_keys(const create_profile& command, record_keys& to);
void add_keys(const archive_profile& command, record_keys& to);
void add_keys(const edit_profile& command, record_keys& to);
void add_keys(const link_address& command, record_keys& to);
void add_keys(const unlink_address& command, record_keys& to);
void add_keys(const send_invitation& command, record_keys& to);
void add_keys(const cancel_invitation& command, record_keys& to);

outcome<decided<profile_id, profile_created>> decide(const record_rows& rows, const create_profile& command,
                                                     const settings::people& how, timestamp now);
outcome<decided<profile_id, profile_archived>> decide(const record_rows& rows, const archive_profile& command,
                                                      const settings::people& how, timestamp now);
outcome<decided<profile_id, profile_edited>> decide(const record_rows& rows, const edit_profile& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<profile_id, address_linked>> decide(const record_rows& rows, const link_address& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<profile_id, address_unlinked>> decide(const record_rows& rows, const unlink_address& command,
                                                      const settings::people& how, timestamp now);
outcome<decided<invitation_record, invitation_sent>> decide(const record_rows& rows, const send_invitation& command,
                                                            const settings::people& how, timestamp now);
outcome<decided<invitation_record, invitation_withdrawn>>
decide(const record_rows& rows, const cancel_invitation& command, const settings::people& how, timestamp now);

// -- attestations ------------------------------------------------------------------------------

void add_keys(const attest_account& command, record_keys& to);
void add_keys(const archive_attestation& command, record_keys& to);

outcome<decided<attestation_record, account_attested>> decide(const record_rows& rows, const attest_account& command,
                                                              const settings::people& how, timestamp now);
outcome<decided<attestation_record, attestation_archived>>
decide(const record_rows& rows, const archive_attestation& command, const settings::people& how, timestamp now);

// -- human verification ------------------------------------------------------------------------

void add_keys(const decide_verification& command, record_keys& to);

outcome<decided<profile_id, verification_decided>> decide(const record_rows& rows, const decide_verification& command,
                                                          const settings::people& how, timestamp now);

// -- bonds -------------------------------------------------------------------------------------

void add_keys(const create_bond& command, record_keys& to);
void add_keys(const archive_bond& command, record_keys& to);
void add_keys(const set_bond_expiration& command, record_keys& to);

outcome<decided<bond_record, bond_created>> decide(const record_rows& rows, const create_bond& command,
                                                   const settings::people& how, timestamp now);
outcome<decided<bond_record, bond_archived>> decide(const record_rows& rows, const archive_bond& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<bond_record, bond_expiration_set>> decide(const record_rows& rows, const set_bond_expiration& command,
                                                          const settings::people& how, timestamp now);

// -- what projects say of themselves -----------------------------------------------------------

void add_keys(const create_project& command, record_keys& to);
void add_keys(const edit_project& command, record_keys& to);
void add_keys(const archive_project& command, record_keys& to);

outcome<decided<project_id, project_created>> decide(const record_rows& rows, const create_project& command,
                                                     const settings::people& how, timestamp now);
outcome<decided<project_id, project_edited>> decide(const record_rows& rows, const edit_project& command,
                                                    const settings::people& how, timestamp now);
outcome<decided<project_id, project_archived>> decide(const record_rows& rows, const archive_project& command,
                                                      const settings::people& how, timestamp now);

/// The refusal of a project that is not there.
refusal no_project(project_id which);

// -- categories and chains ---------------------------------------------------------------------

void add_keys(const create_category& command, record_keys& to);
void add_keys(const edit_category& command, record_keys& to);
void add_keys(const create_chain& command, record_keys& to);
void add_keys(const edit_chain& command, record_keys& to);

outcome<decided<category_record, category_saved>> decide(const record_rows& rows, const create_category& command,
                                                         const settings::people& how, timestamp now);
outcome<decided<category_record, category_saved>> decide(const record_rows& rows, const edit_category& command,
                                                         const settings::people& how, timestamp now);
outcome<decided<chain_record, chain_saved>> decide(const record_rows& rows, const create_chain& command,
                                                   const settings::people& how, timestamp now);
outcome<decided<chain_record, chain_saved>> decide(const record_rows& rows, const edit_chain& command,
                                                   const settings::people& how, timestamp now);

/// The refusal of a category or a chain that is not there.
refusal no_category(category_id which);
refusal no_chain(chain_id which);

// -- notifications -----------------------------------------------------------------------------

void add_keys(const mark_notices_read& command, record_keys& to);

/// Always so: whoever asks has read what there is.
outcome<decided<timestamp, notices_read>> decide(const record_rows& rows, const mark_notices_read& command,
                                                 const settings::people& how, timestamp now);

} // namespace credence::reputation
