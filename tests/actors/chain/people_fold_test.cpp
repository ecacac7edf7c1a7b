#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {
namespace {

using samples::address_of;
using namespace profile_events;
using namespace attestation_events;

const address ada = address_of(1), bob = address_of(2), cyd = address_of(3), dee = address_of(4);

class PeopleFold : public testing::Test, public fold_world {};

TEST_F(PeopleFold, WhoJoinsIsActiveAndHasAnAddress) {
  applied(default_invites_changed{7});
  join(1, ada);
  EXPECT_EQ(profile(1).primary, ada);
  EXPECT_EQ(profile(1).invites_available, 7);
  EXPECT_FALSE(profile(1).inviter);
  EXPECT_EQ(user_row_of(user(1)), (user_row{profile_id{1}, true, std::nullopt}));
  EXPECT_EQ(address_row_of(ada).user, user(1));
  EXPECT_EQ(effects.profiles, std::set{profile_id{1}});
}

TEST_F(PeopleFold, NobodyJoinsTwice) {
  join(1, ada);
  EXPECT_EQ(fold(profile_created{{1}, bob}), "duplicate");
  EXPECT_EQ(fold(profile_created{{2}, ada}), "duplicate");
  EXPECT_EQ(fold(mock_profile_created{{1}}), "duplicate");
  EXPECT_EQ(users(), 1U) << "what failed leaves nothing behind";
  EXPECT_FALSE(rows.addresses.find(bob));
}

TEST_F(PeopleFold, AnOrphanedProfileIsFilledAgain) {
  join(1, ada);
  auto row = profile(1);
  row.orphaned = true;
  rows.profiles.put({1}, row);
  EXPECT_EQ(fold(profile_archived{{1}}), "missing_profile");
  join(1, bob);
  EXPECT_EQ(profile(1).primary, bob);
  EXPECT_FALSE(profile(1).orphaned);
}

TEST_F(PeopleFold, APlaceholderKeepsItsUserWhenSomebodyJoinsWithItsId) {
  join(1, ada);
  applied(mock_profile_created{{2}});
  review(0, ada, bob, 2);
  const auto waiting = reviewed(0);
  EXPECT_EQ(rows.placeholders.find({2})->names, (subject_place{bob, 0}));
  EXPECT_FALSE(user_row_of(waiting).active);
  EXPECT_EQ(fold(mock_profile_created{{2}}), "duplicate");
  join(2, bob);
  EXPECT_EQ(user(2), waiting);
  EXPECT_TRUE(user_row_of(waiting).active);
  EXPECT_EQ(reviewed(0), waiting);
}

TEST_F(PeopleFold, APlaceholderThatNobodyNamedMakesANewUser) {
  applied(mock_profile_created{{1}});
  join(1, ada);
  EXPECT_EQ(users(), 1U);
}

TEST_F(PeopleFold, AProfileThatIsArchivedHasAnInactiveUser) {
  join(1, ada);
  applied(profile_archived{{1}});
  EXPECT_TRUE(profile(1).archived);
  EXPECT_FALSE(user_row_of(user(1)).active);
  applied(profile_restored{{1}});
  EXPECT_FALSE(profile(1).archived);
  EXPECT_TRUE(user_row_of(user(1)).active);
  EXPECT_EQ(fold(profile_archived{{9}}), "missing_profile");
  EXPECT_EQ(fold(profile_restored{{9}}), "missing_profile");
}

TEST_F(PeopleFold, AClaimedAddressBringsWhatItReceived) {
  join(1, ada);
  join(2, cyd);
  review(0, ada, bob);
  const auto waiting = reviewed(0);
  claim(2, bob);
  EXPECT_EQ(reviewed(0), user(2));
  EXPECT_EQ(user_row_of(waiting), (user_row{std::nullopt, false, user(2)})) << "merged";
  EXPECT_EQ(profile(2).primary, cyd);
  EXPECT_EQ(fold(address_claim{{9}, dee, address_claim_kind::claimed}), "missing_profile");
}

TEST_F(PeopleFold, LettingAnAddressGoDoesNotShedWhatItReceived) {
  join(1, ada);
  join(2, bob);
  review(0, ada, bob);
  let_go(2, bob);
  EXPECT_EQ(reviewed(0), user(2)) << "the bad review stays";
  EXPECT_TRUE(address_row_of(bob).compromised);
  EXPECT_EQ(address_row_of(bob).unlinked_at, unix_time{time - 1});
  const auto holder = address_row_of(bob).user;
  EXPECT_EQ(user_row_of(holder), (user_row{std::nullopt, false, std::nullopt}));
  EXPECT_FALSE(profile(2).primary) << "it was the only one";

  applied(mock_profile_created{{3}});
  review(1, ada, bob, 3);
  EXPECT_EQ(reviewed(1), holder);
  EXPECT_EQ(review_row_of(1).subject.generation, 1);
  EXPECT_EQ(rows.placeholders.find({3})->names, (subject_place{bob, 1}));

  claim(1, bob);
  EXPECT_EQ(reviewed(0), user(2)) << "the older generation stays where it is";
  EXPECT_EQ(reviewed(1), user(1));
  EXPECT_EQ(user_row_of(holder).merged_into, user(1));
  EXPECT_FALSE(address_row_of(bob).compromised);
  EXPECT_FALSE(address_row_of(bob).unlinked_at);
}

TEST_F(PeopleFold, AnAddressThatReceivedNothingOpensNoGeneration) {
  join(1, ada);
  let_go(1, ada);
  EXPECT_TRUE(rows.subjects.all().empty());
  EXPECT_EQ(fold(address_claim{{1}, ada, address_claim_kind::unclaimed}), "missing_address");
  EXPECT_EQ(fold(address_claim{{1}, dee, address_claim_kind::unclaimed}), "missing_address");
}

TEST_F(PeopleFold, TheOldestOtherAddressBecomesThePrimaryOne) {
  join(1, ada);
  claim(1, dee);
  claim(1, bob);
  let_go(1, bob);
  EXPECT_EQ(profile(1).primary, ada) << "another one than the primary";
  claim(1, bob);
  let_go(1, ada);
  EXPECT_EQ(profile(1).primary, dee);
  let_go(1, dee);
  EXPECT_EQ(profile(1).primary, bob);
}

TEST_F(PeopleFold, AnAddressThatMovesLeavesItsOldProfileWithAnother) {
  join(1, ada);
  claim(1, bob);
  join(2, cyd);
  claim(2, ada);
  EXPECT_EQ(profile(1).primary, bob);
  EXPECT_EQ(address_row_of(ada).user, user(2));
  EXPECT_FALSE(user_row_of(user(1)).merged_into) << "somebody with a profile is not merged";
}

TEST_F(PeopleFold, AnInvitationIsAcceptedByJoining) {
  join(1, ada);
  join(2, bob);
  applied(invites_added{{1}, 3});
  applied(user_invited{{1}, cyd});
  EXPECT_EQ(profile(1).invites_available, 2);
  EXPECT_EQ(fold(user_invited{{1}, cyd}), "duplicate");
  EXPECT_EQ(profile(1).invites_available, 2);
  join(3, cyd);
  EXPECT_EQ(profile(3).inviter, profile_id{1});
  const auto& invitation = *rows.invitations.find({1});
  EXPECT_EQ(invitation.status, invitation_status::accepted);
  EXPECT_EQ(invitation.profile, profile_id{3});
  EXPECT_EQ(invitation.accepted_at, unix_time{time - 1});
  EXPECT_TRUE(effects.texts.empty());
}

TEST_F(PeopleFold, InvitationsThatAreOpenToOneAddressHaveABound) {
  join(1, ada);
  for (std::int32_t i = 1; i <= 256; ++i)
    rows.invitations.put({i}, {{1000 + i}, cyd, invitation_status::invited, now(), {}, {}});
  EXPECT_EQ(fold(user_invited{{1}, cyd}), "refused:invitations_at_most_256");
  auto withdrawn = *rows.invitations.find({7});
  withdrawn.status = invitation_status::withdrawn;
  rows.invitations.put({7}, withdrawn);
  applied(user_invited{{1}, cyd});
}

TEST_F(PeopleFold, AddressesOfOneProfileHaveABound) {
  join(1, ada);
  const auto numbered = [](int i) {
    auto out = ada;
    out.bytes[18] = static_cast<std::byte>(1 + i / 256);
    out.bytes[17] = static_cast<std::byte>(i % 256);
    return out;
  };
  for (int i = 1; i < 256; ++i)
    claim(1, numbered(i));
  EXPECT_EQ(fold(address_claim{{1}, cyd, address_claim_kind::claimed}), "refused:addresses_at_most_256");
  EXPECT_FALSE(rows.addresses.find(cyd));
  claim(1, numbered(7)); // it has that one
  let_go(1, numbered(7));
  claim(1, cyd);
}

TEST_F(PeopleFold, OfSeveralInvitersTheContractIsAsked) {
  join(1, ada);
  join(2, bob);
  applied(user_invited{{1}, cyd});
  applied(user_invited{{2}, cyd});
  EXPECT_EQ(profile(2).invites_available, 0) << "not below 0";
  join(3, cyd);
  EXPECT_FALSE(profile(3).inviter);
  EXPECT_EQ(effects.texts, (std::set<wanted_text>{{text_kind::inviter, 3}}));
  for (const auto& [number, row] : rows.invitations.all())
    EXPECT_EQ(row.status, invitation_status::accepted_other_invitation);
}

TEST_F(PeopleFold, AnInvitationMayBeWithdrawn) {
  join(1, ada);
  applied(user_invited{{1}, cyd});
  applied(uninvited{{1}, ada, 5, cyd});
  EXPECT_EQ(profile(1).invites_available, 5);
  EXPECT_EQ(rows.invitations.find({1})->status, invitation_status::withdrawn);
  EXPECT_EQ(fold(uninvited{{1}, ada, 6, cyd}), "missing_invitation");
  applied(user_invited{{1}, cyd});
  join(2, cyd);
  EXPECT_EQ(profile(2).inviter, profile_id{1});
  EXPECT_EQ(rows.invitations.find({1})->status, invitation_status::withdrawn);
}

TEST_F(PeopleFold, InvitesAreBounded) {
  join(1, ada);
  applied(invites_added{{1}, 2048});
  EXPECT_EQ(fold(invites_added{{1}, 1}), "refused:invites_at_most_2048");
  EXPECT_EQ(fold(invites_added{{1}, uint256{limbs256{~0ULL, ~0ULL, ~0ULL, ~0ULL}}}), "refused:invites_at_most_2048");
  EXPECT_EQ(profile(1).invites_available, 2048);
  EXPECT_EQ(fold(default_invites_changed{2049}), "refused:invites_at_most_2048");
  applied(user_invited{{1}, cyd});
  EXPECT_EQ(fold(uninvited{{1}, ada, 2049, cyd}), "refused:invites_at_most_2048");
  EXPECT_EQ(rows.invitations.find({1})->status, invitation_status::invited) << "taken back whole";
  EXPECT_EQ(fold(invites_added{{9}, 1}), "missing_profile");
  EXPECT_EQ(fold(user_invited{{9}, cyd}), "missing_profile");
  EXPECT_EQ(fold(uninvited{{9}, ada, 1, cyd}), "missing_profile");
}

TEST_F(PeopleFold, AnAttestedAccountBringsWhatItReceived) {
  join(1, ada);
  join(2, bob);
  review_account(0, bob, "17");
  const auto waiting = reviewed(0);
  attest(1, 1, "17");
  EXPECT_EQ(reviewed(0), user(1));
  EXPECT_EQ(user_row_of(waiting).merged_into, user(1));
  EXPECT_EQ(rows.subjects.find(review_row_of(0).subject)->account, "17");
  review_account(1, bob, "17");
  EXPECT_EQ(reviewed(1), user(1));
  const attestation_created again{{1}, people::account_service::x, "17", "", {1}};
  EXPECT_EQ(fold(again), "duplicate");
  EXPECT_EQ(fold(attestation_created{{9}, people::account_service::x, "18", "", {2}}), "missing_profile");
}

TEST_F(PeopleFold, AClaimedAccountTakesItsReviewsAlong) {
  join(1, ada);
  join(2, bob);
  attest(1, 1, "17");
  review_account(0, bob, "17");
  applied(attestation_archived{{1}, people::account_service::x, "17", {1}});
  EXPECT_TRUE(rows.attestations.find({1})->archived);
  EXPECT_EQ(reviewed(0), user(1)) << "archiving moves nothing";
  applied(attestation_claimed{{1}, people::account_service::x, "17", "new", {2}});
  EXPECT_EQ(reviewed(0), user(2));
  EXPECT_EQ(rows.attestations.find({1})->profile, profile_id{2});
  EXPECT_EQ(rows.attestations.find({1})->evidence, "new");
  EXPECT_FALSE(rows.attestations.find({1})->archived) << "the contract restores it without saying so";
  EXPECT_FALSE(user_row_of(user(1)).merged_into);
}

TEST_F(PeopleFold, AClaimOfAnUnknownAttestationMakesIt) {
  join(1, ada);
  applied(attestation_claimed{{5}, people::account_service::github, "9", "e", {1}});
  EXPECT_EQ(rows.attestations.find({5})->service, "github");
  EXPECT_EQ(fold(attestation_archived{{1}, people::account_service::x, "1", {6}}), "missing_attestation");
  applied(attestation_archived{{1}, people::account_service::github, "9", {5}});
  applied(attestation_restored{{5}, people::account_service::github, "9", {1}});
  EXPECT_FALSE(rows.attestations.find({5})->archived);
}

TEST_F(PeopleFold, IdsAreThoseOfTheContractsAndTheOffset) {
  how.id_offset = 1000;
  join(1, ada);
  EXPECT_TRUE(rows.profiles.find({1001}));
  how.id_offset = 2147483647;
  EXPECT_EQ(fold(profile_created{{1}, bob}), "id_out_of_range");
}

TEST_F(PeopleFold, AnIdThatSkipsOthersIsAGap) {
  join(1, ada);
  EXPECT_TRUE(effects.gaps.empty());
  applied(mock_profile_created{{4}});
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"profile", 2, 3}}));
  join(5, bob);
  EXPECT_TRUE(effects.gaps.empty());
  EXPECT_EQ(fold(profile_created{{6}, ada}), "duplicate");
  join(7, cyd);
  EXPECT_TRUE(effects.gaps.empty()) << "a failed event was no missing log";
}

TEST_F(PeopleFold, ContractsTellOfPausesAndUpgrades) {
  EXPECT_EQ(fold(any_events::paused{ada}, contract_kind::review), "");
  EXPECT_EQ(*rows.parameters.find({contract_kind::review, "paused"}), "true");
  EXPECT_EQ(fold(any_events::unpaused{ada}, contract_kind::review), "");
  EXPECT_EQ(*rows.parameters.find({contract_kind::review, "paused"}), "false");
  EXPECT_EQ(fold(any_events::upgraded{ada}, contract_kind::vote), "");
  EXPECT_EQ(*rows.parameters.find({contract_kind::vote, "implementation"}), lower_text(ada));
  EXPECT_THROW(fold(contract_address_manager_events::contract_address_updated{}), std::logic_error);
}

} // namespace
} // namespace credence::chain
