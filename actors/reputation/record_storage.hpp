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

template <>
inline constexpr std::span<const std::string_view> words_of<reputation::invitation_status> =
  reputation::invitation_status_names;
template <>
inline constexpr std::span<const std::string_view> words_of<reputation::verification_method> =
  reputation::verification_method_names;
template <>
inline constexpr std::span<const std::string_view> words_of<reputation::vouch_token> = reputation::vouch_token_names;
template <>
inline constexpr std::span<const std::string_view> words_of<reputation::activity_kind> =
  reputation::activity_kind_names;

// -- reviews ------------------------------------------------------------------

template <>
struct part<reputation::review_record> {
  using of = reputation::review_record;
  static constexpr field_list fields{
    field{"id", &of::id},
    field{"author_profile", &of::author},
    field{"author_address", &of::author_address},
    field{"subject_key", &of::subject, &reputation::subject_ref::name, &reputation::named_subject::key},
    field{"subject_generation", &of::subject, &reputation::subject_ref::generation},
    field{"score", as_number<std::int16_t>(&of::score)},
    field{"comment", &of::comment},
    field{"metadata", &of::metadata},
    field{"archived", &of::archived},
    field{"created_at", &of::created_at},
    field{"updated_at", &of::updated_at},
    field{"edits", &of::edits},
    field{"taken_down", &of::taken_down}};
};

template <>
struct fact<reputation::review_created> : numbered<reputation::review_created> {
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::review_record>::fields);
};

template <>
struct fact<reputation::review_edited> : without_effect<reputation::review_edited> {
  static constexpr field_list fields{field{"id", &of::id}, field{"comment", &of::comment},
                                     field{"metadata", &of::metadata}, field{"edits", &of::edits},
                                     field{"updated_at", &of::at}};
};

template <>
struct fact<reputation::review_archived> : without_effect<reputation::review_archived> {
  static constexpr field_list fields{field{"id", &of::id}, field{"archived", &of::archived},
                                     field{"updated_at", &of::at}, field{"taken_down", &of::taken_down}};
};

// -- vouches ------------------------------------------------------------------

template <>
struct part<reputation::vouch_record> {
  using of = reputation::vouch_record;
  static constexpr field_list fields{
    field{"number", &of::id},
    field{"author_profile", &of::author},
    field{"author_address", &of::author_address},
    field{"subject_key", &of::subject, &reputation::subject_ref::name, &reputation::named_subject::key},
    field{"subject_generation", &of::subject, &reputation::subject_ref::generation},
    field{"subject_profile", &of::subject_profile},
    field{"token", &of::token},
    field{"staked", &of::staked},
    field{"deposited", &of::deposited},
    field{"balance", &of::balance},
    field{"withdrawn", &of::withdrawn},
    field{"comment", &of::comment},
    field{"metadata", &of::metadata},
    field{"archived", &of::archived},
    field{"unhealthy", &of::unhealthy},
    field{"vouched_at", &of::vouched_at},
    field{"unvouched_at", &of::unvouched_at},
    field{"unhealthy_at", &of::unhealthy_at}};
};

template <>
struct fact<reputation::vouch_created> : numbered<reputation::vouch_created> {
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::vouch_record>::fields);
};

template <>
struct fact<reputation::vouch_moved> : without_effect<reputation::vouch_moved> {
  static constexpr field_list fields{field{"number", &of::id},
                                     field{"staked", &of::staked},
                                     field{"deposited", &of::deposited},
                                     field{"balance", &of::balance},
                                     field{"withdrawn", &of::withdrawn},
                                     field{"archived", &of::archived},
                                     field{"at", &of::at}};
};

template <>
struct fact<reputation::vouch_marked_unhealthy> : without_effect<reputation::vouch_marked_unhealthy> {
  static constexpr field_list fields{field{"number", &of::id}, field{"unhealthy_at", &of::at}};
};

// -- replies and votes on activities ------------------------------------------

