#include "persistence/moving/exported.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace credence::persistence {
namespace {

TEST(Exported, NoMemberComesFromATableOrAColumnThatHoldsCredentials) {
  // Tables of keys, sessions, tokens, wallets' keys and of what partners and operators do, and columns that prove
  // something.
  constexpr std::array forbidden{
    "api_keys",       "sessions",      "used_nonces",   "revoked_tokens", "managed_wallets",
    "partner_grants", "partner_codes", "idempotency",   "audit_log",      "wallet_transactions",
    "shard_owners",   "takeovers",     "evidence",      "refresh",        "secret",
    "sealed",         "nonce",         "previous_hash", "reference",      "api_access"};
  for (const auto& entity : exported_entities()) {
    std::string all{entity.from};
    for (const auto& member : entity.members)
      all.append(" ").append(member.sql);
    for (const auto* word : forbidden)
      EXPECT_EQ(all.find(word), std::string::npos) << entity.name << " reads " << word;
    // A row of a joined table is never taken as a whole.
    EXPECT_EQ(all.find("row_to_json"), std::string::npos) << entity.name;
  }
}

TEST(Exported, NamesEachMemberOnceAndEachKeyByAMember) {
  std::set<std::string_view> names;
  for (const auto& entity : exported_entities()) {
    EXPECT_TRUE(names.insert(entity.name).second) << entity.name;
    std::set<std::string_view> members;
    for (const auto& member : entity.members)
      EXPECT_TRUE(members.insert(member.name).second) << entity.name << "." << member.name;
    ASSERT_FALSE(entity.key.empty()) << entity.name;
    for (const auto& part : entity.key)
      EXPECT_TRUE(members.contains(part.member)) << entity.name << "." << part.member;
  }
}

} // namespace
} // namespace credence::persistence
