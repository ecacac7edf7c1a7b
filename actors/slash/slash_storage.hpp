#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/slash/slash_types.hpp"

/// What slashes write and read.
namespace credence {

template <>
struct fact<slash::slash_opened> {
  using of = slash::slash_opened;
  static constexpr auto name = "slash_opened";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& fresh) { return std::to_string(fresh.record.id.value); }
  static const std::optional<address>& wallet(const of& fresh) { return fresh.record.subject.wallet; }
  static std::optional<std::string_view> service(const of& fresh) {
    const auto& account = fresh.record.subject.account;
    return account ? std::optional{people::name_of(account->service)} : std::nullopt;
  }
  static std::optional<std::string_view> account(const of& fresh) {
    return fresh.record.subject.account ? std::optional<std::string_view>{fresh.record.subject.account->id}
                                        : std::nullopt;
  }
  static std::optional<user_id> user(const of& fresh) {
    return fresh.record.subject.user ? std::optional{fresh.record.subject.user} : std::nullopt;
  }
  static std::optional<profile_id> profile(const of& fresh) {
    const auto& who = fresh.record.subject.profile;
    return who && *who ? who : std::nullopt;
  }
  static slash_id id(const of& fresh) { return fresh.record.id; }
  static profile_id author(const of& fresh) { return fresh.record.author; }
  static std::string_view type(const of& fresh) {
    return slash::type_names[static_cast<std::size_t>(fresh.record.type)];
  }
  static std::int64_t amount(const of& fresh) { return fresh.record.amount; }
  static std::int64_t duration(const of& fresh) { return fresh.record.lasts.count(); }
  static const std::string& comment(const of& fresh) { return fresh.record.comment; }
  static const std::string& metadata(const of& fresh) { return fresh.record.metadata; }
  static timestamp created_at(const of& fresh) { return fresh.record.created_at; }
  static constexpr field_list fields{field{"subject_address", &wallet},
                                     field{"subject_service", &service},
                                     field{"subject_account", &account},
                                     field{"subject_user_id", &user},
                                     field{"subject_profile_id", &profile},
                                     field{"id", &id},
                                     field{"author_id", &author},
                                     field{"type", &type},
                                     field{"amount", &amount},
                                     field{"duration_s", &duration},
                                     field{"comment", &comment},
                                     field{"metadata", &metadata},
                                     field{"created_at", &created_at}};
};

template <>
struct fact<slash::slash_voted> {
  using of = slash::slash_voted;
  static constexpr auto name = "slash_voted";
  static constexpr auto numbers = numbering::hidden;
  static std::string effect(const of& vote) { return std::to_string(vote.weight); }
  static bool for_slash(const of& vote) { return vote.side == slash::vote_side::slash; }
  static constexpr field_list fields{field{"slash_id", &of::slash}, field{"number", &of::number},
                                     field{"voter_id", &of::voter}, field{"for_slash", &for_slash},
                                     field{"weight", &of::weight},  field{"cast_at", &of::at}};
};

template <>
struct fact<slash::slash_closed> {
  using of = slash::slash_closed;
  static constexpr auto name = "slash_closed";
  static constexpr auto numbers = numbering::hidden;
  static constexpr auto effect = no_effect;
  static timestamp closed_at(const of& closed) { return closed.end.at; }
  static std::string_view outcome(const of& closed) {
    return slash::verdict_names[static_cast<std::size_t>(closed.end.how)];
  }
  static std::int64_t slash_weight(const of& closed) { return closed.end.votes.slash; }
  static std::int64_t defend_weight(const of& closed) { return closed.end.votes.defend; }
  static constexpr field_list fields{field{"id", &of::slash}, field{"closed_at", &closed_at},
                                     field{"outcome", &outcome}, field{"slash_weight", &slash_weight},
                                     field{"defend_weight", &defend_weight}};
};

namespace slash {
/// What is written and what is asked.
struct storage {
  using facts = types<slash_opened, slash_voted, slash_closed>;
  using loads = types<load<load_open_slashes, stored_open_slashes>, load<load_ballots, stored_ballots>,
                      load<load_slash, found_slash>, load<find_slashes, slash_page>, load<load_roles, stored_roles>,
                      load<load_xp_at_hand, xp_at_hand>>;
};
} // namespace slash

} // namespace credence
