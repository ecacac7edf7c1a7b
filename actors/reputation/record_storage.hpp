#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/profile/signed_nonce.hpp"
#include "actors/reputation/attestation_types.hpp"
#include "actors/reputation/bond_types.hpp"
#include "actors/reputation/catalogue_types.hpp"
#include "actors/reputation/join_types.hpp"
#include "actors/reputation/list_types.hpp"
#include "actors/reputation/notice_types.hpp"
#include "actors/reputation/project_record_types.hpp"
#include "actors/reputation/record_rows.hpp"
#include "actors/reputation/reply_types.hpp"
#include "actors/reputation/review_types.hpp"
#include "actors/reputation/verification_types.hpp"
#include "actors/reputation/vouch_types.hpp"

/// The columns of records, and what is written of each: a record's list of fields makes its rows when they are written
/// and reads them again.
namespace credence {

// -- reviews ------------------------------------------------------------------

template <>
struct part<reputation::review_record> {
  using of = reputation::review_record;
  static constexpr auto fields = joined_lists(
    CREDENCE_FIELDS(of, id, (author_profile, author), author_address,
                    (subject_key, subject, &reputation::subject_ref::name, &reputation::named_subject::key),
                    (subject_generation, subject, &reputation::subject_ref::generation)),
    field{"score", as_number<std::int16_t>(&of::score)},
    CREDENCE_FIELDS(of, comment, metadata, archived, created_at, updated_at, edits, taken_down));
};

template <>
struct fact<reputation::review_created> : numbered<reputation::review_created> {
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::review_record>::fields);
};

CREDENCE_FACT(without_effect, reputation::review_edited, id, comment, metadata, edits, (updated_at, at));
CREDENCE_FACT(without_effect, reputation::review_archived, id, archived, (updated_at, at), taken_down);

// -- vouches ------------------------------------------------------------------

CREDENCE_PART(reputation::vouch_record, (number, id), (author_profile, author), author_address,
              (subject_key, subject, &reputation::subject_ref::name, &reputation::named_subject::key),
              (subject_generation, subject, &reputation::subject_ref::generation), subject_profile, token, staked,
              deposited, balance, withdrawn, comment, metadata, archived, unhealthy, vouched_at, unvouched_at,
              unhealthy_at);

template <>
struct fact<reputation::vouch_created> : numbered<reputation::vouch_created> {
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::vouch_record>::fields);
};

CREDENCE_FACT(without_effect, reputation::vouch_moved, (number, id), staked, deposited, balance, withdrawn, archived,
              at);
CREDENCE_FACT(without_effect, reputation::vouch_marked_unhealthy, (number, id), (unhealthy_at, at));

// -- replies and votes on activities ------------------------------------------

CREDENCE_PART(reputation::reply_record, id, (author_profile, author), (target_kind, on, &reputation::activity::kind),
              (target_id, on, &reputation::activity::id), (parent_id, parent), content, metadata, created_at,
              updated_at, edits, pinned);

template <>
struct fact<reputation::reply_created> : numbered<reputation::reply_created> {
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::reply_record>::fields);
};

CREDENCE_FACT(without_effect, reputation::reply_edited, id, content, metadata, edits, (updated_at, at));
CREDENCE_PART(reputation::activity_vote, (kind, on, &reputation::activity::kind),
              (target_id, on, &reputation::activity::id), voter, number, upvote, archived, created_at, updated_at);

template <>
struct fact<reputation::activity_voted> : without_effect<reputation::activity_voted> {
  static constexpr auto fields = within(&of::vote, part<reputation::activity_vote>::fields);
};

// -- profiles, their addresses and invitations --------------------------------

CREDENCE_PART(reputation::fresh_user, display_name, avatar_url);

template <>
struct fact<reputation::profile_created> : numbered<reputation::profile_created> {
  static std::string effect(const of& made) { return std::to_string(made.id.value); }
  static constexpr auto fields =
    CREDENCE_FIELDS(of, id, (user_id, user), fresh, (address, account), (invited_by, inviter), (created_at, at));
};

template <>
struct fact<reputation::profile_archived> : unnumbered<reputation::profile_archived> {
  static std::string effect(const of& done) { return std::to_string(done.id.value); }
  static constexpr auto fields = CREDENCE_FIELDS(of, id, (user_id, user), archived, (updated_at, at));
};

CREDENCE_PART(reputation::profile_texts, display_name, username, avatar_url, description);

template <>
struct fact<reputation::profile_edited> : unnumbered<reputation::profile_edited> {
  static std::string effect(const of& done) { return std::to_string(done.id.value); }
  static constexpr auto fields = CREDENCE_FIELDS(of, id, (user_id, user), texts, (updated_at, at));
};

template <>
struct fact<reputation::address_linked> : unnumbered<reputation::address_linked> {
  static std::string effect(const of& done) { return std::to_string(done.profile.value); }
  static constexpr auto fields = CREDENCE_FIELDS(of, (address, account), (user_id, user), before, merges, primary, at);
};

template <>
struct fact<reputation::address_unlinked> : unnumbered<reputation::address_unlinked> {
  static std::string effect(const of& done) { return std::to_string(done.profile.value); }
  static constexpr auto fields =
    CREDENCE_FIELDS(of, (address, account), (profile_id, profile), (to_user, to),
                    (display_name, fresh, &reputation::fresh_user::display_name),
                    (avatar_url, fresh, &reputation::fresh_user::avatar_url), generation, primary, at);
};

CREDENCE_PART(reputation::invitation_record, id, sender, recipient, status, invited_at, accepted_at, profile);

