// Logs of contracts, and what calls return: whatever they hold is an event that reads the same again, or has a reason.
#include "actors/chain/calls.hpp"
#include "actors/chain/events.hpp"
#include "tests/fuzz/claim.hpp"

#include <rapidjson/document.h>

#include <algorithm>

namespace {

using credence::fuzz::claim;
using namespace credence;
using namespace credence::chain;

/// Takes so many bytes off the input, fewer at its end.
std::span<const std::byte> take(std::span<const std::byte>& input, std::size_t most) {
  const auto out = input.first(std::min(most, input.size()));
  input = input.subspan(out.size());
  return out;
}

std::size_t take_below(std::span<const std::byte>& input, std::size_t bound) {
  const auto byte = take(input, 1);
  return byte.empty() ? 0 : std::to_integer<std::size_t>(byte.front()) % bound;
}

void check_shown(const event& entry) {
  const auto text = log_data(entry);
  rapidjson::Document again;
  again.Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  claim(!again.HasParseError() && again.IsObject() && again.MemberCount() == 2, "an event's record is JSON");
  claim(again["eventName"].GetString() == name_of(entry) && again["args"].IsObject(),
        "it names the event and its inputs");
  claim(text.find('\0') == std::string::npos && text.find("\\u0000") == std::string::npos, "and can be stored");
}

void check_event(contract_kind from, const event& entry) {
  check_shown(entry);
  const auto log = encode_log(entry);
  const auto again = decode_log(from, log.topics, log.data);
  const auto* same = std::get_if<event>(&again);
  claim(same && *same == entry, "an event that is written is read as the same event");
  claim(encode_log(*same).data == log.data, "there is one way of writing it");
}

/// The same for what a function of a contract returns.
template <class T>
void check_returned(std::span<const std::byte> data) {
  const auto found = decode_values<T>(data);
  if (!found)
    return claim(!name_of(found.why()).empty(), "what is wrong has a name");
  std::string written;
  solidity<T>::append(written, *found);
  const auto again = decode_values<T>(std::as_bytes(std::span{written}));
  claim(again && *again == *found, "what is returned reads the same again");
}

} // namespace

/// A byte for the contract, one for the event, one for how many topics follow; the topics; the data.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  auto input = std::as_bytes(std::span{bytes, size});
  const auto from = static_cast<contract_kind>(take_below(input, contract_names.size()));
  const auto known = known_events();
  std::vector<digest32> topics{known[take_below(input, known.size())].topic};
  for (auto more = take_below(input, 6); more > 0; --more) {
    const auto topic = take(input, 32);
    std::copy(topic.begin(), topic.end(), topics.emplace_back().begin());
  }
  const auto read = decode_log(from, topics, input);
  if (const auto* found = std::get_if<event>(&read))
    check_event(from, *found);
  const auto fate = fate_of(read);
  claim((fate.status == event_status::applied) == fate.reason.empty(), "what is not applied has a reason");
  check_returned<called_review>(input);
  check_returned<called_vouch>(input);
  check_returned<called_replies>(input);
  static const auto bonds = *bond_getter(
    "bonds(uint256) returns ((uint256 bondId, uint256 subject, bytes32[] more, string statement, string expiration))");
  if (const auto found = bond_in(bonds, 7, input))
    claim(found->subject != 0 && is_clean_text(found->statement), "a bond is about somebody, in clean text");
  return 0;
}
