#pragma once

#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/words.hpp"
#include "actors/people/user_types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Finding people by what others know of them.
namespace credence::people {

/// Where somebody has an account (spec: "Attestation").
enum class account_service : std::uint8_t { discord, farcaster, github, telegram, x };
CREDENCE_WORDS(account_service, service_names, "discord", "farcaster", "github", "telegram", "x.com");
constexpr std::string_view name_of(account_service service) { return service_names[static_cast<std::size_t>(service)]; }

/// One way to name a person. Two keys are equal when they ask the same.
struct lookup_key {
  enum class form : std::uint8_t {
    user,                // `number` is a user id
    profile,             // `number` is a profile id
    address,             // `text` holds the address's 20 bytes; any kind of address
    embedded_wallet,     // the same, of a wallet that the service keeps
    account,             // `text` is the id of an account at `service`
    x_handle,            // `text` is a handle at x.com, in lower case
    x_account_or_handle, // `text` is all digits: an account's id, or else a handle
    username,            // `text` is a username
  };
  form how{};
  account_service service = account_service::x;
  std::int32_t number = 0;
  std::string text = {};
  friend bool operator==(const lookup_key&, const lookup_key&) = default;
};

/// Whom a key leads to.
struct found_person {
  user_id user; // 0: nobody
  std::optional<profile_id> profile = {};
  std::int32_t score = 0;
  std::int64_t xp_total = 0;
  unsettled_block unsettled = {}; // of whatever the key says, and of the profile
  explicit operator bool() const noexcept { return static_cast<bool>(user); }
};

// -- what the complete answer about one person holds (spec: "Internal user bundle") -----

struct profile_record {
  profile_id id;
  bool archived = false;
  timestamp created_at{};
  timestamp updated_at{};
  std::int32_t invites_available = 0;
  std::optional<profile_id> invited_by;
};

enum class address_kind : std::uint8_t { primary, linked, embedded, smart };
CREDENCE_WORDS(address_kind, address_kind_names, "primary", "linked", "embedded", "smart");
struct owned_address {
  credence::address address;
  address_kind kind{};
  bool managed = false; // the service signs for it
};

struct attestation {
  std::int32_t id = 0;
  std::array<std::byte, 32> hash{};
  bool archived = false;
  profile_id profile;
  account_service service{};
  std::string account;
  timestamp created_at{};
  std::optional<std::string> username;
  std::optional<std::string> url;
};

/// A name that somebody had or has at x.com.
struct x_username {
  std::string username;
  std::optional<timestamp> change_observed_at; // none: it was there when it was first looked at
};

struct user_bundle {
  user_ptr user;
  std::optional<profile_record> profile;
  user_ptr inviter;                     // null: nobody
  std::vector<owned_address> addresses; // the primary one first, then as they were added
  std::vector<attestation> attestations;
  std::optional<timestamp> validator_since;
  bool verifier_blocked = false;
  std::vector<x_username> x_usernames; // the latest first
};
using bundle_ptr = std::shared_ptr<const user_bundle>;

// -- questions, asked of the people actor by the front and of storage by that actor -----

struct found_people {
  std::vector<found_person> people;
};
/// Whom each key leads to, in the order asked.
struct find_people {
  using answer_type = found_people;
  std::vector<lookup_key> keys;
};

struct people_by_key {
  std::vector<user_ptr> users;
};
/// The complete user of each key, in the order asked; null where there is none.
struct get_people {
  using answer_type = people_by_key;
  std::vector<lookup_key> keys;
};

struct bundle_of {
  bundle_ptr found;               // null: nobody
  unsettled_block unsettled = {}; // as of `found_person`
};
/// Everything about one person.
struct get_bundle {
  using answer_type = bundle_of;
  lookup_key key;
};

/// What kind of key somebody must have to be found.
enum class key_type : std::uint8_t { address, profile, discord, farcaster, github, telegram, x };

struct people_page {
  std::vector<user_ptr> users;
  std::int64_t total = 0;
};
/// People by a part of their username or display name: the very username first, then
/// names that begin with the text (the highest score first), then by likeness. At most
/// `limits::search_matches_max` are ranked and counted. Records merged into others are
/// left out.
struct search_people {
  using answer_type = people_page;
  std::string text;
  page slice;
  std::optional<key_type> having = {};
};

} // namespace credence::people

template <>
struct std::hash<credence::people::lookup_key> {
  std::size_t operator()(const credence::people::lookup_key& key) const noexcept {
    const auto kind = static_cast<std::uint64_t>(key.how) * 8 + static_cast<std::uint64_t>(key.service);
    const auto rest = kind << 32 | static_cast<std::uint32_t>(key.number);
    const std::array<std::uint64_t, 2> both{key.text.empty() ? 0 : credence::keyed_hash_of(key.text), rest};
    return credence::keyed_hash_of({reinterpret_cast<const char*>(both.data()), sizeof both});
  }
};