template <>
struct fact<reputation::invitation_sent> : numbered<reputation::invitation_sent> {
  static std::string effect(const of& sent) { return std::to_string(sent.id.value); }
  static constexpr auto fields = CREDENCE_FIELDS(of, id, sender, recipient, (invited_at, at));
};

template <>
struct fact<reputation::invitation_withdrawn> : unnumbered<reputation::invitation_withdrawn> {
  static std::string effect(const of& done) { return std::to_string(done.id.value); }
  static constexpr auto fields = CREDENCE_FIELDS(of, id, sender);
};

// -- projects, but for votes on them, and their catalogue ---------------------

CREDENCE_PART(listing::link, type, url);
CREDENCE_PART(reputation::team_member, (profile_id, profile), role, manager);

template <>
struct part<reputation::project_record> {
  using of = reputation::project_record;
  using details = reputation::project_details;
  /// The row of its own; lists lie in other tables.
  static constexpr auto row =
    CREDENCE_FIELDS(of, id, (user_id, user), userkey, archived, (description, details, &details::description),
                    (banner_image_url, details, &details::banner_image_url), (is_promoted, details, &details::promoted),
                    (show_archived, details, &details::show_archived), created_at, updated_at);
  static constexpr auto fields = CREDENCE_FIELDS(
    of, userkey, (description, details, &details::description), (banner_image_url, details, &details::banner_image_url),
    (links, details, &details::links), (team, details, &details::team), (categories, details, &details::categories),
    (chains, details, &details::chains));
};

template <>
struct fact<reputation::project_created> : numbered<reputation::project_created> {
  static std::string effect(const of& made) { return std::to_string(made.record.id.value); }
  static constexpr auto fields = CREDENCE_FIELDS(of, (project, record), shown);
};

CREDENCE_FACT(without_effect, reputation::project_edited, (project, record), shown);
CREDENCE_FACT(without_effect, reputation::project_archived, id, archived, (updated_at, at));
CREDENCE_PART(reputation::category_record, id, name, slug, description, (show_on_leaderboard, on_leaderboard),
              (show_in_daily_service, in_daily_service), banner_image_url);

template <>
struct fact<reputation::category_saved> : unnumbered<reputation::category_saved> {
  static std::string effect(const of& saved) { return std::to_string(saved.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::category_record>::fields);
};

CREDENCE_PART(reputation::chain_record, id, name, url, icon_url);

template <>
struct fact<reputation::chain_saved> : unnumbered<reputation::chain_saved> {
  static std::string effect(const of& saved) { return std::to_string(saved.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::chain_record>::fields);
};

// -- attestations -------------------------------------------------------------

template <>
struct part<reputation::attestation_record> {
  using of = reputation::attestation_record;
  /// Without the account itself, which the row of one that nobody has named on chain does not know.
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, id), field{"profile_id", or_null(&of::profile)},
                 CREDENCE_FIELDS(of, (key, name, &reputation::named_subject::key), username, url, evidence, archived,
                                 created_at, updated_at));
};

template <>
struct fact<reputation::account_attested>
  : unnumbered<reputation::account_attested> { // one row changes its profile, however often
  static std::string effect(const of& done) { return std::to_string(done.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::attestation_record>::fields);
};

CREDENCE_FACT(without_effect, reputation::attestation_archived, id, archived, (updated_at, at));

// -- human verification and bonds ---------------------------------------------

CREDENCE_PART(reputation::verification_record, (profile_id, profile), (user_id, user), verified, method, comment,
              (decided_by, by), created_at, updated_at, verified_at);

template <>
struct fact<reputation::verification_decided>
  : unnumbered<reputation::verification_decided> { // one row a person, however often it changes
  static std::string effect(const of& done) { return std::to_string(done.record.profile.value); }
  static constexpr auto fields = within(&of::record, part<reputation::verification_record>::fields);
};

/// Without its end, which comes later.
CREDENCE_PART(reputation::bond_record, id, (author_profile, author),
              (subject_key, subject, &reputation::subject_ref::name, &reputation::named_subject::key),
              (subject_generation, subject, &reputation::subject_ref::generation), subject_profile, (bond_type, type),
              amount, amount_type, statement, method, comment, expires_at, created_at, updated_at);

template <>
struct fact<reputation::bond_created> : numbered<reputation::bond_created> {
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static constexpr auto fields =
    within(&of::record, part<reputation::bond_record>::fields, field{"created_by", &of::by});
};

CREDENCE_FACT(without_effect, reputation::bond_archived, id, (archived_at, end, &reputation::bond_end::at),
              (archived_by, end, &reputation::bond_end::by), (archive_reason, end, &reputation::bond_end::reason));
CREDENCE_FACT(without_effect, reputation::bond_expiration_set, id, expires_at, (updated_at, at));

// -- notifications ------------------------------------------------------------

template <>
struct fact<reputation::notices_read> : unnumbered<reputation::notices_read> { // one row a profile
  static std::string effect(const of& done) { return std::to_string(done.to.time_since_epoch().count()); }
  static constexpr auto fields = CREDENCE_FIELDS(of, (profile_id, whose), (read_to, to));
};

} // namespace credence

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
    joined<types<load<load_records, stored_records>, load_if_there<get_review>, load_if_there<get_invitation>,
                 load_if_there<get_vouch>, load_if_there<get_reply>, load_if_there<get_vote>, load_if_there<get_team>,
                 load<get_categories>, load<get_chains>, load<get_category_users>, load<get_user_categories>,
                 load_if_there<get_attestation>, load<get_verification>, load_if_there<get_bond>>,
           list_loads>;
};

} // namespace credence::reputation
