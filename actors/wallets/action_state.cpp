#include "actors/wallets/action_state.hpp"

#include "actors/reputation/record_rules.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace credence::wallets {

namespace {

refusal in_no_contract(std::string_view what, std::int32_t id) {
  return {refusal_code::not_found, std::string{what} + " " + std::to_string(id) + " is in no contract"};
}

/// The id that the contract gave; refused where the offset says that none did.
template <class Onchain>
outcome<Onchain> onchain_of(std::string_view what, std::int32_t id, std::int32_t offset) {
  if (id <= offset)
    return in_no_contract(what, id);
  return Onchain{id - offset};
}

/// Where an activity is on chain.
struct place {
  address contract;
  chain::onchain_target target;
};
static_assert(std::all_of(reputation::activity_kind_names.begin(), reputation::activity_kind_names.end(),
                          [](std::string_view name) { return chain::contract_named(name).has_value(); }));
outcome<place> place_of(const action_rules& rules, const reputation::activity& on) {
  // Clients call the kinds of activities by the names of the contracts that hold them.
  const auto found = rules.contracts.find(chain::contract_named(name_of(on.kind)).value_or(chain::contract_kind::any));
  if (found == rules.contracts.end() || on.id < rules.id_offset)
    return in_no_contract(name_of(on.kind), on.id);
  return place{found->second, {on.id - rules.id_offset}};
}

outcome<contract_action> if_declared(std::optional<contract_action> action) {
  if (action)
    return *std::move(action);
  return refusal{refusal_code::endpoint_disabled,
                 "the settings of this service declare no function of the contract of bonds for this"};
}

} // namespace

outcome<contract_action> action_rules::decide(const reputation::create_review& command,
                                              std::optional<profile_id> whose) const {
  if (whose == command.author)
    return reputation::reviews_itself(command.author);
  review_call review;
  review.score = static_cast<chain::review_score>(command.score);
  if (const auto& account = command.subject.account) {
    review.account = account->id;
    review.service = people::name_of(account->service);
  } else
    review.subject = command.subject.key.wallet().value_or(address{});
  review.comment = command.comment;
  review.metadata = command.metadata;
  return calls.add_review(review);
}

outcome<contract_action> action_rules::decide(const reputation::edit_review& command,
                                              const reputation::review_record& now) const {
  const auto review = onchain_of<chain::onchain_review>("review", command.id.value, id_offset);
  if (!review)
    return review.why();
  return calls.edit_review(*review, command.comment.value_or(now.comment), command.metadata.value_or(now.metadata));
}

outcome<contract_action> action_rules::decide(const reputation::archive_review& command) const {
  const auto review = onchain_of<chain::onchain_review>("review", command.id.value, id_offset);
  if (!review)
    return review.why();
  return calls.archive_review(*review);
}

outcome<contract_action> action_rules::vote(const reputation::activity& on, bool upvote) const {
  const auto at = place_of(*this, on);
  if (!at)
    return at.why();
  auto out = calls.vote({at->contract, at->target, upvote});
  out.not_beside = {out.data, calls.vote({at->contract, at->target, !upvote}).data};
  return out;
}

outcome<contract_action> action_rules::decide(const reputation::put_vote& command,
                                              const reputation::activity_vote* now) const {
  if (command.wish == reputation::vote_wish::stand)
    return vote(command.on, command.upvote);
  if (!now)
    return reputation::no_vote_to_withdraw(command.on);
  return vote(command.on, now->upvote);
}

outcome<contract_action> action_rules::decide(const reputation::create_reply& command) const {
  const auto at = place_of(*this, command.on);
  if (!at)
    return at.why();
  return calls.add_reply({at->contract, at->target, command.content, command.metadata});
}

outcome<contract_action> action_rules::decide(const bond_call& command) const {
  const auto subject = onchain_of<chain::onchain_profile>("profile", command.subject.value, id_offset);
  if (!subject)
    return subject.why();
  auto onchain = command;
  onchain.subject = *subject;
  return if_declared(calls.create_bond(onchain));
}

outcome<contract_action> action_rules::decide(const bond_end_call& command) const {
  const auto bond = onchain_of<chain::onchain_bond>("bond", command.bond.value, id_offset);
  if (!bond)
    return bond.why();
  auto onchain = command;
  onchain.bond = *bond;
  return if_declared(calls.archive_bond(onchain));
}

} // namespace credence::wallets
