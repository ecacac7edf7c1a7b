#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/slash/slash_types.hpp"

/// What slashes write and read.
namespace credence {

template <>
inline constexpr std::span<const std::string_view> words_of<slash::slash_type> = slash::type_names;
template <>
inline constexpr std::span<const std::string_view> words_of<slash::verdict> = slash::verdict_names;
template <>
inline constexpr std::span<const std::string_view> words_of<slash::role> = slash::role_names;

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
  static constexpr field_list fields{field{"id", &of::id},
                                     field{"author_id", &of::author},
                                     field{"type", &of::type},
                                     field{"amount", as_number<std::int32_t>(&of::amount)},
                                     field{"duration_s", &of::lasts},
                                     field{"comment", &of::comment},
                                     field{"metadata", &of::metadata},
                                     field{"created_at", &of::created_at}};
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
  static constexpr field_list fields{
    field{"slash_id", &of::slash},
    field{"number", &of::number},
    field{"voter_id", &of::voter},
    field{"for_slash", flag(&of::side, slash::vote_side::slash, slash::vote_side::defend)},
    field{"weight", &of::weight},
    field{"cast_at", &of::at}};
};

template <>
struct fact<slash::slash_closed> : numbered<slash::slash_closed> {
  using end = slash::closing;
  static constexpr bool alone = true; // it may cost a thousand people
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"id", &of::slash}, field{"closed_at", &of::end, &end::at},
                                     field{"outcome", &of::end, &end::how},
                                     field{"slash_weight", &of::end, &end::votes, &slash::weights::slash},
                                     field{"defend_weight", &of::end, &end::votes, &slash::weights::defend}};
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
