#include "http/api/markets/orders.hpp"

#include <algorithm>

namespace credence::http::v2 {

namespace {

using market::direction;
using market::vote_side;

std::optional<market::order> order_from(json_body& body) {
  market::order out;
  const auto action = body.text("action");
  if (!action || (*action != "buy" && *action != "sell"))
    body.issue("action must be buy or sell" + (action ? ", not " + shown(*action) : std::string{}));
  else
    out.way = *action == "buy" ? direction::buy : direction::sell;
  const auto side = body.text("voteType");
  if (!side || (*side != "trust" && *side != "distrust"))
    body.issue("voteType must be trust or distrust" + (side ? ", not " + shown(*side) : std::string{}));
  else
    out.side = *side == "trust" ? vote_side::trust : vote_side::distrust;
  out.votes = body.integer("votes");
  if (out.votes && (*out.votes < 1 || *out.votes > limits::trade_votes_max))
    body.issue("votes must be from 1 to " + std::to_string(limits::trade_votes_max) + ", not "
               + std::to_string(*out.votes));
  out.maximum_cost = read_wei(body, "maximumCost");
  if (!body.good())
    return std::nullopt;
  if (out.way == direction::sell && out.maximum_cost)
    body.issue("maximumCost is for buying; a sale may have minimumProceeds");
  if (!out.votes && (out.way == direction::sell || !out.maximum_cost))
    body.issue(out.way == direction::sell ? "votes is required: how many to sell" : "votes or maximumCost is required");
  return out;
}

std::optional<timestamp> read_deadline(json_body& body) {
  switch (body.kind_of("deadline")) {
    case json_body::kind::absent:
    case json_body::kind::null: return std::nullopt;
    case json_body::kind::integer:
      if (const auto seconds = *body.integer("deadline"); seconds >= 0 && seconds <= limits::unix_seconds_max)
        return timestamp{std::chrono::seconds{seconds}};
      break;
    case json_body::kind::text:
      if (const auto when = parse_moment(*body.text("deadline"), day_edge::end))
        return when;
      break;
    default: break;
  }
  body.issue("deadline must be Unix seconds or an ISO 8601 time such as 2026-03-01T12:00:00Z");
  return std::nullopt;
}

} // namespace

std::optional<wei> read_wei(json_body& from, std::string_view name) {
  switch (from.kind_of(name)) {
    case json_body::kind::absent:
    case json_body::kind::null: return std::nullopt;
    case json_body::kind::integer:
      if (const auto number = *from.integer(name); number >= 0)
        return wei{number};
      break;
    case json_body::kind::text:
      if (auto number = parse_bigint(*from.text(name)); number && *number <= transfer_wei_max)
        return number;
      break;
    default: break;
  }
  from.issue(std::string{name} + " must be wei as a decimal string such as \"10000000000000000\", at most 10^36");
  return std::nullopt;
}

outcome<market::order> read_order(parameters& given, std::string_view market, std::string_view text) {
  const auto id = given.path_id<market_id>("profileId", market);
  if (!given.good())
    return given.why();
  auto body = json_body::parse(text);
  if (!body)
    return body.why();
  auto out = order_from(*body);
  if (!out || !body->good())
    return body->why();
  out->market = id;
  return *std::move(out);
}

outcome<market::place_trade> read_trade(parameters& given, std::string_view market, std::string_view text,
                                        profile_id trader) {
  const auto id = given.path_id<market_id>("profileId", market);
  constexpr std::array<std::string_view, 2> words{"false", "true"};
  const auto dry = given.choice("dryRun", words);
  if (!given.good())
    return given.why();
  auto body = json_body::parse(text);
  if (!body)
    return body.why();
  auto wanted = order_from(*body);
  market::place_trade out;
  out.minimum_proceeds = read_wei(*body, "minimumProceeds");
  if (wanted && wanted->way == direction::buy && out.minimum_proceeds)
    body->issue("minimumProceeds is for selling; a purchase may have maximumCost");
  out.expected_sequence = body->integer("expectedSequence");
  if (out.expected_sequence && *out.expected_sequence < 0)
    body->issue("expectedSequence must not be negative");
  out.deadline = read_deadline(*body);
  if (!wanted || !body->good())
    return body->why();
  wanted->market = id;
  out.order = *std::move(wanted);
  out.trader = trader;
  out.dry_run = dry == 1u;
  return out;
}

outcome<market::open_market> read_opening(std::string_view text, profile_id owner) {
  auto body = json_body::parse(text);
  if (!body)
    return body.why();
  const auto word = body->text("configType");
  const auto found = std::find(market::tier_names.begin(), market::tier_names.end(), word.value_or(""));
  if (found == market::tier_names.end())
    body->issue("configType must be VOLATILE, NORMAL or INSULATED" + (word ? ", not " + shown(*word) : std::string{}));
  if (!body->good())
    return body->why();
  return market::open_market{owner, static_cast<market::tier>(found - market::tier_names.begin())};
}

outcome<funds::move_funds> read_transfer(std::string_view text, funds::flow way) {
  auto body = json_body::parse(text);
  if (!body)
    return body.why();
  const auto profile = body->integer("profileId");
  if (!profile || *profile < 1 || *profile > limits::id_max)
    body->issue("profileId must be from 1 to " + std::to_string(limits::id_max));
  auto amount = read_wei(*body, "amount");
  if (body->good() && (!amount || *amount == 0))
    return refusal{refusal_code::invalid_amount, "amount must be a positive number of wei, as a decimal string"};
  const auto reference = body->text("reference").value_or("");
  if (characters(reference) > limits::transfer_reference_length_max)
    body->issue("reference must have at most " + std::to_string(limits::transfer_reference_length_max) + " characters");
  if (!body->good())
    return body->why();
  return funds::move_funds{profile_id{static_cast<std::int32_t>(*profile)}, way, *std::move(amount),
                           std::string{reference}};
}

} // namespace credence::http::v2
