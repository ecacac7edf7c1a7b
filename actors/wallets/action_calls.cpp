#include "actors/wallets/action_calls.hpp"

#include <array>
#include <span>

namespace credence::wallets {

namespace {

using chain::contract_kind;

/// Where an action's function is, what lists call it, and its setting.
struct description {
  contract_kind contract;
  std::string_view kind;
  std::string_view setting;
  std::string settings::wallet_functions::*declaration;
  bool optional = false;
};
using functions = settings::wallet_functions;
/// By the numbers of `action`.
constexpr std::array<description, 9> descriptions{{
  {contract_kind::review, "review", "add_review", &functions::add_review},
  {contract_kind::review, "review_edit", "edit_review", &functions::edit_review},
  {contract_kind::review, "review_archive", "archive_review", &functions::archive_review},
  {contract_kind::vote, "vote", "vote", &functions::vote},
  {contract_kind::discussion, "reply", "add_reply", &functions::add_reply},
  {contract_kind::profile, "invite", "invite", &functions::invite},
  {contract_kind::profile, "uninvite", "uninvite", &functions::uninvite},
  {contract_kind::bond, "bond", "create_bond", &functions::create_bond, true},
  {contract_kind::bond, "bond_archive", "archive_bond", &functions::archive_bond, true},
}};

template <class Tag>
uint256 number_of(chain::onchain_id<Tag> id) {
  return uint256{id.value};
}

// What each function is offered. The same lists check the settings.

auto values_of(const review_call& review) {
  return std::array{named_value{"score", uint256{static_cast<unsigned>(review.score)}},
                    named_value{"subject", review.subject},
                    named_value{"paymentToken", review.payment_token},
                    named_value{"comment", call_text{review.comment}},
                    named_value{"metadata", call_text{review.metadata}},
                    named_value{"account", call_text{review.account}},
                    named_value{"service", call_text{review.service}}};
}
auto review_texts(chain::onchain_review review, const std::string& comment, const std::string& metadata) {
  return std::array{named_value{"reviewId", number_of(review)}, named_value{"comment", call_text{comment}},
                    named_value{"metadata", call_text{metadata}}};
}
auto values_of(chain::onchain_review review) { return std::array{named_value{"reviewId", number_of(review)}}; }
auto values_of(const vote_call& vote) {
  return std::array{named_value{"targetContract", vote.target_contract},
                    named_value{"targetId", number_of(vote.target)}, named_value{"isUpvote", vote.upvote}};
}
auto values_of(const reply_call& reply) {
  return std::array{named_value{"targetContract", reply.target_contract},
                    named_value{"parentId", number_of(reply.parent)}, named_value{"content", call_text{reply.content}},
                    named_value{"metadata", call_text{reply.metadata}}};
}
auto values_of(const address& invitee) { return std::array{named_value{"invitee", invitee}}; }
auto values_of(const bond_call& bond) {
  return std::array{named_value{"subjectProfileId", number_of(bond.subject)},
                    named_value{"bondType", call_text{bond.bond_type}},
                    named_value{"amount", call_text{bond.amount}},
                    named_value{"amountType", call_text{bond.amount_type}},
                    named_value{"statement", call_text{bond.statement}},
                    named_value{"expiration", call_text{bond.expiration}},
                    named_value{"randValue", bond.random_value},
                    named_value{"signature", call_bytes{bond.signature}}};
}
auto values_of(const bond_end_call& end) {
  return std::array{named_value{"bondId", number_of(end.bond)}, named_value{"archiveReason", call_text{end.reason}},
                    named_value{"randValue", end.random_value}, named_value{"signature", call_bytes{end.signature}}};
}

template <class Values>
std::vector<named_value> listed(const Values& values) {
  return {values.begin(), values.end()};
}

/// The values that each function is offered, by the numbers of `action`.
std::array<std::vector<named_value>, descriptions.size()> offered() {
  return {
    listed(values_of(review_call{})), listed(review_texts({}, {}, {})), listed(values_of(chain::onchain_review{})),
    listed(values_of(vote_call{})),   listed(values_of(reply_call{})),  listed(values_of(address{})),
    listed(values_of(address{})),     listed(values_of(bond_call{})),   listed(values_of(bond_end_call{}))};
}

} // namespace

outcome<action_calls, std::vector<std::string>> action_calls::from(const settings::wallet_functions& declared) {
  static_assert(descriptions.size() == actions);
  const auto values = offered();
  action_calls out;
  std::vector<std::string> mistakes;
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    const auto& text = declared.*descriptions[i].declaration;
    if (text.empty() && descriptions[i].optional)
      continue;
    auto read = call_signature::parse(text);
    const auto wrong = read ? read->mismatch(values[i]) : std::optional{read.why()};
    if (wrong)
      mistakes.push_back("wallets.functions." + std::string{descriptions[i].setting} + ": " + *wrong);
    else
      out.declared_[i] = *std::move(read);
  }
  if (!mistakes.empty())
    return mistakes;
  return out;
}

contract_action action_calls::call(action which, std::span<const named_value> values) const {
  const auto& about = descriptions[which];
  return {about.contract, declared_[which]->call_with(values), wei{0}, std::string{about.kind}};
}

contract_action action_calls::add_review(const review_call& order) const {
  auto out = call(review, values_of(order));
  out.value = order.fee;
  return out;
}
contract_action action_calls::edit_review(chain::onchain_review which, const std::string& comment,
                                          const std::string& metadata) const {
  return call(review_edit, review_texts(which, comment, metadata));
}
contract_action action_calls::archive_review(chain::onchain_review which) const {
  return call(review_archive, values_of(which));
}
contract_action action_calls::vote(const vote_call& order) const { return call(vote_cast, values_of(order)); }
contract_action action_calls::add_reply(const reply_call& order) const { return call(reply, values_of(order)); }
contract_action action_calls::invite(const address& invitee) const { return call(invitation, values_of(invitee)); }
contract_action action_calls::uninvite(const address& invitee) const {
  return call(invitation_end, values_of(invitee));
}

std::optional<contract_action> action_calls::create_bond(const bond_call& order) const {
  return declared_[bond] ? std::optional{call(bond, values_of(order))} : std::nullopt;
}
std::optional<contract_action> action_calls::archive_bond(const bond_end_call& order) const {
  return declared_[bond_end] ? std::optional{call(bond_end, values_of(order))} : std::nullopt;
}

std::vector<allowed_call> action_calls::allowed() const {
  std::vector<allowed_call> out;
  for (std::size_t i = 0; i < descriptions.size(); ++i)
    if (const auto& each = declared_[i])
      out.push_back({descriptions[i].contract, each->selector(), each->canonical(), descriptions[i].kind});
  return out;
}

} // namespace credence::wallets
