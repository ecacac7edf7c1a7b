#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/slash/slash_types.hpp"

/// What slashes write and read.
namespace credence {

template <>
struct part<slash::subject> {
  using of = slash::subject;
  static std::optional<std::string_view> service(const of& who) {
    return who.account ? std::optional{people::name_of(who.account->service)} : std::nullopt;
  }
  static std::optional<std::string_view> account(const of& who) {
    return who.account ? std::optional<std::string_view>{who.account->id} : std::nullopt;
  }
  static std::optional<profile_id> profile(const of& who) {
    return who.profile && *who.profile ? who.profile : std::nullopt;
  }
  static constexpr field_list fields{field{"subject_address", &of::wallet}, field{"subject_service", &service},
                                     field{"subject_account", &account}, field{"subject_user_id", or_null(&of::user)},
                                     field{"subject_profile_id", &profile}};
};

template <>
struct part<slash::slash_record> {
  using of = slash::slash_record;
  /// Without its subject, and its end, which comes later.
  static constexpr auto fields = joined_lists(CREDENCE_FIELDS(of, id, (author_id, author), type),
                                              field{"amount", as_number<std::int32_t>(&of::amount)},
                                              CREDENCE_FIELDS(of, (duration_s, lasts), comment, metadata, created_at));
};

template <>
struct fact<slash::slash_opened> : numbered<slash::slash_opened> {
  using record = slash::slash_record;
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static constexpr auto fields =
    joined_lists(within(&of::record, within(&record::subject, part<slash::subject>::fields)),
                 within(&of::record, part<record>::fields));
};

template <>
struct fact<slash::slash_voted> : numbered<slash::slash_voted> {
  static std::string effect(const of& vote) { return std::to_string(vote.weight); }
  static constexpr auto fields =
    joined_lists(CREDENCE_FIELDS(of, (slash_id, slash), number, (voter_id, voter)),
                 field{"for_slash", flag(&of::side, slash::vote_side::slash, slash::vote_side::defend)},
                 CREDENCE_FIELDS(of, weight, (cast_at, at)));
};

template <>
struct fact<slash::slash_closed> : numbered<slash::slash_closed> {
  using end = slash::closing;
  static constexpr bool alone = true; // it may cost a thousand people
  static constexpr auto effect = no_effect;
  static constexpr auto fields = CREDENCE_FIELDS(of, (id, slash), (closed_at, end, &end::at), (outcome, end, &end::how),
                                                 (slash_weight, end, &end::votes, &slash::weights::slash),
                                                 (defend_weight, end, &end::votes, &slash::weights::defend));
};

namespace slash {
/// What is written and what is asked.
struct storage {
  using facts = types<slash_opened, slash_voted, slash_closed>;
  using loads =
    types<load<load_open_slashes, stored_open_slashes>, load<load_ballots, stored_ballots>, load_if_there<get_slash>,
          load<find_slashes, slash_page>, load<load_roles, stored_roles>, load<load_xp_at_hand, xp_at_hand>>;
};
} // namespace slash

} // namespace credence
