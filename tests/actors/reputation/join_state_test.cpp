#include "tests/actors/reputation/rule_tests.hpp"

namespace credence::reputation {
namespace {

struct Joining : RecordRules {
  static create_profile by_signature(int wallet, std::optional<profile_id> inviter = std::nullopt) {
    create_profile out;
    out.account = wallet_of(wallet);
    out.inviter = inviter;
    out.by = profile::signed_nonce{wallet_of(wallet), "n0nce", noon};
    return out;
  }
  static create_profile by_admin(int wallet, std::optional<profile_id> inviter = std::nullopt) {
    auto out = by_signature(wallet, inviter);
    out.by.reset();
    out.by_admin = true;
    return out;
  }
  link_address link(int profile, int wallet) {
    return {profile_id{profile}, wallet_of(wallet),
            profile::signed_nonce{wallet_of(wallet), "n0nce-" + std::to_string(++nonces), noon}};
  }
  int nonces = 0;
  static unlink_address unlink(int profile, int wallet) { return {profile_id{profile}, wallet_of(wallet)}; }
  static send_invitation invite(int sender, int wallet) { return {profile_id{sender}, wallet_of(wallet)}; }
};

TEST_F(Joining, AnAdminMakesAProfileOfAnyAddressThatHasNone) {
  const auto made = test::there(decided_on(by_admin(0xAB, profile_id{2})));
  EXPECT_EQ(made->answer, profile_id{5});
  EXPECT_EQ(made->change->user, user_id{21});
  EXPECT_EQ(made->change->fresh->display_name, "0x0000…00ab");
  EXPECT_EQ(made->change->inviter, profile_id{2});
  EXPECT_EQ(made->change->invites, how.default_invites);
  EXPECT_EQ(refused(by_admin(0xAB)), refusal_code::address_taken);
  EXPECT_EQ(refused(by_admin(4)), refusal_code::address_taken) << "also of an archived profile";
  EXPECT_EQ(refused(by_admin(0xAC, profile_id{4})), refusal_code::profile_not_live) << "the inviter is archived";
}

TEST_F(Joining, WhoSignsNeedsAnInvitationUnlessRegistrationIsOpen) {
  EXPECT_EQ(refused(by_signature(0xAB)), refusal_code::not_invited);
  how.open_registration = true;
  EXPECT_TRUE(decide(rows, by_signature(0xAB), how, noon));
  EXPECT_EQ(refused(by_signature(0xAB, profile_id{1})), refusal_code::not_invited)
    << "nobody becomes an inviter unasked";
  how.open_registration = false;
  ASSERT_TRUE(decided_on(invite(1, 0xAB)));
  EXPECT_EQ(refused(by_signature(0xAC)), refusal_code::not_invited) << "it is for one address";
  const auto made = decided_on(by_signature(0xAB));
  EXPECT_EQ(made->change->inviter, profile_id{1});
  EXPECT_EQ(made->change->accepted, invitation_id{1});
}

TEST_F(Joining, OfSeveralInvitationsOneIsAccepted) {
  ASSERT_TRUE(decided_on(invite(1, 0xAB)));
  ASSERT_TRUE(decided_on(invite(2, 0xAB)));
  EXPECT_EQ(refused(by_signature(0xAB, profile_id{3})), refusal_code::not_invited);
  ASSERT_TRUE(decided_on(by_signature(0xAB, profile_id{2})));
  EXPECT_EQ(rows.invitation(invitation_id{1})->status, invitation_status::accepted_other);
  EXPECT_EQ(rows.invitation(invitation_id{2})->status, invitation_status::accepted);
  EXPECT_EQ(refused(cancel_invitation{invitation_id{1}, profile_id{1}}), refusal_code::invitation_closed);
}

TEST_F(Joining, WhoWasReviewedBeforeJoiningKeepsTheUser) {
  const auto review = decided_on(review_of(1, by_wallet(0xAB)));
  const auto made = decided_on(by_admin(0xAB));
  EXPECT_EQ(made->change->user, review->change->subject->user);
  EXPECT_FALSE(made->change->fresh);
  EXPECT_FALSE(decided_on(review_of(2, by_wallet(0xAB)))->change->subject) << "the subject stays";
}

TEST_F(Joining, InvitationsAreCountedAndComeBack) {
  ASSERT_TRUE(decided_on(invite(1, 0xAA)));
  EXPECT_EQ(refused(invite(1, 0xAA)), refusal_code::already_invited);
  ASSERT_TRUE(decided_on(invite(1, 0xAB)));
  EXPECT_EQ(refused(invite(1, 0xAC)), refusal_code::no_invites_left);
  EXPECT_EQ(refused(invite(2, 3)), refusal_code::address_taken);
  EXPECT_EQ(refused(invite(4, 0xAC)), refusal_code::profile_not_live);
  EXPECT_EQ(refused(cancel_invitation{invitation_id{1}, profile_id{2}}), refusal_code::forbidden);
  EXPECT_EQ(refused(cancel_invitation{invitation_id{9}, profile_id{1}}), refusal_code::not_found);
  EXPECT_EQ(decided_on(cancel_invitation{invitation_id{1}, profile_id{1}})->answer.status,
            invitation_status::withdrawn);
  EXPECT_FALSE(decided_on(cancel_invitation{invitation_id{1}, profile_id{1}})->change) << "once";
  EXPECT_TRUE(decided_on(invite(1, 0xAC)));
  EXPECT_EQ(refused(by_signature(0xAA)), refusal_code::not_invited) << "it was withdrawn";
}

TEST_F(Joining, AProfileIsArchivedByItselfOrAnAdminAndRestoredByAnAdmin) {
  EXPECT_EQ(refused(archive_profile{profile_id{1}, profile_id{2}}), refusal_code::forbidden);
  EXPECT_EQ(refused(archive_profile{profile_id{9}, profile_id{1}, true}), refusal_code::not_found);
  ASSERT_TRUE(decided_on(archive_profile{profile_id{1}, profile_id{1}})->change);
  EXPECT_FALSE(decided_on(archive_profile{profile_id{1}, profile_id{1}})->change);
  EXPECT_EQ(refused(review_of(1, by_wallet(2))), refusal_code::profile_not_live);
  EXPECT_EQ(refused(archive_profile{profile_id{1}, profile_id{1}, false, false}), refusal_code::forbidden)
    << "an admin may have archived it";
  ASSERT_TRUE(decided_on(archive_profile{profile_id{1}, profile_id{2}, true, false})->change);
  EXPECT_TRUE(decided_on(review_of(1, by_wallet(2))));
}

TEST_F(Joining, AUsernameIsOnePersons) {
  edit_profile edit;
  edit.id = profile_id{1};
  edit.username = "PROFILE2";
  EXPECT_EQ(refused(edit), refusal_code::username_taken) << "whatever its case";
  edit.username = "Profile1";
  EXPECT_EQ(decided_on(edit)->change->texts.username, "Profile1") << "one's own may change its case";
  edit.username = "another";
  edit.description = "words";
  const auto after = decided_on(edit)->change->texts;
  EXPECT_EQ(after.display_name, "Profile") << "what is not named stays";
  EXPECT_EQ(after.description, "words");
  edit.id = profile_id{2};
  EXPECT_EQ(refused(edit), refusal_code::username_taken);
  edit.username = "profile1";
  EXPECT_TRUE(decided_on(edit)) << "nobody has it any more";
  edit.id = profile_id{4};
  EXPECT_EQ(refused(edit), refusal_code::profile_not_live);
}

TEST_F(Joining, AnAddressIsOfOneProfileOnly) {
  EXPECT_EQ(refused(link(1, 2)), refusal_code::address_taken);
  EXPECT_EQ(refused(link(1, 4)), refusal_code::address_taken) << "also of an archived profile";
  EXPECT_FALSE(decided_on(link(1, 1))->change) << "it is so already";
  const auto linked = decided_on(link(1, 0xAB));
  EXPECT_FALSE(linked->change->before);
  EXPECT_FALSE(linked->change->primary);
  EXPECT_EQ(refused(link(2, 0xAB)), refusal_code::address_taken);
  EXPECT_EQ(refused(link(4, 0xAC)), refusal_code::profile_not_live);
}

TEST_F(Joining, WhatAnAddressReceivedComesAlong) {
  ASSERT_TRUE(decided_on(review_of(2, by_wallet(0xAB))));
  const auto linked = decided_on(link(1, 0xAB));
  EXPECT_EQ(linked->change->before, user_id{21});
  EXPECT_TRUE(linked->change->merges) << "that user has nothing else";
  EXPECT_EQ(refused(review_of(1, by_wallet(0xAB))), refusal_code::cannot_review_self);
  EXPECT_EQ(rows.subject(by_wallet(0xAB).key)->user, user_id{11});
}

TEST_F(Joining, AnAdminsOrderStandsInPlaceOfASignature) {
  const auto order = [](int profile, int wallet) {
    return link_address{profile_id{profile}, wallet_of(wallet), std::nullopt};
  };
  record_keys keys;
  add_keys(order(1, 0xAB), keys);
  EXPECT_TRUE(keys.nonces.empty());
  ASSERT_TRUE(decided_on(review_of(2, by_wallet(0xAB))));
  const auto linked = decided_on(order(1, 0xAB));
  ASSERT_TRUE(linked && linked->change);
  EXPECT_FALSE(linked->change->by);
  EXPECT_EQ(linked->change->before, user_id{21});
  EXPECT_TRUE(linked->change->merges);
  EXPECT_FALSE(decided_on(order(1, 0xAB))->change) << "it is so already";
  EXPECT_EQ(refused(order(2, 0xAB)), refusal_code::address_taken);
  ASSERT_TRUE(decided_on(review_of(1, by_wallet(0xAC))));
  EXPECT_EQ(refused(order(1, 0xAC)), refusal_code::own_records);
  EXPECT_EQ(refused(order(4, 0xAC)), refusal_code::profile_not_live);
}

TEST_F(Joining, NobodyLinksWhatTheyHaveJudged) {
  ASSERT_TRUE(decided_on(review_of(1, by_wallet(0xAB))));
  EXPECT_EQ(refused(link(1, 0xAB)), refusal_code::own_records) << "a review in the same round";
  EXPECT_TRUE(decided_on(link(2, 0xAB))) << "who did not review it";
  stored.judged = {{subject_key{wallet_of(0xAC)}, profile_id{1}}};
  rows = record_rows{stored};
  EXPECT_EQ(refused(link(1, 0xAC)), refusal_code::own_records) << "a stored one";
  EXPECT_TRUE(decided_on(link(2, 0xAC)));
}

TEST_F(Joining, NothingChangesItsOwnerUnderAnOpenSlash) {
  stored.addresses.push_back({wallet_of(0xAB), {}, {}, false, 0, true});
  stored.addresses[0].slashed = true;
  stored.profiles[0].addresses.push_back(wallet_of(0xAD));
  rows = record_rows{stored};
  EXPECT_EQ(refused(link(2, 0xAB)), refusal_code::slash_is_open);
  EXPECT_EQ(refused(by_admin(0xAB)), refusal_code::slash_is_open);
  EXPECT_EQ(refused(unlink(1, 1)), refusal_code::slash_is_open);
}

TEST_F(Joining, AUserWithMoreThanTheAddressIsNotMerged) {
  stored.addresses.push_back({wallet_of(0xAB), user_id{15}, {}, false, 2});
  stored.addresses.push_back({wallet_of(0xAC), user_id{15}, {}, false, 2});
  stored.addresses.push_back({wallet_of(0xAD), user_id{16}, {}, true, 0});
  rows = record_rows{stored};
  EXPECT_FALSE(decided_on(link(1, 0xAB))->change->merges);
  EXPECT_FALSE(decided_on(link(1, 0xAC))->change->merges) << "an account is left";
  EXPECT_EQ(refused(link(1, 0xAD)), refusal_code::address_taken) << "of a listing";
}

TEST_F(Joining, LettingAnAddressGoLeavesWhatItReceived) {
  ASSERT_TRUE(decided_on(review_of(2, by_wallet(1))));
  EXPECT_EQ(refused(unlink(1, 1)), refusal_code::last_address);
  EXPECT_EQ(refused(unlink(1, 2)), refusal_code::not_found) << "somebody else's";
  ASSERT_TRUE(decided_on(link(1, 0xAB)));
  const auto gone = decided_on(unlink(1, 1));
  EXPECT_EQ(gone->change->primary, wallet_of(0xAB)) << "the oldest other";
  EXPECT_EQ(gone->change->generation, 1);
  EXPECT_EQ(gone->change->to, user_id{21});
  EXPECT_EQ(decided_on(review_of(2, by_wallet(1)))->answer.subject.generation, 1) << "reviewed anew";
  EXPECT_EQ(decided_on(review_of(1, by_wallet(1)))->answer.subject.generation, 1) << "by its last owner, too";
  ASSERT_TRUE(decided_on(link(3, 1))) << "and may be linked by another";
}

TEST_F(Joining, AMessageCountsOnce) {
  const auto message = link(1, 0xAB);
  ASSERT_TRUE(decided_on(message));
  ASSERT_TRUE(decided_on(unlink(1, 0xAB)));
  EXPECT_EQ(refused(message), refusal_code::nonce_reused);
  how.open_registration = true;
  auto made = by_signature(0xAC);
  stored.used_nonces.emplace_back(made.by->signer, made.by->nonce);
  rows = record_rows{stored};
  EXPECT_EQ(refused(made), refusal_code::nonce_reused);
}

TEST_F(Joining, AProfileHasABoundOfAddresses) {
  for (int i = 0; i < 127; ++i)
    stored.profiles[0].addresses.push_back(wallet_of(100 + i));
  rows = record_rows{stored};
  EXPECT_EQ(refused(link(1, 0xFF)), refusal_code::address_limit_reached);
}

TEST_F(Joining, AnAddressHasABoundOfOpenInvitations) {
  for (int i = 1; i <= 256; ++i)
    stored.invitations.push_back(
      {invitation_id{i}, profile_id{100 + i}, wallet_of(0xAB), invitation_status::invited, noon});
  rows = record_rows{stored};
  EXPECT_EQ(refused(invite(1, 0xAB)), refusal_code::already_invited);
  stored.invitations.front().status = invitation_status::withdrawn;
  rows = record_rows{stored};
  EXPECT_TRUE(decide(rows, invite(1, 0xAB), how, noon));
}

TEST_F(Joining, TriedOnlyLeaveNoTrace) {
  auto made = by_admin(0xAB);
  made.dry_run = true;
  EXPECT_EQ(decide(rows, made, how, noon)->answer, profile_id{});
  auto sent = invite(1, 0xAB);
  sent.dry_run = true;
  EXPECT_EQ(decide(rows, sent, how, noon)->answer.id, invitation_id{});
}

} // namespace
} // namespace credence::reputation
