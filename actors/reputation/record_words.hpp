#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/people/lookup_types.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

/// Records: what profiles say of others. Words that all kinds of records share.
namespace credence::reputation {

/// What a review or a vouch is about, as the database knows it: the 4 bytes of a profile's id (the high one first), the
/// 20 of an address, or the 32 of an account's hash, keccak256(abi.encode(service, account)).
class subject_key {
public:
  subject_key() = default;
  explicit subject_key(profile_id who) : size_(4) {
    for (std::size_t i = 0; i < 4; ++i)
      bytes_[i] = static_cast<std::byte>(static_cast<std::uint32_t>(who.value) >> (24 - 8 * i));
  }
  explicit subject_key(const address& which) { take(which.bytes); }
  explicit subject_key(const digest32& hash) { take(hash); }
  /// From the bytes of a column; more than 32 are cut off.
  explicit subject_key(std::span<const std::byte> raw) { take(raw); }

  std::span<const std::byte> bytes() const noexcept { return {bytes_.data(), size_}; }
  std::optional<profile_id> profile() const noexcept {
    if (size_ != 4)
      return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<std::uint32_t>(bytes_[i]);
    return profile_id{static_cast<std::int32_t>(value)};
  }
  std::optional<address> wallet() const noexcept {
    if (size_ != 20)
      return std::nullopt;
    address out;
    std::copy_n(bytes_.begin(), size_, out.bytes.begin());
    return out;
  }
  friend auto operator<=>(const subject_key&, const subject_key&) = default;

private:
  void take(std::span<const std::byte> raw) noexcept {
    size_ = static_cast<std::uint8_t>(std::min(raw.size(), bytes_.size()));
    std::copy_n(raw.begin(), size_, bytes_.begin());
  }

  std::array<std::byte, 32> bytes_{}; // what is not used stays zero
  std::uint8_t size_ = 0;
};

/// An account elsewhere.
struct account {
  people::account_service service{};
  std::string id;
  friend bool operator==(const account&, const account&) = default;
};

/// A subject as somebody names it.
struct named_subject {
  subject_key key;
  std::optional<reputation::account> account; // whose hash the key is; null on chain while that is not known
};

/// How a user looks of whom nothing is known but a wallet or an account.
struct fresh_user {
  std::string display_name;
  std::string avatar_url;
  std::int32_t attestation = 0; // the id of the account's row; 0 for a wallet
};

/// A subject that a change brings with it, as nobody named it before or it was let go since.
struct fresh_subject {
  named_subject name;
  std::int32_t generation = 0;
  user_id user;
  std::optional<fresh_user> new_user = {}; // of a subject that is nobody's: its user is made, too
};

/// Which subject a record is about.
struct subject_ref {
  named_subject name;
  std::int32_t generation = 0;
};

} // namespace credence::reputation
