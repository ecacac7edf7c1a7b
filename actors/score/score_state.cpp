#include "actors/score/score_state.hpp"

#include "actors/score/score_facts.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace credence::score {

namespace {

/// Divisor of an author's epoch score: what remains is the coefficient of a review.
constexpr std::int64_t coefficient_unit = 2100;

/// The first id at x.com that holds a time lies above this; ids hold the milliseconds since `x_epoch` from bit 22 on.
constexpr std::uint64_t x_sequential_max = 1'000'000'000'000;
constexpr std::chrono::milliseconds x_epoch{1'288'834'974'657};
constexpr day x_sequential_until{std::chrono::year{2015} / 12 / 31};

/// An age of something that is not known: outside of every interval.
constexpr std::int64_t unknown_age = -1;

struct curve {
  std::int64_t cap = 0;  // what it approaches
  std::int64_t pace = 0; // where it has come half the way
};

/// cap * x / (x + pace) of a number that is not negative, x = numerator / denominator.
rational along(const curve& shape, const uint256& numerator, const uint256& denominator) {
  return {wei_change{numerator * shape.cap}, numerator + denominator * shape.pace};
}

/// The same of a whole number.
rational along(const curve& shape, std::int64_t x) { return along(shape, uint256{x}, uint256{1}); }

rational negative(const rational& number) { return {-number.numerator(), number.denominator()}; }

rational looked_up(const element_rule& rule, const rational& raw) {
  const auto found = std::find_if(rule.intervals.begin(), rule.intervals.end(), [&](const interval& each) {
    return !(each.start && raw < *each.start) && !(each.end && raw >= *each.end);
  });
  return rational{found == rule.intervals.end() ? rule.out_of_range : found->score};
}

rational kept_within(const element_rule& rule, const rational& raw) {
  if (raw < rule.min)
    return rational{rule.min};
  return raw > rule.max ? rational{rule.max} : raw;
}

element_score scored(element which, rational raw, std::vector<figure> made_of) {
  const auto& rule = rule_of(which);
  element_score out;
  out.weighted = rule.intervals.empty() ? kept_within(rule, raw) : looked_up(rule, raw);
  out.points = static_cast<std::int32_t>(out.weighted.truncated());
  out.raw = std::move(raw);
  out.made_of = std::move(made_of);
  return out;
}

/// `2026-11-22`
std::string text_of(day which) { return iso_text(timestamp{which}).substr(0, 10); }

std::int64_t age_of(day since, day on) { return std::max<std::int64_t>((on - since).count(), 0); }

element_score address_age(const score_inputs& of, day on) {
  if (!of.first_seen)
    return scored(element::address_age, rational{unknown_age}, {{"firstSeen", {}}});
  return scored(element::address_age, rational{age_of(*of.first_seen, on)}, {{"firstSeen", text_of(*of.first_seen)}});
}

element_score x_account_age(const score_inputs& of, day on) {
  if (!of.x_account)
    return scored(element::x_account_age, rational{unknown_age}, {{"account", {}}});
  const auto opened = opening_of(*of.x_account);
  return scored(
    element::x_account_age, rational{age_of(opened.day, on)},
    {{"account", std::to_string(*of.x_account)}, {opened.exact ? "opened" : "openedBy", text_of(opened.day)}});
}

element_score reviews(const score_inputs& of) {
  constexpr curve good{270, 54};
  constexpr curve bad{800, 54};
  const auto coefficient = [&](sentiment which) {
    return rational{wei_change{of.of(which).author_scores}, uint256{coefficient_unit}};
  };
  const auto x = of.of(sentiment::positive).author_scores - of.of(sentiment::negative).author_scores; // in 2100ths
  auto raw = x >= 0 ? along(good, uint256{x}, uint256{coefficient_unit})
                    : negative(along(bad, uint256{-x}, uint256{coefficient_unit}));
  return scored(element::reviews, std::move(raw),
                {{"positive", of.of(sentiment::positive).count},
                 {"neutral", of.of(sentiment::neutral).count},
                 {"negative", of.of(sentiment::negative).count},
                 {"positiveCoefficients", coefficient(sentiment::positive)},
                 {"neutralCoefficients", coefficient(sentiment::neutral)},
                 {"negativeCoefficients", coefficient(sentiment::negative)}});
}

element_score vouched_ether(const score_inputs& of, day on, vouch_model model) {
  const auto days = wei_days(of.vouches, on);
  const bool hardened = model == vouch_model::hardened;
  const uint256 unit = wei_per_ether * (hardened ? 2 : 1); // the later proposal halves x
  auto raw = along(hardened ? curve{270, 45} : curve{270, 26}, days, unit);
  return scored(element::vouched_ether, std::move(raw),
                {{"etherDays", rational{wei_change{days}, wei_per_ether}},
                 {"youngWei", decimal(of.vouches.young)},
                 {"matureWei", decimal(of.vouches.mature)}});
}

element_score votes(const score_inputs& of) {
  const auto v = of.votes_up - of.votes_down;
  constexpr curve shape{50, 50};
  return scored(element::votes, v >= 0 ? along(shape, v) : negative(along(shape, -v)),
                {{"weightUp", of.votes_up}, {"weightDown", of.votes_down}});
}

element_score unhealthy(const score_inputs& of) {
  constexpr std::int64_t each = 10;
  return scored(element::unhealthy_vouches, rational{wei_change{-each} * of.unhealthy, uint256{1}},
                {{"vouches", of.unhealthy}});
}

/// The penalties of the parties of slashes, or those of supporters.
element_score penalties(element which, const score_inputs& of) {
  std::int64_t points = 0;
  std::vector<slash_id> slashes;
  for (const auto& each : of.penalties)
    if (const bool party = each.reason == penalty_reason::subject || each.reason == penalty_reason::author;
        party == (which == element::slashes)) {
      points += each.points;
      slashes.push_back(each.slash);
    }
  const auto count = static_cast<std::int64_t>(slashes.size());
  if (count > slashes_listed_max)
    slashes.erase(slashes.begin(), slashes.end() - slashes_listed_max);
  return scored(which, rational{-points}, {{"count", count}, {"slashes", std::move(slashes)}});
}

element_score inviter(const score_inputs& of) {
  if (!of.inviter_score)
    return scored(element::inviter, {}, {{"inviterScore", {}}});
  return scored(element::inviter, {wei_change{*of.inviter_score - people::neutral_score}, uint256{40}},
                {{"inviterScore", std::int64_t{*of.inviter_score}}});
}

} // namespace

