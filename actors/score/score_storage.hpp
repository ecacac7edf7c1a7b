#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"
#include "actors/score/score_work.hpp"

/// What scores write and read. All of it is derived from records: nothing takes a global number.
namespace credence {

template <>
inline constexpr std::span<const std::string_view> words_of<score::vouch_model> = score::vouch_model_names;

template <>
struct fact<score::score_changed> {
  using of = score::score_changed;
  static constexpr auto name = "score_changed";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{
    field{"user_id", &of::user}, field{"score", &of::score}, field{"points", &of::points}, field{"day", &of::on},
    field{"cause", &of::cause},  field{"at", &of::at},       field{"mark", &of::mark}};
};

template <>
struct fact<score::epoch_begun> {
  using of = score::epoch_begun;
  static constexpr auto name = "epoch_begun";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"day", &of::on}, field{"at", &of::at}};
};

template <>
struct fact<score::epoch_page_turned> {
  using of = score::epoch_page_turned;
  static constexpr auto name = "epoch_page_turned";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"day", &of::on}, field{"step", &of::step}, field{"at", &of::at}};
};

template <>
struct fact<score::vouch_model_turned> {
  using of = score::vouch_model_turned;
  static constexpr auto name = "vouch_model_turned";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"model", &of::model}, field{"at", &of::at}};
};

template <>
struct fact<score::records_recounted> {
  using of = score::records_recounted;
  static constexpr auto name = "records_recounted";
  static constexpr auto numbers = numbering::none;
  static constexpr auto effect = no_effect;
  static constexpr field_list fields{field{"at", &of::at}};
};

namespace score {
/// What is written and what is asked.
struct storage {
  using facts = types<score_changed, epoch_begun, epoch_page_turned, vouch_model_turned, records_recounted>;
  using loads =
    types<load<load_work, stored_work>, load<load_score, stored_score>, load<get_history>, load<get_updates>>;
};
} // namespace score

} // namespace credence
