#include "actors/domain/address.hpp"
#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/people/lookup_types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_set>
#include <vector>

namespace credence {
namespace {

TEST(SipHash, AgreesWithTheVectorsOfItsAuthors) {
  const sip_key key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string bytes(15, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  EXPECT_NE(sip_hash(key, bytes), sip_hash({key[1], key[0]}, bytes));
  EXPECT_EQ((sip_hash<2, 4>(key, "")), 0x726fdb47dd0e0e31u);
  EXPECT_EQ((sip_hash<2, 4>(key, bytes)), 0xa129ca6149be45e5u);
}

constexpr std::size_t buckets = 4099;
constexpr std::size_t keys = 1500;
/// Of so many keys among so many buckets, spread by chance, no bucket holds more.
constexpr std::size_t bucket_size_max = 12;

/// Keys that a stranger has chosen: all in one bucket of a table that uses `known`.
template <class Key>
std::vector<Key> chosen_for(const std::function<std::size_t(const Key&)>& known,
                            const std::function<Key(std::uint32_t)>& make) {
  std::vector<Key> out;
  for (std::uint32_t i = 1; out.size() < keys; ++i)
    if (auto key = make(i); known(key) % buckets == 7)
      out.push_back(std::move(key));
  return out;
}

template <class Key, class Hash = std::hash<Key>>
std::size_t fullest_bucket(const std::vector<Key>& of) {
  std::unordered_set<Key, Hash> table(buckets);
  table.insert(of.begin(), of.end());
  EXPECT_EQ(table.size(), keys);
  std::size_t most = 0;
  for (std::size_t i = 0; i < table.bucket_count(); ++i)
    most = std::max(most, table.bucket_size(i));
  return most;
}

TEST(KeyedHash, SpreadsIdsThatCollideWhenMultiplied) {
  const auto ids = chosen_for<profile_id>(
    [](const profile_id& who) { return static_cast<std::size_t>(who.value) * 0x9E3779B97F4A7C15ull; },
    [](std::uint32_t i) { return profile_id{static_cast<std::int32_t>(i)}; });
  EXPECT_LE(fullest_bucket(ids), bucket_size_max);
}

TEST(KeyedHash, SpreadsTextsThatCollideInTheLibrary) {
  const auto texts = chosen_for<std::string>([](const std::string& text) { return std::hash<std::string>{}(text); },
                                             [](std::uint32_t i) { return "handle" + std::to_string(i); });
  EXPECT_LE((fullest_bucket<std::string, keyed_hash>(texts)), bucket_size_max);
}

TEST(KeyedHash, SpreadsAddressesThatCollideInTheLibrary) {
  const auto addresses = chosen_for<address>(
    [](const address& of) {
      return std::hash<std::string_view>{}({reinterpret_cast<const char*>(of.bytes.data()), of.bytes.size()});
    },
    [](std::uint32_t i) {
      address out;
      std::memcpy(out.bytes.data(), &i, sizeof i);
      return out;
    });
  EXPECT_LE(fullest_bucket(addresses), bucket_size_max);
}

TEST(KeyedHash, SpreadsWhatPeopleAreLookedUpBy) {
  const auto lookups = chosen_for<people::lookup_key>(
    [](const people::lookup_key& key) { return std::hash<std::string>{}(key.text); },
    [](std::uint32_t i) {
      return people::lookup_key{people::lookup_key::form::username, {}, 0, "name" + std::to_string(i)};
    });
  EXPECT_LE(fullest_bucket(lookups), bucket_size_max);
  const auto numbers = chosen_for<people::lookup_key>(
    [](const people::lookup_key& key) { return static_cast<std::size_t>(key.number) * 0x9E3779B97F4A7C15ull; },
    [](std::uint32_t i) {
      return people::lookup_key{people::lookup_key::form::profile, {}, static_cast<std::int32_t>(i), {}};
    });
  EXPECT_LE(fullest_bucket(numbers), bucket_size_max);
}

TEST(KeyedHash, SpreadsDigestsWithTheSameBeginning) {
  const auto digests = chosen_for<digest32>(
    [](const digest32& of) {
      std::size_t first;
      std::memcpy(&first, of.data(), sizeof first);
      return first;
    },
    [](std::uint32_t i) {
      digest32 out{};
      out[0] = std::byte{7};
      std::memcpy(out.data() + 8, &i, sizeof i);
      return out;
    });
  EXPECT_LE((fullest_bucket<digest32, keyed_hash>(digests)), bucket_size_max);
}

} // namespace
} // namespace credence