template <>
struct part<reputation::reply_record> {
  using of = reputation::reply_record;
  static constexpr field_list fields{field{"id", &of::id},
                                     field{"author_profile", &of::author},
                                     field{"target_kind", &of::on, &reputation::activity::kind},
                                     field{"target_id", &of::on, &reputation::activity::id},
                                     field{"parent_id", &of::parent},
                                     field{"content", &of::content},
                                     field{"metadata", &of::metadata},
                                     field{"created_at", &of::created_at},
                                     field{"updated_at", &of::updated_at},
                                     field{"edits", &of::edits},
                                     field{"pinned", &of::pinned}};
};

template <>
struct fact<reputation::reply_created> : numbered<reputation::reply_created> {
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::reply_record>::fields);
};

template <>
struct fact<reputation::reply_edited> : without_effect<reputation::reply_edited> {
  static constexpr field_list fields{field{"id", &of::id}, field{"content", &of::content},
                                     field{"metadata", &of::metadata}, field{"edits", &of::edits},
                                     field{"updated_at", &of::at}};
};

template <>
struct part<reputation::activity_vote> {
  using of = reputation::activity_vote;
  static constexpr field_list fields{field{"kind", &of::on, &reputation::activity::kind},
                                     field{"target_id", &of::on, &reputation::activity::id},
                                     field{"voter", &of::voter},
                                     field{"number", &of::number},
                                     field{"upvote", &of::upvote},
                                     field{"archived", &of::archived},
                                     field{"created_at", &of::created_at},
                                     field{"updated_at", &of::updated_at}};
};

template <>
struct fact<reputation::activity_voted> : without_effect<reputation::activity_voted> {
  static constexpr auto fields = within(&of::vote, part<reputation::activity_vote>::fields);
};

// -- profiles, their addresses and invitations --------------------------------

template <>
struct part<reputation::fresh_user> {
  using of = reputation::fresh_user;
  static constexpr field_list fields{field{"display_name", &of::display_name}, field{"avatar_url", &of::avatar_url}};
};

template <>
struct fact<reputation::profile_created> : numbered<reputation::profile_created> {
  static std::string effect(const of& made) { return std::to_string(made.id.value); }
  static constexpr field_list fields{
    field{"id", &of::id},           field{"user_id", &of::user},       field{"fresh", &of::fresh},
    field{"address", &of::account}, field{"invited_by", &of::inviter}, field{"created_at", &of::at}};
};

template <>
struct fact<reputation::profile_archived> : unnumbered<reputation::profile_archived> {
  static std::string effect(const of& done) { return std::to_string(done.id.value); }
  static constexpr field_list fields{field{"id", &of::id}, field{"user_id", &of::user},
                                     field{"archived", &of::archived}, field{"updated_at", &of::at}};
};

template <>
struct part<reputation::profile_texts> {
  using of = reputation::profile_texts;
  static constexpr field_list fields{field{"display_name", &of::display_name}, field{"username", &of::username},
                                     field{"avatar_url", &of::avatar_url}, field{"description", &of::description}};
};

template <>
struct fact<reputation::profile_edited> : unnumbered<reputation::profile_edited> {
  static std::string effect(const of& done) { return std::to_string(done.id.value); }
  static constexpr field_list fields{field{"id", &of::id}, field{"user_id", &of::user}, field{"texts", &of::texts},
                                     field{"updated_at", &of::at}};
};

template <>
struct fact<reputation::address_linked> : unnumbered<reputation::address_linked> {
  static std::string effect(const of& done) { return std::to_string(done.profile.value); }
  static constexpr field_list fields{field{"address", &of::account}, field{"user_id", &of::user},
                                     field{"before", &of::before},   field{"merges", &of::merges},
                                     field{"primary", &of::primary}, field{"at", &of::at}};
};

template <>
struct fact<reputation::address_unlinked> : unnumbered<reputation::address_unlinked> {
  static std::string effect(const of& done) { return std::to_string(done.profile.value); }
  static constexpr field_list fields{field{"address", &of::account},
                                     field{"profile_id", &of::profile},
                                     field{"to_user", &of::to},
                                     field{"display_name", &of::fresh, &reputation::fresh_user::display_name},
                                     field{"avatar_url", &of::fresh, &reputation::fresh_user::avatar_url},
                                     field{"generation", &of::generation},
                                     field{"primary", &of::primary},
                                     field{"at", &of::at}};
};

