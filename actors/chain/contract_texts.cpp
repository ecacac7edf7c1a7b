#include "actors/chain/contract_texts.hpp"

#include "actors/chain/calls.hpp"
#include "actors/chain/event_codec.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace credence::chain {

namespace {

using namespace std::chrono_literals;

constexpr std::int32_t doublings_max = 12; // beyond an hour

/// The contract that keeps such texts; nothing for what is no text of a record.
std::optional<contract_kind> source_of(text_kind kind) {
  switch (kind) {
    case text_kind::review: return contract_kind::review;
    case text_kind::reply: return contract_kind::discussion;
    case text_kind::vouch: return contract_kind::vouch;
    default: return std::nullopt;
  }
}

std::optional<address> contract_of(contract_kind kind, const follow_settings& how) {
  for (const auto& [where, which] : how.contracts)
    if (which == kind)
      return where;
  return std::nullopt;
}

/// Without a character that would be cut in two.
std::string beginning_of(std::string text, bool& cut) {
  if (text.size() <= text_bytes_kept)
    return text;
  auto end = text_bytes_kept;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  text.resize(end);
  cut = true;
  return text;
}

/// A record as a contract returned it, or why it did not.
struct record_texts {
  std::string text, metadata;
  std::optional<std::int32_t> parent;
  bool parent_is_target = false;
};
using returned = std::variant<record_texts, std::string>;

/// A mapping of a contract is all zeros where there is no such record.
returned review_in(std::int32_t onchain, const std::vector<std::byte>& data) {
  auto found = decode_values<called_review>(data);
  if (!found)
    return std::string{name_of(found.why())};
  if (found->id.value != onchain || found->author == address{})
    return std::string{"other_record"};
  return record_texts{std::move(found->comment), std::move(found->metadata), std::nullopt, false};
}

returned vouch_in(std::int32_t onchain, const std::vector<std::byte>& data) {
  auto found = decode_values<called_vouch>(data);
  if (!found)
    return std::string{name_of(found.why())};
  if (found->id.value != onchain || found->author_address == address{})
    return std::string{"other_record"};
  return record_texts{std::move(found->comment), std::move(found->metadata), std::nullopt, false};
}

returned reply_in(std::int32_t onchain, std::int32_t id_offset, const std::vector<std::byte>& data) {
  auto found = decode_values<called_replies>(data);
  if (!found)
    return std::string{name_of(found.why())};
  if (found->replies.size() != 1 || found->replies.front().id.value != onchain || found->replies.front().target == address{})
    return std::string{"other_record"};
  auto& reply = found->replies.front();
  const auto parent = std::int64_t{reply.parent.value} + id_offset;
  if (parent > limits::id_max)
    return std::string{name_of(decode_error::id_out_of_range)};
  return record_texts{std::move(reply.content), std::move(reply.metadata), static_cast<std::int32_t>(parent), reply.parent_is_original};
}

returned record_in(const wanted_text& of, std::int32_t id_offset, const call_answer& answer) {
  if (answer.how == call_answer::ending::reverted)
    return std::string{"reverted"};
  if (answer.how == call_answer::ending::too_large)
    return std::string{name_of(decode_error::too_long)};
  if (answer.data.empty())
    return std::string{"no_contract"};
  const auto onchain = of.id - id_offset;
  switch (of.kind) {
    case text_kind::review: return review_in(onchain, answer.data);
    case text_kind::vouch: return vouch_in(onchain, answer.data);
    default: return reply_in(onchain, id_offset, answer.data);
  }
}

} // namespace

std::optional<contract_call> call_for(const wanted_text& of, const follow_settings& how) {
  const auto onchain = of.id - how.id_offset;
  const auto source = source_of(of.kind);
  const auto where = source ? contract_of(*source, how) : std::nullopt;
  if (!where || onchain < 0)
    return std::nullopt;
  switch (*source) {
    case contract_kind::review: return contract_call{*where, call_data(calls::reviews, onchain_review{onchain})};
    case contract_kind::vouch: return contract_call{*where, call_data(calls::vouches, onchain_vouch{onchain})};
    default: return contract_call{*where, call_data(calls::replies_by_id, std::vector<onchain_reply>{{onchain}})};
  }
}

std::chrono::seconds pause_after(std::int32_t attempts) {
  return std::min<std::chrono::seconds>(1s * (1 << std::clamp(attempts - 1, 0, doublings_max)), 1h);
}

text_reading reading_of(const due_text& due, const call_answer& answer, std::int32_t id_offset, timestamp now) {
  text_reading out;
  out.of = due.of;
  out.stamp = due.stamp;
  out.next_at = now + pause_after(due.attempts + 1);
  if (answer.how == call_answer::ending::unanswered) {
    out.reason = "unanswered";
    return out;
  }
  auto found = record_in(due.of, id_offset, answer);
  if (auto* reason = std::get_if<std::string>(&found)) {
    out.state = due.refusals + 1 >= text_tries_max ? text_state::failed : text_state::wanted;
    out.reason = std::move(*reason);
    return out;
  }
  auto& texts = std::get<record_texts>(found);
  bool cut = false;
  out.state = text_state::here;
  out.text = beginning_of(std::move(texts.text), cut);
  out.metadata = beginning_of(std::move(texts.metadata), cut);
  out.parent = texts.parent;
  out.parent_is_target = texts.parent_is_target;
  if (cut)
    out.reason = "cut";
  return out;
}

} // namespace credence::chain
