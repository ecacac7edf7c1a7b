#include "actors/wallets/revert_reason.hpp"

#include "actors/chain/abi.hpp"
#include "actors/domain/hash.hpp"
#include "actors/wallets/harmless_text.hpp"

#include <algorithm>
#include <array>

namespace credence::wallets {

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
