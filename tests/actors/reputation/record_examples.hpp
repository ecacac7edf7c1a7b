#pragma once

#include "actors/reputation/record_rules.hpp"
#include "tests/there.hpp"

/// Rows and names that the tests of records share.
namespace credence::reputation {

inline const timestamp noon = std::chrono::sys_days{std::chrono::year{2026} / 3 / 10} + std::chrono::hours{12};

inline address wallet_of(int number) {
  address out;
  out.bytes[19] = static_cast<std::byte>(number);
  return out;
}
inline named_subject by_wallet(int number) { return {subject_key{wallet_of(number)}, std::nullopt}; }
inline named_subject by_account(const std::string& id) {
  digest32 hash{};
  hash[0] = static_cast<std::byte>(id.front());
  return {subject_key{hash}, account{people::account_service::github, id}};
}
inline named_subject by_profile(int id) { return {subject_key{profile_id{id}}, std::nullopt}; }

/// Profiles 1 to 4, of users 11 to 14 with wallets 1 to 4; profile 4 is archived. Nothing was written yet.
inline stored_records four_profiles() {
  stored_records out;
  out.last.user = user_id{20};
  out.last.attestation = 30;
  out.last.profile = profile_id{4};
  for (int i = 1; i <= 4; ++i) {
    out.profiles.push_back({profile_id{i},
                            user_id{10 + i},
                            i == 4,
                            {wallet_of(i)},
                            true,
                            2,
                            {"Profile", "profile" + std::to_string(i), "data:,", std::nullopt}});
    out.addresses.push_back({wallet_of(i), user_id{10 + i}, profile_id{i}});
    out.usernames.push_back({"profile" + std::to_string(i), user_id{10 + i}});
    out.subjects.push_back({by_wallet(i).key, user_id{10 + i}});
  }
  return out;
}

inline create_review review_of(int author, named_subject about, review_score score = review_score::positive) {
  return {profile_id{author}, std::move(about), score, "kept its word", "{}", false};
}

} // namespace credence::reputation
