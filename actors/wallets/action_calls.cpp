#include "actors/wallets/action_calls.hpp"

#include "actors/chain/abi.hpp"
#include "actors/chain/calls.hpp"
#include "actors/wallets/failure_reason.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <stdexcept>
#include <utility>

namespace credence::wallets {

namespace {

constexpr std::size_t declaration_bytes_max = 2048;
constexpr std::size_t parameters_max = 32;
constexpr int depth_max = 4;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}
bool is_name(std::string_view text) {
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9')
         && std::all_of(text.begin(), text.end(), is_name_character);
}

/// The bits of `uint…`; 0 for every other type.
unsigned bits_of(std::string_view type) {
  if (type == "uint")
    return 256;
  if (!type.starts_with("uint"))
    return 0;
  const auto digits = type.substr(4);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool good = error == std::errc{} && end == digits.data() + digits.size() && digits.front() != '0';
  return good && bits <= 256 && bits % 8 == 0 ? bits : 0;
}

const named_value* find(std::span<const named_value> values, std::string_view name) {
  const auto found =
    std::find_if(values.begin(), values.end(), [=](const named_value& each) { return each.name == name; });
  return found == values.end() ? nullptr : &*found;
}

} // namespace

// -- reading -----------------------------------------------------------------------------

/// Reads from left to right; throws std::invalid_argument with what is wrong.
struct call_signature::parser {
  std::string_view rest;
  std::size_t parameters = 0;

  void skip_blanks() { rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size())); }
  bool take(char wanted) {
    skip_blanks();
    if (rest.empty() || rest.front() != wanted)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    skip_blanks();
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_character) - rest.begin();
    const auto out = rest.substr(0, static_cast<std::size_t>(end));
    rest.remove_prefix(out.size());
    return out;
  }

  /// Behind a type: its name, perhaps after where the value lies.
  std::string name() {
    auto out = word();
    if (out == "memory" || out == "calldata")
      out = word();
    if (!out.empty() && !is_name(out))
      throw std::invalid_argument("'" + std::string{out} + "' is no name of a parameter");
    return std::string{out};
  }

  std::vector<parameter> list(int depth) {
    if (!take('('))
      throw std::invalid_argument("a parenthesis is missing");
    if (depth > depth_max)
      throw std::invalid_argument("there are tuples within tuples within tuples");
    std::vector<parameter> out;
    if (take(')'))
      return out;
    do
      out.push_back(one(depth));
    while (take(','));
    if (!take(')'))
      throw std::invalid_argument("behind a parameter there must be a comma or a parenthesis");
    return out;
  }

  parameter one(int depth) {
    if (++parameters > parameters_max)
      throw std::invalid_argument("there are too many parameters");
    parameter out;
    skip_blanks();
    if (rest.starts_with('(')) {
      out.kind = type::tuple;
      out.members = list(depth + 1);
      if (out.members.empty())
        throw std::invalid_argument("a tuple is empty");
    } else {
      const auto spelled = word();
      out.bits = bits_of(spelled);
      out.kind = out.bits != 0          ? type::number
                 : spelled == "bool"    ? type::flag
                 : spelled == "address" ? type::account
                 : spelled == "string"  ? type::text
                 : spelled == "bytes"   ? type::bytes
                 : spelled == "bytes32"
                   ? type::word
                   : throw std::invalid_argument("'" + std::string{spelled} + "' is no type that is known");
    }
    out.name = name();
    return out;
  }
};

outcome<call_signature, std::string> call_signature::parse(std::string_view declaration) {
  if (declaration.size() > declaration_bytes_max)
    return std::string{"it is too long"};
  parser in{declaration};
  call_signature out;
  out.name_ = in.word();
  if (!is_name(out.name_))
    return std::string{"it must begin with the name of a function"};
  try {
    out.parameters_ = in.list(0);
  } catch (const std::invalid_argument& why) {
    return std::string{why.what()};
  }
  in.skip_blanks();
  if (!in.rest.empty())
    return "'" + harmless(in.rest, 40) + "' is behind its parameters";
  out.canonical_ = out.name_ + list_of(out.parameters_);
  return out;
}

std::string call_signature::list_of(const std::vector<parameter>& parameters) {
  std::string out{"("};
  for (const auto& each : parameters)
    out.append(out.size() > 1 ? "," : "").append(each.canonical());
  return out + ")";
}

std::string call_signature::parameter::canonical() const {
  switch (kind) {
    case type::number: return "uint" + std::to_string(bits);
    case type::flag: return "bool";
    case type::account: return "address";
    case type::text: return "string";
    case type::bytes: return "bytes";
    case type::word: return "bytes32";
    case type::tuple: return list_of(members);
  }
  return {};
}

