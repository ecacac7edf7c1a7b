#include "actors/chain/contract_texts.hpp"

#include "actors/chain/calls.hpp"
#include "actors/chain/chain_records.hpp"
#include "actors/chain/events.hpp"
#include "actors/domain/hash.hpp"

#include <algorithm>
#include <utility>

namespace credence::chain {

namespace {

using namespace std::chrono_literals;

constexpr std::int32_t doublings_max = 12; // beyond an hour

/// The contract that keeps what is wanted.
contract_kind source_of(text_kind kind) {
  switch (kind) {
    case text_kind::review: return contract_kind::review;
    case text_kind::reply: return contract_kind::discussion;
    case text_kind::vouch: return contract_kind::vouch;
    case text_kind::bond: return contract_kind::bond;
    case text_kind::inviter: return contract_kind::profile;
    case text_kind::balance: return contract_kind::whuffie;
  }
  return contract_kind::any;
}

std::optional<address> contract_of(contract_kind kind, const follow_settings& how) {
  for (const auto& [where, which] : how.contracts)
    if (which == kind)
      return where;
  return std::nullopt;
}

/// Thrown where a contract did not return what is wanted.
struct not_returned {
  std::string why;
};
/// What a contract returned; throws `not_returned`.
template <class T>
T returned(outcome<T, decode_error> found) {
  if (!found)
    throw not_returned{std::string{name_of(found.why())}};
  return *std::move(found);
}
template <class T>
T returned(outcome<T, std::string> found) {
  if (!found)
    throw not_returned{found.why()};
  return *std::move(found);
}

/// Our id for one that a contract named. Throws `not_returned` where it is beyond the greatest.
std::int32_t ours(const uint256& onchain, std::int32_t id_offset) {
  if (onchain > static_cast<std::uint64_t>(limits::id_max - id_offset))
    throw not_returned{std::string{name_of(decode_error::id_out_of_range)}};
  return static_cast<std::int32_t>(onchain) + id_offset;
}

bool is_account(const std::string& service, const std::string& account) {
  return std::find(people::service_names.begin(), people::service_names.end(), service) != people::service_names.end()
         && !account.empty() && account.size() <= limits::account_id_length_max;
}

/// A mapping of a contract is all zeros where there is no such record.
void expect_this(bool record) {
  if (!record)
    throw not_returned{"other_record"};
}

text_reading review_in(std::int32_t onchain, const std::vector<std::byte>& data) {
  auto found = returned(decode_values<called_review>(data));
  expect_this(found.id.value == onchain && found.author != address{});
  text_reading out;
  out.text = std::move(found.comment);
  out.metadata = std::move(found.metadata);
  if (auto& [account, service] = found.details; is_account(service, account))
    out.account = read_account{service, account, attestation_hash(service, account)};
  return out;
}

text_reading vouch_in(std::int32_t onchain, const std::vector<std::byte>& data) {
  auto found = returned(decode_values<called_vouch>(data));
  expect_this(found.id.value == onchain && found.author_address != address{});
  text_reading out;
  out.text = std::move(found.comment);
  out.metadata = std::move(found.metadata);
  out.wallet = found.author_address;
  out.amount = found.balance;
  return out;
}

text_reading reply_in(std::int32_t onchain, std::int32_t id_offset, const std::vector<std::byte>& data) {
  auto found = returned(decode_values<called_replies>(data)).replies;
  expect_this(found.size() == 1 && found.front().id.value == onchain && found.front().target != address{});
  auto& reply = found.front();
  text_reading out;
  out.parent = ours(reply.parent.value, id_offset);
  out.text = std::move(reply.content);
  out.metadata = std::move(reply.metadata);
  out.parent_is_target = reply.parent_is_original;
  return out;
}

text_reading read_bond(std::int32_t onchain, const follow_settings& how, const std::vector<std::byte>& data) {
  auto found = returned(bond_in(how.bonds.value(), onchain, data));
  text_reading out;
  out.person = profile_id{ours(found.subject, how.id_offset)};
  out.text = std::move(found.statement);
  if (const auto at = expiration_in(found.expiration))
    out.expires_at = time_of(*at);
  return out;
}

text_reading read_inviter(const follow_settings& how, const std::vector<std::byte>& data) {
  const auto found = returned(inviter_in(how.invites.value(), data));
  if (found == 0)
    throw not_returned{"no_inviter"};
  text_reading out;
  out.person = profile_id{ours(found, how.id_offset)};
  return out;
}

text_reading read_balance(const std::vector<std::byte>& data) {
  text_reading out;
  out.amount = returned(decode_values<called_balance>(data)).balance;
  return out;
}

text_reading record_in(const wanted_text& of, const follow_settings& how, const call_answer& answer) {
  if (answer.how == call_answer::ending::reverted)
    throw not_returned{"reverted"};
  if (answer.how == call_answer::ending::too_large)
    throw not_returned{std::string{name_of(decode_error::too_long)}};
  if (answer.data.empty())
    throw not_returned{"no_contract"};
  const auto onchain = of.id - how.id_offset;
  switch (of.kind) {
    case text_kind::review: return review_in(onchain, answer.data);
    case text_kind::vouch: return vouch_in(onchain, answer.data);
    case text_kind::reply: return reply_in(onchain, how.id_offset, answer.data);
    case text_kind::bond: return read_bond(onchain, how, answer.data);
    case text_kind::inviter: return read_inviter(how, answer.data);
    case text_kind::balance: return read_balance(answer.data);
  }
  throw not_returned{"unknown"};
}

/// What a contract is asked by; nothing where no setting says so.
std::optional<std::string> question_for(const due_text& due, const follow_settings& how) {
  const auto onchain = due.of.id - how.id_offset;
  switch (due.of.kind) {
    case text_kind::review: return call_data(calls::reviews, onchain_review{onchain});
    case text_kind::vouch: return call_data(calls::vouches, onchain_vouch{onchain});
    case text_kind::reply: return call_data(calls::replies_by_id, std::vector<onchain_reply>{{onchain}});
    case text_kind::bond: return how.bonds ? std::optional{how.bonds->call_for(onchain)} : std::nullopt;
    case text_kind::inviter: return how.invites ? std::optional{how.invites->call_for(onchain)} : std::nullopt;
    case text_kind::balance: return call_data(calls::balance_of, due.holder);
  }
  return std::nullopt;
}

} // namespace

std::optional<contract_call> call_for(const due_text& due, const follow_settings& how) {
  const auto where = contract_of(source_of(due.of.kind), how);
  if (!where || (due.of.kind != text_kind::balance && due.of.id < how.id_offset))
    return std::nullopt;
  auto question = question_for(due, how);
  return question ? std::optional{contract_call{*where, *std::move(question)}} : std::nullopt;
}

std::vector<text_kind> unread_kinds(const follow_settings& how) {
  std::vector<text_kind> out;
  for (std::size_t i = 0; i < text_kind_names.size(); ++i)
    if (const auto kind = static_cast<text_kind>(i); !call_for({{kind, how.id_offset}}, how))
      out.push_back(kind);
  return out;
}

std::chrono::seconds pause_after(std::int32_t attempts) {
  return std::min<std::chrono::seconds>(1s * (1 << std::clamp(attempts - 1, 0, doublings_max)), 1h);
}

text_reading reading_of(const due_text& due, const call_answer& answer, const follow_settings& how, timestamp now) {
  text_reading out;
  if (answer.how == call_answer::ending::unanswered)
    out.reason = "unanswered";
  else
    try {
      out = record_in(due.of, how, answer);
      out.state = text_state::here;
      if (std::max(out.text.size(), out.metadata.size()) > text_bytes_kept)
        out.reason = "cut";
      out.text = beginning_of(std::move(out.text));
      out.metadata = beginning_of(std::move(out.metadata));
    } catch (not_returned& reason) {
      out.state = due.refusals + 1 >= text_tries_max ? text_state::failed : text_state::wanted;
      out.reason = std::move(reason.why);
    }
  out.of = due.of;
  out.stamp = due.stamp;
  out.next_at = now + pause_after(due.attempts + 1);
  return out;
}

} // namespace credence::chain