template <>
struct part<reputation::invitation_record> {
  using of = reputation::invitation_record;
  static constexpr field_list fields{
    field{"id", &of::id},          field{"sender", &of::sender},         field{"recipient", &of::recipient},
    field{"status", &of::status},  field{"invited_at", &of::invited_at}, field{"accepted_at", &of::accepted_at},
    field{"profile", &of::profile}};
};

template <>
struct fact<reputation::invitation_sent> : numbered<reputation::invitation_sent> {
  static std::string effect(const of& sent) { return std::to_string(sent.id.value); }
  static constexpr field_list fields{field{"id", &of::id}, field{"sender", &of::sender},
                                     field{"recipient", &of::recipient}, field{"invited_at", &of::at}};
};

template <>
struct fact<reputation::invitation_withdrawn> : unnumbered<reputation::invitation_withdrawn> {
  static std::string effect(const of& done) { return std::to_string(done.id.value); }
  static constexpr field_list fields{field{"id", &of::id}, field{"sender", &of::sender}};
};

// -- projects, but for votes on them, and their catalogue ---------------------

template <>
struct part<listing::link> {
  using of = listing::link;
  static constexpr field_list fields{field{"type", &of::type}, field{"url", &of::url}};
};

template <>
struct part<reputation::team_member> {
  using of = reputation::team_member;
  static constexpr field_list fields{field{"profile_id", &of::profile}, field{"role", &of::role},
                                     field{"manager", &of::manager}};
};

template <>
struct part<reputation::project_record> {
  using of = reputation::project_record;
  using details = reputation::project_details;
  /// The row of its own; lists lie in other tables.
  static constexpr field_list row{field{"id", &of::id},
                                  field{"user_id", &of::user},
                                  field{"userkey", &of::userkey},
                                  field{"archived", &of::archived},
                                  field{"description", &of::details, &details::description},
                                  field{"banner_image_url", &of::details, &details::banner_image_url},
                                  field{"is_promoted", &of::details, &details::promoted},
                                  field{"show_archived", &of::details, &details::show_archived},
                                  field{"created_at", &of::created_at},
                                  field{"updated_at", &of::updated_at}};
  static constexpr field_list fields{field{"userkey", &of::userkey},
                                     field{"description", &of::details, &details::description},
                                     field{"banner_image_url", &of::details, &details::banner_image_url},
                                     field{"links", &of::details, &details::links},
                                     field{"team", &of::details, &details::team},
                                     field{"categories", &of::details, &details::categories},
                                     field{"chains", &of::details, &details::chains}};
};

template <>
struct fact<reputation::project_created> : numbered<reputation::project_created> {
  static std::string effect(const of& made) { return std::to_string(made.record.id.value); }
  static constexpr field_list fields{field{"project", &of::record}, field{"shown", &of::shown}};
};

template <>
struct fact<reputation::project_edited> : without_effect<reputation::project_edited> {
  static constexpr field_list fields{field{"project", &of::record}, field{"shown", &of::shown}};
};

template <>
struct fact<reputation::project_archived> : without_effect<reputation::project_archived> {
  static constexpr field_list fields{field{"id", &of::id}, field{"archived", &of::archived},
                                     field{"updated_at", &of::at}};
};

template <>
struct part<reputation::category_record> {
  using of = reputation::category_record;
  static constexpr field_list fields{field{"id", &of::id},
                                     field{"name", &of::name},
                                     field{"slug", &of::slug},
                                     field{"description", &of::description},
                                     field{"show_on_leaderboard", &of::on_leaderboard},
                                     field{"show_in_daily_service", &of::in_daily_service},
                                     field{"banner_image_url", &of::banner_image_url}};
};