uint256 wei_days(const vouch_sums& sums, day on) {
  if (on < sums.as_of || (sums.young != 0 && on > sums.as_of + std::chrono::days{1}))
    throw std::out_of_range("sums of vouches are of " + text_of(sums.as_of) + ", a score of " + text_of(on)
                            + " needs later ones");
  const uint256 grown = sums.young * on.time_since_epoch().count() + sums.mature * vouch_matures_after.count();
  return grown - sums.young_days;
}

x_account_opening opening_of(std::uint64_t x_account) {
  if (x_account <= x_sequential_max)
    return {x_sequential_until, false};
  const std::chrono::milliseconds since_epoch{static_cast<std::int64_t>(x_account >> 22)};
  return {
    std::chrono::floor<std::chrono::days>(std::chrono::sys_time<std::chrono::milliseconds>{x_epoch + since_epoch}),
    true};
}

std::optional<std::uint64_t> parse_x_account(std::string_view text) {
  std::uint64_t id = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, id);
  if (read.ec != std::errc{} || read.ptr != end || text.front() == '0')
    return std::nullopt;
  return id;
}

std::int32_t inviter_points(std::int32_t inviter_score) {
  score_inputs alone;
  alone.inviter_score = inviter_score;
  return inviter(alone).points;
}

breakdown breakdown_of(const score_inputs& inputs, day on, score_options options) {
  constexpr std::int64_t human_points = 100;
  breakdown out;
  out.on = on;
  out.vouches = options.vouches;
  out.starting = inputs.starting;
  auto set = [&](element which, element_score score) {
    out.elements[static_cast<std::size_t>(which)] = std::move(score);
  };
  set(element::address_age, address_age(inputs, on));
  set(element::x_account_age, x_account_age(inputs, on));
  set(element::reviews, reviews(inputs));
  set(element::vouched_ether, vouched_ether(inputs, on, options.vouches));
  set(element::vouchers, scored(element::vouchers, along({270, 26}, inputs.vouchers), {{"vouchers", inputs.vouchers}}));
  set(element::mutual_vouches, scored(element::mutual_vouches, along({100, 10}, inputs.mutual_vouchers),
                                      {{"vouchers", inputs.mutual_vouchers}}));
  set(element::votes, votes(inputs));
  set(element::unhealthy_vouches, unhealthy(inputs));
  set(element::slashes, penalties(element::slashes, inputs));
  set(element::support, penalties(element::support, inputs));
  set(element::human_verified, scored(element::human_verified, rational{inputs.human_verified ? human_points : 0}, {}));
  set(element::inviter, inviter(inputs));
  auto sum = inputs.starting;
  for (const auto& each : out.elements) // the limits are still 0
    sum += each.points;
  out.score = std::clamp(sum, 0, score_max);
  set(element::limits, scored(element::limits, rational{out.score - sum}, {{"sum", std::int64_t{sum}}}));
  return out;
}

std::vector<std::int32_t> points_of(const breakdown& breakdown) {
  std::vector<std::int32_t> out;
  for (const auto& each : breakdown.elements)
    out.push_back(each.points);
  return out;
}

score_inputs with_assumed(score_inputs inputs, const assumed_records& records, day on) {
  for (const auto& each : records.reviews)
    apply(inputs, review_counted{direction::in, each.how, each.author_score});
  if (records.ether > 0)
    apply(inputs, vouch_part_counted{direction::in, {records.ether, on - records.vouched}, on});
  inputs.vouchers += records.vouchers;
  inputs.votes_up += records.votes_up;
  inputs.votes_down += records.votes_down;
  if (records.slashed > 0) // slashes have ids from 0 on
    apply(inputs, penalty_counted{direction::in,
                                  {slash_id{-1}, penalty_reason::subject,
                                   static_cast<std::int32_t>(std::min<std::int64_t>(records.slashed, score_max))}});
  return inputs;
}

} // namespace credence::score