bool call_signature::parameter::dynamic() const {
  return kind == type::text || kind == type::bytes
         || std::any_of(members.begin(), members.end(), [](const parameter& each) { return each.dynamic(); });
}

std::size_t call_signature::parameter::head_bytes() const {
  if (dynamic() || kind != type::tuple)
    return 32;
  std::size_t sum = 0;
  for (const auto& each : members)
    sum += each.head_bytes();
  return sum;
}

std::string call_signature::selector() const { return chain::selector_of(canonical_); }

// -- calling -----------------------------------------------------------------------------

bool call_signature::fits(const parameter& wanted, const call_value& value) {
  switch (wanted.kind) {
    case type::number: return std::holds_alternative<uint256>(value);
    case type::flag: return std::holds_alternative<bool>(value);
    case type::account: return std::holds_alternative<address>(value);
    case type::text: return std::holds_alternative<call_text>(value);
    case type::bytes: return std::holds_alternative<call_bytes>(value);
    case type::word:
    case type::tuple: return false;
  }
  return false;
}

std::optional<std::string> call_signature::mismatch_in(const std::vector<parameter>& parameters,
                                                       std::span<const named_value> values) {
  for (const auto& each : parameters) {
    if (each.kind == type::tuple) {
      if (auto wrong = mismatch_in(each.members, values))
        return wrong;
      continue;
    }
    const auto* value = find(values, each.name);
    if (value && fits(each, value->value))
      continue;
    if (value)
      return "the parameter '" + each.name + "' cannot be of the type " + each.canonical();
    std::string known;
    for (const auto& named : values)
      known.append(known.empty() ? "" : ", ").append(named.name);
    return (each.name.empty() ? "a parameter of the type " + each.canonical() + " has no name"
                              : "there is no value called '" + each.name + "'")
           + "; values are: " + known;
  }
  return std::nullopt;
}

std::optional<std::string> call_signature::mismatch(std::span<const named_value> values) const {
  return mismatch_in(parameters_, values);
}

std::string call_signature::tuple_of(const std::vector<parameter>& parameters, std::span<const named_value> values) {
  std::size_t heads = 0;
  for (const auto& each : parameters)
    heads += each.head_bytes();
  std::string head, tail;
  for (const auto& each : parameters)
    if (each.dynamic()) {
      chain::detail::append_word(head, chain::word_of_small(heads + tail.size()));
      append(tail, each, values);
    } else
      append(head, each, values);
  return head + tail;
}

void call_signature::append(std::string& to, const parameter& wanted, std::span<const named_value> values) {
  if (wanted.kind == type::tuple) {
    to += tuple_of(wanted.members, values);
    return;
  }
  const auto& value = find(values, wanted.name)->value;
  switch (wanted.kind) {
    case type::number: {
      const auto& number = std::get<uint256>(value);
      if (wanted.bits < 256 && (number >> wanted.bits) != 0)
        throw std::range_error("the value of '" + wanted.name + "' does not fit into " + wanted.canonical());
      return chain::solidity<uint256>::append(to, number);
    }
    case type::flag: return chain::solidity<bool>::append(to, std::get<bool>(value));
    case type::account: return chain::solidity<address>::append(to, std::get<address>(value));
    case type::text: return chain::solidity<std::string>::append(to, std::get<call_text>(value).value);
    default: break;
  }
  const auto& bytes = std::get<call_bytes>(value).value;
  chain::detail::append_word(to, chain::word_of_small(bytes.size()));
  chain::detail::append_padded(to, std::as_bytes(std::span{bytes}));
}

std::string call_signature::call_with(std::span<const named_value> values) const {
  if (const auto wrong = mismatch(values))
    throw std::invalid_argument(canonical_ + ": " + *wrong);
  return selector() + tuple_of(parameters_, values);
}

// -- showing -----------------------------------------------------------------------------

std::string call_signature::show(std::span<const std::byte> data) const {
  constexpr std::size_t text_most = 100;
  chain::decoding shared;
  chain::word_reader in{data, shared};
  std::string out = name_ + "(";
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    out += i > 0 ? ", " : "";
    const auto kind = parameters_[i].kind;
    if (kind == type::number)
      out += decimal(chain::unsigned_of(in.next()));
    else if (kind == type::flag)
      out += chain::solidity<bool>::read(in) ? "true" : "false";
    else if (kind == type::account)
      out += checksummed_text(chain::solidity<address>::read(in));
    else if (kind == type::word) {
      out += "0x";
      append_hex(out, in.next());
    } else if (kind == type::text) {
      auto there = in.follow();
      const auto bytes = there.next_bytes(there.next_length(chain::text_bytes_max));
      out += "'" + harmless({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, text_most) + "'";
    } else
      return canonical_;
  }
  return in.good() ? out + ")" : canonical_;
}

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
