#include "http/api/score/score_json.hpp"

#include "actors/score/elements.hpp"
#include "auth/address.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>

namespace credence::http {

namespace {

constexpr int digits_max = 12; // behind the point

/// Elements named in public descriptions that this score does not have.
constexpr std::array<std::string_view, 5> left_out{"Reputation Market Impact", "Social Graph Bonus",
                                                   "Influence Bracket", "Invitation Bond", "Ether per Voucher"};

void encode_number(json_writer& to, const score::rational& number) { to.raw(decimal_text(number, digits_max)); }

void encode_figure(json_writer& to, const score::figure& figure) {
  to.text_key(figure.name);
  std::visit(
    [&]<class Value>(const Value& value) {
      if constexpr (std::is_same_v<Value, std::monostate>) {
        to.null();
      } else if constexpr (std::is_same_v<Value, score::rational>) {
        encode_number(to, value);
      } else if constexpr (std::is_same_v<Value, std::vector<slash_id>>) {
        to.begin_array();
        for (const auto each : value)
          to.value(each);
        to.end_array();
      } else {
        to.value(value);
      }
    },
    figure.value);
}

void encode_intervals(json_writer& to, const score::element_rule& rule) {
  to.key("ranges");
  to.begin_array();
  for (const auto& each : rule.intervals) {
    to.begin_object();
    to.field_if("start", each.start);
    to.field_if("end", each.end);
    to.field("score", each.score);
    to.end_object();
  }
  to.end_array();
  to.field("outOfRangeScore", rule.out_of_range);
}

void encode_range(json_writer& to, const score::element_rule& rule) {
  to.key("range");
  to.begin_object();
  to.field("min", rule.min);
  to.field("max", rule.max);
  to.end_object();
}

void encode_element(json_writer& to, const score::element_rule& rule, const score::element_score& element) {
  to.begin_object();
  to.key("element");
  to.begin_object();
  to.field("name", rule.name);
  to.field("type", rule.intervals.empty() ? "LookupNumber" : "LookupInterval");
  if (rule.intervals.empty())
    encode_range(to, rule);
  else
    encode_intervals(to, rule);
  to.key("metadata");
  to.begin_object();
  for (const auto& each : element.made_of)
    encode_figure(to, each);
  to.end_object();
  to.end_object();
  to.key("raw");
  encode_number(to, element.raw);
  to.key("weighted");
  encode_number(to, element.weighted);
  to.field("points", element.points);
  to.field("error", false);
  to.end_object();
}

} // namespace

void encode(json_writer& to, const score::breakdown& breakdown) {
  to.begin_object();
  to.field("score", breakdown.score);
  to.key("elements");
  to.begin_object();
  for (std::size_t at = 0; at < score::element_count; ++at) {
    const auto which = static_cast<score::element>(at);
    if (which == score::element::limits && breakdown.of(which).points == 0)
      continue;
    to.text_key(score::rule_of(which).name);
    encode_element(to, score::rule_of(which), breakdown.of(which));
  }
  to.end_object();
  to.key("metadata");
  to.begin_object();
  to.field("startingScore", breakdown.starting);
  to.field("day", std::string_view{iso_text(timestamp{breakdown.on})}.substr(0, 10));
  to.field("vouchModel", score::vouch_model_names[static_cast<std::size_t>(breakdown.vouches)]);
  to.key("leftOut");
  to.begin_array();
  for (const auto each : left_out)
    to.value(each);
  to.end_array();
  to.end_object();
  to.key("errors");
  to.begin_array();
  to.end_array();
  to.end_object();
}

void encode(json_writer& to, score::progress progress) {
  to.begin_object();
  to.field("status", score::progress_names[static_cast<std::size_t>(progress)]);
  to.field("isQueued", progress == score::progress::queued);
  to.field("isCalculating", progress == score::progress::calculating);
  to.field("isPending", progress != score::progress::idle);
  to.end_object();
}

void encode(json_writer& to, const score::score_history& history) {
  to.begin_array();
  for (const auto& each : history.entries) {
    to.begin_object();
    to.field("date", iso_text(each.at));
    to.field("score", each.score);
    to.field("day", std::string_view{iso_text(timestamp{each.on})}.substr(0, 10));
    to.field("cause", each.cause);
    to.key("points");
    to.begin_object();
    for (std::size_t at = 0; at < std::min(each.points.size(), score::element_count); ++at)
      if (each.points[at] != 0) {
        to.text_key(score::rule_of(static_cast<score::element>(at)).name);
        to.value(each.points[at]);
      }
    to.end_object();
    to.end_object();
  }
  to.end_array();
}

void encode(json_writer& to, const score::score_update& update) {
  const auto key = update.profile  ? "profileId:" + std::to_string(update.profile->value)
                   : update.wallet ? "address:" + auth::checksummed_text(*update.wallet)
                                   : update.account.value_or("userId:" + std::to_string(update.user.value));
  to.begin_object();
  to.field("userkey", key);
  to.field("lastUpdatedAt", iso_text(update.at));
  to.end_object();
}

} // namespace credence::http
