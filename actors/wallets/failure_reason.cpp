#include "actors/wallets/failure_reason.hpp"

#include "actors/chain/abi.hpp"
#include "actors/domain/hash.hpp"

#include <algorithm>
#include <array>

namespace credence::wallets {

namespace {

/// Bytes of the character that begins here; 0: it is none.
std::size_t character_at(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return length <= text.size() && chain::is_clean_text(text.substr(0, length)) ? length : 0;
}

bool is_control(std::string_view character) {
  if (character.size() == 1)
    return character.front() < 0x20 || character.front() == 0x7F;
  if (character.size() == 2 && character[0] == '\xC2')
    return static_cast<unsigned char>(character[1]) < 0xA0; // C1
  // Marks of direction, embeddings, overrides and isolates; separators of lines and paragraphs; the byte order mark.
  constexpr std::array<std::string_view, 16> others{"\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A",
                                                    "\u202B", "\u202C", "\u202D", "\u202E", "\u2066", "\u2067",
                                                    "\u2068", "\u2069", "\u200B", "\uFEFF"};
  return std::find(others.begin(), others.end(), character) != others.end();
}

} // namespace

std::string harmless(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty()) {
    const auto length = character_at(text);
    const auto character = text.substr(0, std::max<std::size_t>(length, 1));
    const auto shown = length == 0 || is_control(character) ? std::string_view{"?"} : character;
    if (out.size() + shown.size() > most)
      return out + "\u2026";
    out += shown;
    text.remove_prefix(character.size());
  }
  return out;
}

namespace {

struct word {
  refusal_code code;
  std::string_view text;
};
constexpr word words[]{{refusal_code::nonce_conflict, "nonce_conflict"},
                       {refusal_code::insufficient_funds, "insufficient_funds"},
                       {refusal_code::contract_revert, "contract_revert"},
                       {refusal_code::blockchain_unavailable, "blockchain_unavailable"}};

} // namespace

std::string failure_reason(const refusal& why) {
  for (const auto& each : words)
    if (each.code == why.code)
      return std::string{each.text} + ": " + why.detail;
  return why.detail;
}

refusal refusal_of(std::string_view reason) {
  for (const auto& each : words)
    if (reason.starts_with(each.text) && reason.substr(each.text.size()).starts_with(": "))
      return {each.code, std::string{reason.substr(each.text.size() + 2)}};
  return {refusal_code::blockchain_unavailable, std::string{reason}};
}

refusal reverted_in(std::uint64_t block) {
  return {refusal_code::contract_revert, "the contract refused it in block " + std::to_string(block)};
}

namespace {

constexpr std::size_t text_most = 300, shown_most = 600, hex_bytes_most = 36;
constexpr std::string_view error_selector = "\x08\xc3\x79\xa0", panic_selector = "\x4e\x48\x7b\x71";

/// Errors of OpenZeppelin Contracts, version 5.
constexpr std::array<std::string_view, 16> standard_errors{"OwnableUnauthorizedAccount(address)",
                                                           "AccessControlUnauthorizedAccount(address,bytes32)",
                                                           "EnforcedPause()",
                                                           "ExpectedPause()",
                                                           "ReentrancyGuardReentrantCall()",
                                                           "ERC20InsufficientBalance(address,uint256,uint256)",
                                                           "ERC20InsufficientAllowance(address,uint256,uint256)",
                                                           "ERC20InvalidSender(address)",
                                                           "ERC20InvalidReceiver(address)",
                                                           "SafeERC20FailedOperation(address)",
                                                           "AddressEmptyCode(address)",
                                                           "InsufficientBalance(uint256,uint256)",
                                                           "FailedCall()",
                                                           "ECDSAInvalidSignature()",
                                                           "ECDSAInvalidSignatureLength(uint256)",
                                                           "InvalidInitialization()"};

struct panic {
  std::uint64_t code;
  std::string_view words;
};
/// What Solidity panics about (its documentation, "Panic via assert and Error via require").
constexpr std::array<panic, 10> panics{{{0x00, "the compiler's own check"},
                                        {0x01, "an assertion failed"},
                                        {0x11, "an arithmetic operation overflowed"},
                                        {0x12, "a division by zero"},
                                        {0x21, "a number that its enumeration does not have"},
                                        {0x22, "a byte array in storage is encoded wrongly"},
                                        {0x31, "pop on an empty array"},
                                        {0x32, "an index out of bounds"},
                                        {0x41, "too much memory was asked for"},
                                        {0x51, "a function that was not set was called"}}};

std::string panic_text(std::span<const std::byte> data) {
  chain::decoding shared;
  chain::word_reader in{data, shared};
  const auto code = chain::small_number(in.next(), 0xFF);
  const auto* found = std::find_if(panics.begin(), panics.end(), [&](const panic& each) { return code == each.code; });
  if (!in.good() || found == panics.end())
    return "the contract panicked";
  return "the contract panicked: " + std::string{found->words};
}

std::string error_text(std::span<const std::byte> data) {
  chain::decoding shared;
  chain::word_reader in{data, shared};
  auto there = in.follow();
  const auto text = there.next_bytes(there.next_length(chain::text_bytes_max));
  if (!in.good())
    return "the contract gives a reason that cannot be read";
  if (text.empty())
    return "the contract gives no reason";
  return harmless({reinterpret_cast<const char*>(text.data()), text.size()}, text_most);
}

} // namespace

revert_reader::revert_reader() {
  for (const auto each : standard_errors)
    add(each);
}

bool revert_reader::add(std::string_view declaration) {
  auto declared = call_signature::parse(declaration);
  if (!declared)
    return false;
  auto selector = declared->selector();
  known_.push_back({std::move(selector), *std::move(declared)});
  return true;
}

outcome<revert_reader, std::string> revert_reader::knowing(std::string_view declarations) {
  revert_reader out;
  for (auto rest = declarations; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (end > 0 && !out.add(rest.substr(0, end)))
      return "'" + harmless(rest.substr(0, end), text_most) + "' declares no error such as SelfReview(address)";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::string revert_reader::reason(std::span<const std::byte> returned) const {
  if (returned.size() < 4)
    return "the contract gives no reason";
  const std::string_view selector{reinterpret_cast<const char*>(returned.data()), 4};
  const auto data = returned.subspan(4);
  if (selector == error_selector)
    return error_text(data);
  if (selector == panic_selector)
    return panic_text(data);
  const auto found =
    std::find_if(known_.begin(), known_.end(), [&](const known_error& each) { return each.selector == selector; });
  if (found != known_.end())
    return harmless(found->declared.show(data), shown_most);
  std::string out{"an error of the contract's own: 0x"};
  append_hex(out, returned.first(std::min(returned.size(), hex_bytes_most)));
  return out + (returned.size() > hex_bytes_most ? "\u2026" : "");
}

} // namespace credence::wallets
