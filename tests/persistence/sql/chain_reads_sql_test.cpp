#include "persistence/sql/reputation_sql.hpp"
#include "tests/persistence/sql/chain_rows_fixture.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

namespace credence::persistence {
namespace {

using whuffie_events::transfer;

/// What is read from contracts about records of a chain besides texts: profiles 1001 to 1004 of it have joined in
/// blocks of their own.
struct ChainReads : ChainRows {
  ChainReads() {
    for (int i = 1; i <= 4; ++i)
      apply({profile_events::profile_created{{i}, samples::address_of(static_cast<unsigned char>(i))}});
  }
  static event bond(int number, int author) {
    return bond_events::bond_created{{number}, {author}, "HUMAN", "500", "XP"};
  }
  static event invite(int sender, const address& whom) { return profile_events::user_invited{{sender}, whom}; }

  std::vector<due_text> due(std::vector<text_kind> unread = {}) {
    return read(load_text_queue{how.chain, noon, 50, std::move(unread)}).due;
  }
  /// What is due of one kind, and of one id unless that is 0.
  due_text due_of(text_kind kind, std::int32_t number = 0) {
    for (const auto& each : due())
      if (each.of.kind == kind && (number == 0 || each.of.id == number))
        return each;
    ADD_FAILURE() << "nothing of kind " << chain::name_of(kind) << " is due";
    return {};
  }
  static text_reading here(const due_text& of) {
    text_reading out;
    out.of = of.of;
    out.stamp = of.stamp;
    out.state = text_state::here;
    return out;
  }
  void take(const text_reading& reading) { write(texts_read{{reading}, at.tip}); }
  void tell_bond(int number, int subject, const std::string& statement = "met her",
                 std::optional<timestamp> until = std::nullopt) {
    auto told = here(due_of(text_kind::bond, 1000 + number));
    told.text = statement;
    told.person = profile_id{1000 + subject};
    told.expires_at = until;
    take(told);
  }
  void tell_inviter(int inviter) {
    auto told = here(due_of(text_kind::inviter));
    told.person = profile_id{1000 + inviter};
    take(told);
  }
  void tell_balance(const wei& held) {
    auto told = here(due_of(text_kind::balance));
    told.amount = held;
    take(told);
  }
  std::string value(const std::string& sql) {
    const auto as_text = "SELECT (" + sql + ")::text AS v";
    return on.exec_params(as_text.c_str(), soon()).first<std::string>("v");
  }
  std::string status_of(int profile) {
    return value(
      "SELECT coalesce(human_verification, 'none') FROM users WHERE id = (SELECT user_id FROM profiles WHERE id = "
      + std::to_string(1000 + profile) + ")");
  }
  bool is_due_for_a_score(int profile) {
    return how_many("score_dirty WHERE user_id = (SELECT user_id FROM profiles WHERE id = "
                    + std::to_string(1000 + profile) + ")")
           == 1;
  }
  void expect_promises() {
    expect_whole();
    for (const auto& each : promises_of("chain"))
      if (each.name != "chain") // blocks of another fork name a parent of their own here
        test::expect_kept(url, {each});
    test::expect_kept(url, promises_of("reputation"));
  }
};

TEST_F(ChainReads, ThreeBondsThatWereReadMakeAPersonVerified) {
  apply({bond(1, 1), bond(2, 2), bond(3, 3)});
  EXPECT_EQ(status_of(4), "none") << "no event tells whom bonds are about";
  tell_bond(1, 4, "met her in Lisbon");
  EXPECT_EQ(status_of(4), "PENDING");
  tell_bond(2, 4);
  EXPECT_EQ(status_of(4), "PENDING");
  sql("DELETE FROM score_dirty");
  tell_bond(3, 4);
  EXPECT_EQ(status_of(4), "VERIFIED");
  EXPECT_TRUE(is_due_for_a_score(4));
  EXPECT_EQ(value("SELECT statement FROM bonds WHERE id = 1001"), "met her in Lisbon");
  EXPECT_EQ(how_many("activities a JOIN subjects s ON s.key = a.subject_key AND s.generation = a.subject_generation "
                     "JOIN profiles p ON p.user_id = s.user_id WHERE a.kind = 'bond' AND p.id = 1004"),
            3)
    << "they are in what the person received";
  expect_promises();
  apply({bond_events::bond_archived{{1}, {1}, alice, "a mistake"}});
  EXPECT_EQ(status_of(4), "REVOKED");
  expect_promises();
  undo(1);
  EXPECT_EQ(status_of(4), "VERIFIED");
}

TEST_F(ChainReads, WhomABondIsAboutGoesWithIt) {
  apply({bond(1, 1), bond(2, 2)});
  tell_bond(1, 4);
  tell_bond(2, 4);
  apply({bond(3, 3)});
  tell_bond(3, 4);
  EXPECT_EQ(status_of(4), "VERIFIED");
  undo(1);
  EXPECT_EQ(status_of(4), "PENDING") << "two are left, and the third never was";
  expect_promises();
  undo(1);
  EXPECT_EQ(status_of(4), "none");
  EXPECT_EQ(how_many("chain_texts WHERE kind = 'bond'"), 0);
  EXPECT_EQ(how_many("activities WHERE kind = 'bond'"), 0);
  expect_promises();
  apply({bond(1, 1)});
  EXPECT_EQ(status_of(4), "none") << "the contract is asked anew";
  tell_bond(1, 3);
  EXPECT_EQ(status_of(3), "PENDING");
  expect_promises();
}

TEST_F(ChainReads, ABondThatIsReadAfterItsEndVerifiedWhileItLasted) {
  apply({bond(1, 1), bond(2, 2), bond(3, 3)});
  apply({bond_events::bond_archived{{3}, {3}, alice, ""}});
  for (int i = 1; i <= 3; ++i)
    tell_bond(i, 4);
  EXPECT_EQ(status_of(4), "REVOKED");
  expect_promises();
}

TEST_F(ChainReads, AnExpirationOfAnEventStandsAboveTheOneThatWasRead) {
  apply({bond(1, 1)});
  const auto year = [](int of) { return timestamp{std::chrono::sys_days{std::chrono::year{of} / 1 / 1}}; };
  tell_bond(1, 4, "", year(2029));
  EXPECT_EQ(number("SELECT extract(year FROM expires_at AT TIME ZONE 'UTC')::int8 FROM bonds"), 2029);
  apply({bond_events::bond_expiration_updated{{1}, {1}, alice, "2031-02-02"}});
  EXPECT_EQ(number("SELECT extract(year FROM expires_at AT TIME ZONE 'UTC')::int8 FROM bonds"), 2031);
  tell_bond(1, 4, "", year(2031));
  undo(1);
  EXPECT_EQ(due().size(), 1u) << "what was read may be of the block that is gone";
  tell_bond(1, 4, "", year(2029));
  EXPECT_EQ(number("SELECT extract(year FROM expires_at AT TIME ZONE 'UTC')::int8 FROM bonds"), 2029);
  expect_promises();
  apply({bond(2, 2)});
  tell_bond(2, 4, "", year(2020));
  EXPECT_EQ(number("SELECT verifiers FROM bonded_people"), 1) << "the second one was over before it was read";
}

TEST_F(ChainReads, ABondThatNamesNobodyKnownOrItsAuthorHasItsTextOnly) {
  apply({bond(1, 1), bond(2, 2)});
  tell_bond(1, 1, "for myself");
  tell_bond(2, 77, "for a stranger");
  EXPECT_EQ(
    value(
      "SELECT string_agg(statement || ' ' || coalesce(subject_profile::text, 'nobody'), ', ' ORDER BY id) FROM bonds"),
    "for myself nobody, for a stranger nobody");
  EXPECT_EQ(value("SELECT string_agg(state || ' ' || reason, ', ' ORDER BY id) FROM chain_texts"),
            "here own_bond, here missing_profile");
  expect_promises();
}

TEST_F(ChainReads, AreNotWaitedForWhereNobodyCanBeAsked) {
  apply({bond(1, 1)});
  EXPECT_TRUE(due({text_kind::bond}).empty());
  EXPECT_EQ(read(load_text_queue{how.chain, noon, 50, {text_kind::bond}}).wanted, 0);
  EXPECT_TRUE(read(load_texts_of{how.chain, {}, {}}).wanted) << "all logs of this test are of that transaction";
  EXPECT_FALSE(read(load_texts_of{how.chain, {}, {text_kind::bond}}).wanted);
}

TEST_F(ChainReads, WhoInvitedSomebodyThatSeveralHadInvitedIsReadAndTakenBack) {
  const auto eve = samples::address_of(9);
  apply({invite(1, eve), invite(2, eve)});
  apply({profile_events::profile_created{{5}, eve}});
  EXPECT_EQ(how_many("profiles WHERE id = 1005 AND invited_by IS NULL"), 1);
  sql("DELETE FROM score_dirty");
  tell_inviter(2);
  EXPECT_EQ(number("SELECT invited_by FROM profiles WHERE id = 1005"), 1002);
  EXPECT_EQ(value("SELECT string_agg(sender || ' ' || status, ', ' ORDER BY sender) FROM invitations"),
            "1001 ACCEPTED_OTHER_INVITATION, 1002 ACCEPTED");
  EXPECT_TRUE(is_due_for_a_score(5));
  expect_promises();
  apply({profile_events::profile_archived{{5}}}); // writes the profile's row again
  EXPECT_EQ(number("SELECT invited_by FROM profiles WHERE id = 1005"), 1002);
  undo(1);
  EXPECT_EQ(number("SELECT invited_by FROM profiles WHERE id = 1005"), 1002);
  expect_promises();
  undo(1);
  EXPECT_EQ(how_many("chain_texts WHERE kind = 'inviter'"), 0);
  EXPECT_EQ(value("SELECT string_agg(status, ', ') FROM invitations"), "INVITED, INVITED");
  expect_promises();
  apply({profile_events::profile_created{{5}, eve}});
  EXPECT_EQ(how_many("profiles WHERE id = 1005 AND invited_by IS NULL AND NOT orphaned"), 1) << "it is asked anew";
  tell_inviter(77);
  EXPECT_EQ(how_many("profiles WHERE id = 1005 AND invited_by IS NULL"), 1);
  EXPECT_EQ(value("SELECT state || ' ' || reason FROM chain_texts WHERE kind = 'inviter'"), "here missing_profile");
  expect_promises();
}

TEST_F(ChainReads, AnOnlyInvitationNeedsNoReading) {
  const auto eve = samples::address_of(9);
  apply({invite(1, eve), profile_events::profile_created{{5}, eve}});
  EXPECT_EQ(number("SELECT invited_by FROM profiles WHERE id = 1005"), 1001);
  EXPECT_TRUE(due().empty());
  expect_promises();
}

TEST_F(ChainReads, WhatAWalletHeldBeforeTheFirstBlockIsTakenOver) {
  const std::string held =
    "SELECT holdings_wei::int8 FROM users WHERE id = (SELECT user_id FROM profiles WHERE id = 1001)";
  apply({transfer{alice, bob, 30}});
  EXPECT_EQ(number(held), 0);
  EXPECT_EQ(due_of(text_kind::balance).holder, alice);
  tell_balance(70);
  EXPECT_EQ(number(held), 70) << "a hundred before";
  apply({transfer{alice, bob, 20}});
  EXPECT_EQ(number(held), 50);
  EXPECT_TRUE(due().empty()) << "it is known what there was";
  apply({transfer{bob, alice, 5}});
  EXPECT_EQ(number(held), 55);
  expect_promises();
  undo(2);
  EXPECT_EQ(number(held), 70);
  expect_promises();
  apply({transfer{alice, bob, 71}});
  EXPECT_EQ(number(held), 0) << "more than there was";
  tell_balance(9);
  EXPECT_EQ(number(held), 9) << "so it is asked again";
  expect_promises();
  undo(2);
  EXPECT_EQ(how_many("token_balances"), 0);
  EXPECT_EQ(how_many("chain_texts"), 0);
  expect_promises();
}

TEST_F(ChainReads, ABalanceOfAnotherBlockIsReadAgainLater) {
  apply({transfer{alice, bob, 30}});
  const auto again = [&](std::optional<block_mark> of) {
    auto told = here(due_of(text_kind::balance));
    told.amount = 70;
    told.next_at = noon + std::chrono::seconds{5};
    write(texts_read{{told}, of});
    EXPECT_TRUE(due().empty()) << "not at once: others wait, too";
    const auto later = read(load_text_queue{how.chain, told.next_at, 50, {}}).due;
    EXPECT_EQ(later.size(), 1u);
    EXPECT_EQ(later.at(0).refusals, 0) << "the contract said nothing wrong";
    sql("UPDATE chain_texts SET next_at = 'epoch'");
  };
  again(std::nullopt); // nobody knows of which block it is
  auto other = at.tip;
  --other.number;
  again(other);
  const auto before = at.tip;
  apply({transfer{alice, bob, 1}});
  again(before); // the row has changed since
  EXPECT_EQ(number("SELECT attempts FROM chain_texts"), 3);
  tell_balance(69);
  EXPECT_EQ(number("SELECT held::int8 FROM token_balances WHERE holder = '\\x" + lower_text(alice).substr(2) + "'"),
            69);
  expect_promises();
}

TEST_F(ChainReads, BalancesWaitWhileOldBlocksAreAppliedAndHoldUpNoText) {
  apply({transfer{alice, bob, 30}, bond(1, 1)});
  EXPECT_EQ(due().size(), 2u);
  sql("UPDATE chain_follow SET tip_at = moved_at - interval '3 minutes'");
  ASSERT_EQ(due().size(), 1u);
  EXPECT_EQ(due()[0].of.kind, text_kind::bond);
}

TEST_F(ChainReads, AVouchWithAnotherBalanceInTheContractIsCountedAndStays) {
  apply({vouch_events::early_vouched{{1}, {1}, {2}, 1000, 900}, vouch_events::early_vouched{{2}, {3}, {4}, 1000, 900}});
  for (const int number : {1, 2}) {
    auto told = here(due_of(text_kind::vouch, 1000 + number));
    told.text = "known for years";
    told.wallet = alice;
    told.amount = number == 1 ? 901 : 900;
    take(told);
  }
  EXPECT_EQ(
    value("SELECT string_agg(balance || ' ' || comment || ' ' || (author_address IS NOT NULL), ', ') FROM vouches"),
    "900 known for years true, 900 known for years true");
  EXPECT_EQ(read(load_text_queue{how.chain, noon, 50, {}}).differing, 1);
  expect_promises();
}

TEST_F(ChainReads, AnAccountThatOnlyAHashNamedIsShownAsTheContractTells) {
  const auto hash = attestation_hash("x.com", "42");
  apply({review_events::review_created{review_score::positive, alice, hash, {}, {1}, {0}}});
  const auto shown = [&] { return read_reviews_here(on, {review_id{1001}}, soon()).at(0).subject.name.account; };
  EXPECT_FALSE(shown());
  auto told = here(due_of(text_kind::review));
  told.account = read_account{"x.com", "43", attestation_hash("x.com", "43")};
  take(told);
  EXPECT_FALSE(shown()) << "of another hash";
  apply({review_events::review_edited{{1}, alice, {}}});
  told = here(due_of(text_kind::review));
  told.account = read_account{"x.com", "42", hash};
  take(told);
  ASSERT_TRUE(shown());
  EXPECT_EQ(shown()->id, "42");
  expect_promises();
  undo(2);
  EXPECT_EQ(how_many("subjects WHERE read_account IS NOT NULL"), 0);
  expect_promises();
}

TEST_F(ChainReads, VouchesOfBothContractsAreInListsAndFeedsThoughTheirIdsAreEqual) {
  const std::string target = "profileId:2";
  apply({vouch_events::early_vouched{{1}, {1}, {2}, 1000, 900}});
  apply({vouch_v2_events::vouched{alice, keccak256(target), {1}, target, 50, 5, "solid"}});
  using namespace reputation;
  list_vouches query;
  query.slice = {10, 0};
  const auto tokens = [&] {
    std::string out;
    const auto found = read(query);
    EXPECT_EQ(found.total, static_cast<std::int64_t>(found.rows.size()));
    for (const auto& each : found.rows)
      out += std::string{out.empty() ? "" : " "}
             + std::string{vouch_contract_names[static_cast<std::size_t>(each.record.contract)]} + "/"
             + std::to_string(each.record.id.value) + "/" + decimal(each.record.balance);
    return out;
  };
  EXPECT_EQ(tokens(), "vouchV2/1001/50 vouch/1001/900");
  query.ids = std::vector{vouch_id{1001}};
  EXPECT_EQ(tokens(), "vouchV2/1001/50 vouch/1001/900");
  query.contract = vouch_contract::vouch_v2;
  EXPECT_EQ(tokens(), "vouchV2/1001/50");
  query.ids.reset();
  query.authors = std::vector{profile_id{1001}};
  EXPECT_EQ(tokens(), "vouchV2/1001/50");
  query.contract = vouch_contract::vouch;
  EXPECT_EQ(tokens(), "vouch/1001/900");

  list_feed feed{feed_side::everybody};
  feed.kinds = std::vector{feed_kind::vouch};
  feed.slice = {10, 0};
  const auto rows = test::exactly(2, read(feed).rows);
  EXPECT_EQ(rows[0].kind, feed_kind::vouch);
  EXPECT_EQ(std::get<vouch_record>(rows[0].record).contract, vouch_contract::vouch_v2);
  EXPECT_EQ(std::get<vouch_record>(rows[1].record).contract, vouch_contract::vouch);
  feed.kinds = std::vector{feed_kind::vouch_v2};
  EXPECT_EQ(read(feed).rows.size(), 1u);
  EXPECT_EQ(std::get<vouch_record>(read(get_feed_rows{{{feed_kind::vouch_v2, 1001}}}).rows.at(0).record).metadata,
            "solid");
  apply({vouch_v2_events::unvouched{{1}, 50, 1, 49}});
  feed.kinds = std::vector{feed_kind::unvouch};
  ASSERT_EQ(read(feed).rows.size(), 1u);
  EXPECT_EQ(read(feed).rows[0].kind, feed_kind::unvouch);
}

TEST_F(ChainReads, VotesAndRepliesOnAVouchInWhufAreToldApartFromThoseOnOneInEther) {
  using namespace reputation;
  const auto contract = fold_world::contract_of(contract_kind::vouch_v2);
  const std::string target = "profileId:2";
  apply({vouch_events::early_vouched{{1}, {1}, {2}, 1000, 900}});
  apply({vouch_v2_events::vouched{alice, keccak256(target), {1}, target, 50, 5, "solid"}});
  apply({vote_events::voted{true, {2}, contract, {1}, {1}}, vote_events::voted{false, {3}, contract, {1}, {2}},
         discussion_events::reply_added{{3}, contract, {1}}});
  auto told = here(due_of(text_kind::reply));
  told.text = "indeed";
  told.parent = 1001;
  told.parent_is_target = true;
  take(told);
  const activity in_whuf{activity_kind::vouch_v2, 1001}, in_ether{activity_kind::vouch, 1001};
  const auto stats = read(get_vote_stats{{in_ether, in_whuf}, profile_id{1003}});
  ASSERT_EQ(stats.size(), 2u);
  EXPECT_EQ(stats[0].upvotes + stats[0].downvotes, 0);
  EXPECT_EQ(stats[1].upvotes, 1);
  EXPECT_EQ(stats[1].downvotes, 1);
  ASSERT_TRUE(stats[1].own);
  EXPECT_EQ(stats[1].own->on, in_whuf);
  const auto replies = read(list_replies{in_whuf, false, {10, 0}});
  ASSERT_EQ(replies.rows.size(), 1u);
  EXPECT_EQ(replies.rows[0].record.on, in_whuf);
  EXPECT_EQ(read_activities_here(on, {in_whuf, {activity_kind::vouch_v2, 1002}}, soon()).size(), 1u)
    << "what votes and replies may be on";
}

TEST_F(ChainReads, AReplyOnAContractOfOtherThingsHidesNothingElse) {
  using namespace reputation;
  apply({discussion_events::reply_added{{3}, fold_world::contract_of(contract_kind::profile), {1}},
         discussion_events::reply_added{{3}, fold_world::contract_of(contract_kind::discussion), {2}}});
  for (const int number : {1001, 1002}) {
    auto told = here(due_of(text_kind::reply, number));
    told.text = "indeed";
    told.parent = 1001;
    told.parent_is_target = true;
    take(told);
  }
  list_feed feed{feed_side::everybody};
  feed.slice = {10, 0};
  const auto rows = read(feed).rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(std::get<reply_record>(rows[0].record).id, reply_id{1002});
  EXPECT_FALSE(read(get_reply{reply_id{1001}}));
}

TEST_F(ChainReads, PlansLookUpByIndexesWhateverTheTablesHad) {
  EXPECT_EQ(how_many("pg_proc WHERE proname IN ('want_texts_of_bonds', 'want_inviters', "
                     "'want_balances', 'put_read_bond',"
                     " 'put_read_inviter') AND proconfig @> '{plan_cache_mode=force_generic_plan,enable_seqscan=off}'"),
            5);
}

} // namespace
} // namespace credence::persistence
