#pragma once

#include "actors/chain/text_types.hpp"
#include "actors/kernel/fact.hpp"

/// What reading texts of contracts writes.
namespace credence {

template <>
inline constexpr std::span<const std::string_view> words_of<chain::text_kind> = chain::text_kind_names;
template <>
inline constexpr std::span<const std::string_view> words_of<chain::text_state> = chain::text_state_names;

template <>
struct part<chain::read_account> {
  using of = chain::read_account;
  static constexpr field_list fields{field{"service", &of::service}, field{"account", &of::account},
                                     field{"hash", &of::hash}};
};

template <>
struct part<chain::text_reading> {
  using of = chain::text_reading;
  static constexpr field_list fields{field{"kind", &of::of, &chain::wanted_text::kind},
                                     field{"id", &of::of, &chain::wanted_text::id},
                                     field{"stamp", &of::stamp},
                                     field{"state", &of::state},
                                     field{"reason", &of::reason},
                                     field{"text", &of::text},
                                     field{"metadata", &of::metadata},
                                     field{"parent", &of::parent},
                                     field{"parent_is_target", &of::parent_is_target},
                                     field{"next_at", &of::next_at},
                                     field{"wallet", &of::wallet},
                                     field{"account", &of::account},
                                     field{"amount", &of::amount},
                                     field{"person", &of::person},
                                     field{"expires_at", &of::expires_at}};
};

template <>
struct fact<chain::texts_read> {
  using of = chain::texts_read;
  static constexpr auto name = "texts_read";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"texts", &of::texts}, field{"at", &of::at}};
};

} // namespace credence
