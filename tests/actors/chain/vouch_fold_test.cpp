#include "tests/actors/chain/random_events.hpp"

namespace credence::chain {
namespace {

using samples::address_of;
using namespace vouch_events;

const address ada = address_of(1), bob = address_of(2), cyd = address_of(3), dan = address_of(4);
using parts = std::vector<score::vouch_part>;
constexpr std::int64_t a_day = 86'400;

struct VouchFold : testing::Test, fold_world {
  VouchFold() {
    join(1, ada);
    join(2, bob);
    join(3, cyd);
  }
  void vouch(int number, int author, int subject, wei staked = 1000, wei deposited = 1000) {
    applied(early_vouched{{number}, {author}, {subject}, staked, deposited});
  }
  /// An address of its own for each number.
  static address wallet(int number) {
    auto out = address_of(200);
    out.bytes[0] = static_cast<std::byte>(number >> 8);
    out.bytes[1] = static_cast<std::byte>(number);
    return out;
  }
  const vouch_row& row(int number) const { return *rows.vouches.find({contract_kind::vouch, {number}}); }
  user_id vouched_for(int number) const { return rows.subjects.find(row(number).subject)->user; }
  std::string parameter(const char* name) const {
    const auto* found = rows.parameters.find({contract_kind::vouch, name});
    return found ? *found : "";
  }
  score::day today() const {
    return std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds{std::chrono::seconds{time - 1}});
  }
};

TEST_F(VouchFold, AVouchHoldsWhatWasDepositedSinceItsDay) {
  applied(vouched{{0}, {1}, {2}, bob, {}, 1050, 1000});
  EXPECT_EQ(row(0).author, profile_id{1});
  EXPECT_EQ(row(0).staked, 1050);
  EXPECT_EQ(row(0).deposited, 1000);
  EXPECT_EQ(row(0).balance, 1000);
  EXPECT_EQ(row(0).parts, (parts{{wei{1000}, today()}}));
  EXPECT_EQ(row(0).vouched_at, unix_time{time - 1});
  EXPECT_EQ(row(0).subject_profile, profile_id{2});
  EXPECT_EQ(vouched_for(0), user(2));
  EXPECT_EQ(fold(vouched{{0}, {3}, {2}, bob, {}, 1, 1}), "duplicate");
}

TEST_F(VouchFold, TheSubjectIsTheAccountElseTheAddressElseTheProfile) {
  const auto account = attestation_hash("x.com", "7");
  applied(vouched{{0}, {1}, {2}, bob, account, 5, 5});
  EXPECT_EQ(row(0).subject, (subject_place{account, 0}));
  applied(vouched{{1}, {3}, {2}, bob, {}, 5, 5});
  EXPECT_EQ(row(1).subject, (subject_place{bob, 0}));
  vouch(2, 2, 3);
  EXPECT_EQ(row(2).subject, (subject_place{profile_id{3}, 0}));
  EXPECT_EQ(vouched_for(2), user(3));
}

TEST_F(VouchFold, FeesAtFirstAreThoseOfTheSettingsUntilAnEventTellsOthers) {
  how.fees_at_first = {0, 300, 300, 0};
  vouch(0, 1, 2);
  vouch(1, 3, 2, 1000, 940);
  EXPECT_EQ(row(0).balance, 1030) << "half of the 60 that were taken";
  applied(entry_donation_fee_basis_points_updated{0});
  applied(vouched{{2}, {2}, {1}, ada, {}, 1000, 1000});
  applied(early_vouch_increased{{1}, {3}, {2}, 1000, 970});
  EXPECT_EQ(row(0).balance, 1060) << "all of the 30";
}

TEST_F(VouchFold, AVouchByProfileStaysWithTheProfile) {
  vouch(0, 1, 2);
  applied(vouched{{1}, {3}, {2}, bob, {}, 5, 5});
  let_go(2, bob);
  claim(1, bob);
  EXPECT_EQ(vouched_for(0), user(2));
  EXPECT_EQ(vouched_for(1), user(2)) << "what an address received it leaves behind";
  vouch(2, 3, 1);
  EXPECT_EQ(vouched_for(2), user(1));
}

TEST_F(VouchFold, WhoeverHasNotJoinedIsVouchedForByTheReservedId) {
  applied(profile_events::mock_profile_created{{9}});
  applied(vouched{{0}, {1}, {9}, dan, {}, 5, 5});
  const auto waiting = vouched_for(0);
  EXPECT_FALSE(user_row_of(waiting).active);
  vouch(1, 3, 9);
  EXPECT_EQ(row(1).subject, (subject_place{dan, 0})) << "what the id stands for";
  join(9, dan);
  EXPECT_EQ(user(9), waiting);
  EXPECT_EQ(vouched_for(0), user(9));
  applied(profile_events::mock_profile_created{{10}});
  vouch(2, 1, 10);
  EXPECT_EQ(row(2).subject, (subject_place{profile_id{10}, 0})) << "nobody has told for whom the id is";
  join(10, address_of(10));
  EXPECT_EQ(user(10), vouched_for(2));
}

TEST_F(VouchFold, IsOfAProfileAndForSomebodyKnown) {
  EXPECT_EQ(fold(early_vouched{{0}, {7}, {2}, 5, 5}), "missing_profile");
  EXPECT_EQ(fold(early_vouched{{0}, {1}, {7}, 5, 5}), "missing_profile");
  EXPECT_EQ(fold(early_vouched{{0}, {1}, {2}, 5, 6}), "bad_word") << "more than was staked";
  EXPECT_EQ(fold(early_vouched{{0}, {1}, {2}, transfer_wei_max + 1, 5}), "refused:vouch_at_most_10^36_wei");
  EXPECT_TRUE(rows.vouches.all().empty());
  EXPECT_TRUE(rows.subjects.all().empty());
}

TEST_F(VouchFold, OneIsActiveForAnAuthorAndASubject) {
  vouch(0, 1, 2);
  EXPECT_EQ(fold(early_vouched{{1}, {1}, {2}, 5, 5}), "duplicate");
  EXPECT_EQ(fold(vouched{{1}, {1}, {2}, bob, {}, 5, 5}), "duplicate") << "the contract counts by its profiles";
  applied(unvouched{{0}, {1}, {2}, 990});
  vouch(1, 1, 2);
  EXPECT_FALSE(row(1).archived);
}

TEST_F(VouchFold, AnAuthorVouchesForSoManyAtATime) {
  for (int i = 0; i <= 256; ++i)
    applied(profile_events::mock_profile_created{{100 + i}});
  for (int i = 0; i < 256; ++i)
    vouch(i, 1, 100 + i);
  EXPECT_EQ(fold(early_vouched{{256}, {1}, {356}, 5, 5}), "refused:vouches_at_most_256");
  EXPECT_EQ(rows.vouches.all().size(), 256u);
  vouch(257, 3, 356);
  applied(unvouched{{0}, {1}, {100}, 1000});
  vouch(256, 1, 356);
}

TEST_F(VouchFold, SoManyVouchForSomebodyAtATime) {
  for (int i = 0; i <= 256; ++i)
    applied(profile_events::profile_created{{100 + i}, wallet(i)});
  for (int i = 0; i < 256; ++i)
    vouch(i, 100 + i, 2);
  EXPECT_EQ(fold(early_vouched{{256}, {356}, {2}, 1060, 1000}), "refused:vouches_at_most_256");
  EXPECT_EQ(row(0).balance, 1000) << "nobody gets a share of its fees";
  vouch(257, 356, 3);
  applied(unvouched{{0}, {100}, {2}, 1000});
  vouch(256, 356, 2);
}

TEST_F(VouchFold, WhatIsAddedCountsFromItsOwnDay) {
  vouch(0, 1, 2);
  const auto first = today();
  time += a_day;
  applied(vouch_increased{{0}, {1}, {2}, {}, {}, 600, 500});
  EXPECT_EQ(row(0).staked, 1600);
  EXPECT_EQ(row(0).deposited, 1500);
  EXPECT_EQ(row(0).balance, 1500);
  EXPECT_EQ(row(0).parts, (parts{{wei{1000}, first}, {wei{500}, first + std::chrono::days{1}}}));
  applied(early_vouch_increased{{0}, {1}, {2}, 5, 5});
  EXPECT_EQ(row(0).balance, 1505);
  EXPECT_EQ(fold(early_vouch_increased{{8}, {1}, {2}, 5, 5}), "missing_vouch");
  applied(unvouched{{0}, {1}, {2}, 1});
  EXPECT_EQ(fold(early_vouch_increased{{0}, {1}, {2}, 5, 5}), "missing_vouch") << "it has ended";
}

TEST_F(VouchFold, EarlierVouchersShareTheirPartOfTheFees) {
  join(4, dan);
  vouch(0, 1, 4, 1020, 1000); // nobody was there before: no share is due
  EXPECT_EQ(row(0).balance, 1000);
  vouch(1, 2, 4, 3060, 3000); // of 60, 10 go to the protocol, 10 to the subject and 40 to earlier vouchers
  EXPECT_EQ(row(0).balance, 1040);
  time += a_day;
  vouch(2, 3, 4, 10'600, 10'000); // 600: 400 to 1040 and 3000
  EXPECT_EQ(row(0).balance, 1040 + 400 * 1040 / 4040);
  EXPECT_EQ(row(1).balance, 3000 + 400 * 3000 / 4040);
  EXPECT_EQ(row(1).parts, (parts{{wei{3000}, today() - std::chrono::days{1}}, {wei{400 * 3000 / 4040}, today()}}));
  EXPECT_EQ(row(0).deposited, 1000) << "a share is no deposit";
}

TEST_F(VouchFold, OnesOwnVouchAndEndedOnesHaveNoShare) {
  join(4, dan);
  vouch(0, 1, 4);
  vouch(1, 2, 4);
  applied(unvouched{{1}, {2}, {4}, 1000});
  applied(early_vouch_increased{{0}, {1}, {4}, 1060, 1000});
  EXPECT_EQ(row(0).balance, 2000) << "nobody else is there";
  EXPECT_EQ(row(1).balance, 0);
  vouch(2, 3, 4, 1060, 1000);
  EXPECT_EQ(row(0).balance, 2040);
  applied(early_vouch_increased{{0}, {1}, {4}, 60, 0});
  EXPECT_EQ(row(2).balance, 1040);
}

TEST_F(VouchFold, AShareDoublesAVouchAtMost) {
  join(4, dan);
  vouch(0, 1, 4, 10, 10);
  vouch(1, 2, 4, 100'000, 1000);
  EXPECT_EQ(row(0).balance, 20);
}

TEST_F(VouchFold, FeesAreThoseOfTheContract) {
  join(4, dan);
  applied(entry_protocol_fee_basis_points_updated{0});
  applied(entry_donation_fee_basis_points_updated{300});
  applied(entry_vouchers_pool_fee_basis_points_updated{100});
  applied(exit_fee_basis_points_updated{50});
  applied(protocol_fee_address_updated{dan});
  EXPECT_EQ(parameter("exitFeeBasisPoints"), "50");
  EXPECT_EQ(parameter("protocolFeeAddress"), lower_text(dan));
  vouch(0, 1, 4);
  vouch(1, 2, 4, 1040, 1000);
  EXPECT_EQ(row(0).balance, 1010) << "a quarter of 40";
  applied(entry_vouchers_pool_fee_basis_points_updated{0});
  vouch(2, 3, 4, 1040, 1000);
  EXPECT_EQ(row(0).balance, 1010);
  EXPECT_EQ(fold(exit_fee_basis_points_updated{10'001}), "bad_word");
}

TEST_F(VouchFold, EndingTakesEverything) {
  vouch(0, 1, 2);
  EXPECT_EQ(fold(marked_unhealthy{{0}, {1}, {2}}), "missing_unvouch") << "it is active";
  applied(unvouched{{0}, {1}, {2}, 990});
  EXPECT_TRUE(row(0).archived);
  EXPECT_EQ(row(0).balance, 0);
  EXPECT_EQ(row(0).withdrawn, 990);
  EXPECT_TRUE(row(0).parts.empty());
  EXPECT_EQ(row(0).unvouched_at, unix_time{time - 1});
  applied(unvouched{{0}, {1}, {2}, 990});
  EXPECT_EQ(row(0).withdrawn, 990) << "repeated, it changes nothing";
  applied(marked_unhealthy{{0}, {1}, {2}});
  EXPECT_EQ(row(0).unhealthy_at, unix_time{time - 1});
  EXPECT_EQ(fold(unvouched{{5}, {1}, {2}, 1}), "missing_vouch");
  EXPECT_EQ(fold(marked_unhealthy{{5}, {1}, {2}}), "missing_vouch");
}

TEST_F(VouchFold, ASlashCutsEveryActiveVouchOfItsAuthor) {
  vouch(0, 1, 2, 1005, 1005);
  vouch(1, 1, 3, 99, 99);
  vouch(2, 3, 2);
  applied(slashed{{1}, 1000, 109});
  EXPECT_EQ(row(0).balance, 905) << "a tenth of 1005, rounded down";
  EXPECT_EQ(row(0).slashed, 100);
  EXPECT_EQ(row(1).balance, 90);
  EXPECT_EQ(row(2).balance, 1000);
  EXPECT_EQ(parameter("mismatches"), "");
  applied(slashed{{1}, 1000, 1});
  EXPECT_EQ(row(0).balance, 815) << "applied although the contract tells another sum";
  EXPECT_EQ(parameter("mismatches"), "1");
  EXPECT_EQ(fold(slashed{{1}, 10'001, 0}), "bad_word");
}

TEST_F(VouchFold, FrozenVouchesAreShownAsSuchAndCount) {
  vouch(0, 1, 2);
  vouch(1, 3, 2);
  applied(frozen{{1}, true});
  EXPECT_TRUE(row(0).frozen);
  EXPECT_FALSE(row(1).frozen);
  applied(frozen{{1}, false});
  EXPECT_FALSE(row(0).frozen);
}

TEST_F(VouchFold, AnAccountThatIsClaimedTakesItsVouchesAlong) {
  const auto account = attestation_hash("x.com", "7");
  applied(profile_events::mock_profile_created{{9}});
  applied(vouched{{0}, {1}, {9}, {}, account, 5, 5});
  attest(1, 2, "7");
  EXPECT_EQ(vouched_for(0), user(2));
  EXPECT_EQ(row(0).subject_profile, profile_id{9});
  applied(attestation_vouch_mapping_updated{account, {9}, {2}});
  EXPECT_EQ(row(0).subject_profile, profile_id{2});
  EXPECT_EQ(fold(early_vouched{{1}, {1}, {2}, 5, 5}), "duplicate") << "he vouches for that profile by the account";
  applied(attestation_vouch_mapping_updated{account, {2}, {3}});
  EXPECT_EQ(vouched_for(0), user(3)) << "also where no claim told it";
  applied(attestation_vouch_mapping_updated{samples::hash_of(1), {2}, {3}});
}

TEST_F(VouchFold, RewardsAreAddedUpAndNeverBelowZero) {
  applied(deposited_to_rewards{{2}, 50});
  applied(deposited_to_rewards{{2}, 7});
  applied(withdrawn_from_rewards{{2}, 40});
  EXPECT_EQ(*rows.vouch_rewards.find({2}), (vouch_rewards_row{17, 57, 40}));
  applied(withdrawn_from_rewards{{2}, 40});
  EXPECT_EQ(*rows.vouch_rewards.find({2}), (vouch_rewards_row{0, 57, 80}));
  EXPECT_EQ(parameter("mismatches"), "1") << "the wallet had rewards of its own";
}

TEST_F(VouchFold, AGapInTheNumbersIsNoted) {
  vouch(0, 1, 2);
  vouch(3, 3, 2);
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"vouch", 1, 2}}));
}

// -- in WHUF -------------------------------------------------------------------------------------

struct WhufVouchFold : VouchFold {
  void whuf(int number, const address& by, const std::string& target, wei balance = 1000, wei fee = 0) {
    applied(vouch_v2_events::vouched{by, keccak256(target), {number}, target, balance, fee, "{\"a\":1}"});
  }
  const vouch_row& row(int number) const { return *rows.vouches.find({contract_kind::vouch_v2, {number}}); }
  user_id vouched_for(int number) const { return rows.subjects.find(row(number).subject)->user; }
  std::string mismatches() const {
    const auto* found = rows.parameters.find({contract_kind::vouch_v2, "mismatches"});
    return found ? *found : "";
  }
};

TEST_F(WhufVouchFold, NamesItsAuthorByWalletAndItsSubjectByUserkey) {
  whuf(1, ada, "profileId:2", 1000, 5);
  EXPECT_EQ(row(1).author, profile_id{1});
  EXPECT_EQ(row(1).wallet, ada);
  EXPECT_EQ(row(1).staked, 1005);
  EXPECT_EQ(row(1).deposited, 1000);
  EXPECT_EQ(row(1).balance, 1000);
  EXPECT_EQ(row(1).metadata, "{\"a\":1}");
  EXPECT_EQ(vouched_for(1), user(2));
  whuf(2, ada, "address:" + lower_text(cyd));
  EXPECT_EQ(vouched_for(2), user(3));
  whuf(3, ada, "service:x.com:77");
  EXPECT_EQ(row(3).subject, (subject_place{attestation_hash("x.com", "77"), 0}));
  EXPECT_EQ(rows.subjects.find(row(3).subject)->account, "77");
}

TEST_F(WhufVouchFold, WhatIsNoUserkeyIsKnownByItsHash) {
  const auto about = [&](int number, const std::string& target, const digest32& hash) {
    applied(vouch_v2_events::vouched{ada, hash, {number}, target, 10, 0, ""});
    return row(number).subject.key;
  };
  EXPECT_EQ(about(1, "profileId:2", samples::hash_of(1)), subject_key{samples::hash_of(1)})
    << "the text is not the hash's";
  int number = 2;
  for (const std::string text :
       {"somebody", "profileId:0", "profileId:2x", "profileId:02", "profileId:99999999999", "address:0x12",
        "service:x.com:", "service:x.com:username:ada", "service:mastodon:1", "service:x.com:1a"})
    EXPECT_EQ(about(number++, text, keccak256(text)), subject_key{keccak256(text)}) << text;
}

TEST_F(WhufVouchFold, IsOfSomebodyWithAProfileAndForOneThatIsThere) {
  EXPECT_EQ(fold(vouch_v2_events::vouched{dan, keccak256("profileId:2"), {1}, "profileId:2", 10, 0, ""}),
            "missing_profile");
  EXPECT_EQ(fold(vouch_v2_events::vouched{ada, keccak256("profileId:7"), {1}, "profileId:7", 10, 0, ""}),
            "missing_profile");
  whuf(1, ada, "profileId:2");
  EXPECT_EQ(fold(vouch_v2_events::vouched{bob, keccak256("profileId:1"), {1}, "profileId:1", 10, 0, ""}), "duplicate");
  EXPECT_EQ(fold(vouch_v2_events::vouched{ada, keccak256("profileId:2"), {2}, "profileId:2", 10, 0, ""}), "duplicate");
  vouch(1, 1, 2); // in ether: another contract
  EXPECT_EQ(rows.vouches.all().size(), 2u);
}

TEST_F(WhufVouchFold, GrowsAndShrinksToTheBalanceThatIsTold) {
  whuf(1, ada, "profileId:2");
  time += a_day;
  applied(vouch_v2_events::vouch_increased{{1}, 500, 5, 1500});
  EXPECT_EQ(row(1).staked, 1505);
  EXPECT_EQ(row(1).deposited, 1500);
  EXPECT_EQ(row(1).parts, (parts{{wei{1000}, today() - std::chrono::days{1}}, {wei{500}, today()}}));
  applied(vouch_v2_events::vouch_decreased{{1}, 700, 7, 800});
  EXPECT_EQ(row(1).balance, 800);
  EXPECT_EQ(row(1).withdrawn, 693);
  EXPECT_EQ(row(1).parts, (parts{{wei{800}, today() - std::chrono::days{1}}})) << "the newest goes first";
  EXPECT_EQ(mismatches(), "");
  applied(vouch_v2_events::vouch_decreased{{1}, 700, 7, 900});
  EXPECT_EQ(row(1).balance, 900) << "what the event tells";
  EXPECT_EQ(mismatches(), "1");
  EXPECT_EQ(fold(vouch_v2_events::vouch_increased{{5}, 1, 0, 1}), "missing_vouch");
  EXPECT_EQ(fold(vouch_v2_events::vouch_decreased{{5}, 1, 0, 1}), "missing_vouch");
}

TEST_F(WhufVouchFold, EndsIsMarkedAndSlashed) {
  whuf(1, ada, "profileId:2");
  applied(vouch_v2_events::vouch_slashed{{1}, 1000, 900, 100});
  applied(vouch_v2_events::account_slashed{ada, 1000, 100});
  EXPECT_EQ(row(1).balance, 900) << "the cut is told once for each vouch, and once for all";
  EXPECT_EQ(row(1).slashed, 100);
  EXPECT_EQ(fold(vouch_v2_events::marked_unhealthy{{1}, ada, {}}), "missing_unvouch");
  applied(vouch_v2_events::unvouched{{1}, 900, 9, 891});
  EXPECT_TRUE(row(1).archived);
  EXPECT_EQ(row(1).withdrawn, 891);
  EXPECT_TRUE(row(1).parts.empty());
  EXPECT_EQ(mismatches(), "");
  applied(vouch_v2_events::marked_unhealthy{{1}, ada, {}});
  EXPECT_TRUE(row(1).unhealthy_at);
  EXPECT_EQ(fold(vouch_v2_events::vouch_slashed{{1}, 900, 800, 100}), "missing_vouch");
}

TEST_F(WhufVouchFold, MetadataAndFreezing) {
  whuf(1, ada, "profileId:2");
  whuf(2, bob, "profileId:1");
  vouch(1, 1, 3);
  applied(vouch_v2_events::vouch_metadata_updated{{1}, "new"});
  EXPECT_EQ(row(1).metadata, "new");
  EXPECT_EQ(fold(vouch_v2_events::vouch_metadata_updated{{7}, "new"}), "missing_vouch");
  applied(vouch_v2_events::frozen{ada, true});
  EXPECT_TRUE(row(1).frozen);
  EXPECT_FALSE(row(2).frozen);
  EXPECT_FALSE(VouchFold::row(1).frozen) << "in ether";
}

/// However many vouches contracts tell of, no event changes more than 256 of them.
struct VouchBounds : testing::Test, fold_world {
  VouchBounds() {
    join(1, ada);
    join(2, bob);
  }
  static address wallet(int number) {
    auto out = address_of(200);
    out.bytes[0] = static_cast<std::byte>(number >> 8);
    out.bytes[1] = static_cast<std::byte>(number);
    return out;
  }
  event whuf(int number) const {
    const auto target = "address:" + lower_text(wallet(number));
    return vouch_v2_events::vouched{ada, keccak256(target), {number}, target, 10, 0, ""};
  }
  std::size_t frozen() const {
    std::size_t out = 0;
    for (const auto& [key, row] : rows.vouches.all())
      out += row.frozen ? 1 : 0;
    return out;
  }
};

TEST_F(VouchBounds, AWalletHasSoManyInWhuf) {
  for (int i = 1; i <= 256; ++i)
    applied(whuf(i));
  EXPECT_EQ(fold(whuf(257)), "refused:vouches_at_most_256");
  applied(vouch_v2_events::frozen{ada, true});
  EXPECT_EQ(frozen(), 256u);
  applied(vouch_v2_events::unvouched{{7}, 10, 0, 10});
  applied(whuf(258));
}

TEST_F(VouchBounds, AnAccountComesToAProfileWithinThem) {
  const auto account = attestation_hash("x.com", "7");
  applied(profile_events::mock_profile_created{{9}});
  for (int i = 0; i < 257; ++i)
    applied(profile_events::profile_created{{100 + i}, wallet(i)});
  for (int i = 0; i < 200; ++i)
    applied(vouch_events::vouched{{i}, {100 + i}, {9}, {}, account, 5, 5});
  for (int i = 200; i < 257; ++i)
    applied(vouch_events::early_vouched{{i}, {100 + i}, {2}, 5, 5});
  EXPECT_EQ(fold(vouch_events::attestation_vouch_mapping_updated{account, {9}, {2}}), "refused:vouches_at_most_256");
  const auto pool = [this](int number) { return rows.vouches.find({contract_kind::vouch, {number}})->subject_profile; };
  EXPECT_EQ(pool(0), profile_id{9});
  applied(vouch_events::unvouched{{256}, {356}, {2}, 5});
  applied(vouch_events::attestation_vouch_mapping_updated{account, {9}, {2}});
  EXPECT_EQ(pool(0), profile_id{2});
  applied(vouch_events::attestation_vouch_mapping_updated{account, {9}, {2}}); // again: nothing moves
  EXPECT_EQ(fold(vouch_events::early_vouched{{257}, {356}, {2}, 5, 5}), "refused:vouches_at_most_256");
}

} // namespace
} // namespace credence::chain