template <>
struct fact<reputation::category_saved> : unnumbered<reputation::category_saved> {
  static std::string effect(const of& saved) { return std::to_string(saved.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::category_record>::fields);
};

template <>
struct part<reputation::chain_record> {
  using of = reputation::chain_record;
  static constexpr field_list fields{field{"id", &of::id}, field{"name", &of::name}, field{"url", &of::url},
                                     field{"icon_url", &of::icon_url}};
};

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
  static constexpr field_list fields{field{"id", &of::id},
                                     field{"profile_id", or_null(&of::profile)},
                                     field{"key", &of::name, &reputation::named_subject::key},
                                     field{"username", &of::username},
                                     field{"url", &of::url},
                                     field{"evidence", &of::evidence},
                                     field{"archived", &of::archived},
                                     field{"created_at", &of::created_at},
                                     field{"updated_at", &of::updated_at}};
};

template <>
struct fact<reputation::account_attested>
  : unnumbered<reputation::account_attested> { // one row changes its profile, however often
  static std::string effect(const of& done) { return std::to_string(done.record.id.value); }
  static constexpr auto fields = within(&of::record, part<reputation::attestation_record>::fields);
};

template <>
struct fact<reputation::attestation_archived> : without_effect<reputation::attestation_archived> {
  static constexpr field_list fields{field{"id", &of::id}, field{"archived", &of::archived},
                                     field{"updated_at", &of::at}};
};

// -- human verification and bonds ---------------------------------------------

template <>
struct part<reputation::verification_record> {
  using of = reputation::verification_record;
  static constexpr field_list fields{
    field{"profile_id", &of::profile},    field{"user_id", &of::user},          field{"verified", &of::verified},
    field{"method", &of::method},         field{"comment", &of::comment},       field{"decided_by", &of::by},
    field{"created_at", &of::created_at}, field{"updated_at", &of::updated_at}, field{"verified_at", &of::verified_at}};
};

template <>
struct fact<reputation::verification_decided>
  : unnumbered<reputation::verification_decided> { // one row a person, however often it changes
  static std::string effect(const of& done) { return std::to_string(done.record.profile.value); }
  static constexpr auto fields = within(&of::record, part<reputation::verification_record>::fields);
};

template <>
struct part<reputation::bond_record> {
  using of = reputation::bond_record;
  /// Without its end, which comes later.
  static constexpr field_list fields{
    field{"id", &of::id},
    field{"author_profile", &of::author},
    field{"subject_key", &of::subject, &reputation::subject_ref::name, &reputation::named_subject::key},
    field{"subject_generation", &of::subject, &reputation::subject_ref::generation},
    field{"subject_profile", &of::subject_profile},
    field{"bond_type", &of::type},
    field{"amount", &of::amount},
    field{"amount_type", &of::amount_type},
    field{"statement", &of::statement},
    field{"method", &of::method},
    field{"comment", &of::comment},
    field{"expires_at", &of::expires_at},
    field{"created_at", &of::created_at},
    field{"updated_at", &of::updated_at}};
};

template <>
struct fact<reputation::bond_created> : numbered<reputation::bond_created> {
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static constexpr auto fields =
    within(&of::record, part<reputation::bond_record>::fields, field{"created_by", &of::by});
};

template <>
struct fact<reputation::bond_archived> : without_effect<reputation::bond_archived> {
  static constexpr field_list fields{field{"id", &of::id}, field{"archived_at", &of::end, &reputation::bond_end::at},
                                     field{"archived_by", &of::end, &reputation::bond_end::by},
                                     field{"archive_reason", &of::end, &reputation::bond_end::reason}};
};

template <>
struct fact<reputation::bond_expiration_set> : without_effect<reputation::bond_expiration_set> {
  static constexpr field_list fields{field{"id", &of::id}, field{"expires_at", &of::expires_at},
                                     field{"updated_at", &of::at}};
};

// -- notifications ------------------------------------------------------------

template <>
struct fact<reputation::notices_read> : unnumbered<reputation::notices_read> { // one row a profile
  static std::string effect(const of& done) { return std::to_string(done.to.time_since_epoch().count()); }
  static constexpr field_list fields{field{"profile_id", &of::whose}, field{"read_to", &of::to}};
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
