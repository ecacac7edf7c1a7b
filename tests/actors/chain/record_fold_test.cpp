#include "actors/chain/chain_rows.hpp"
#include "tests/actors/chain/random_events.hpp"

#include <limits>

namespace credence::chain {
namespace {

bool same_rows(const chain_rows& a, const chain_rows& b) {
  bool same = true;
#define CREDENCE_TABLE(name, ...) same = same && a.name.all() == b.name.all();
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  return same;
}

using samples::address_of;
using namespace review_events;
using namespace vote_events;
using namespace discussion_events;

const address ada = address_of(1), bob = address_of(2), cyd = address_of(3);

struct RecordFold : testing::Test, fold_world {
  RecordFold() {
    join(1, ada);
    join(2, bob);
  }
  static address reviews() { return contract_of(contract_kind::review); }
  const activity_vote_row& vote_on(std::int32_t review, std::int32_t voter) const {
    return *rows.votes.find({{contract_kind::review, review}, {voter}});
  }
  void change(bool is_unvote, bool is_upvote) { applied(vote_changed{is_unvote, is_upvote, {2}, reviews(), {0}, {1}}); }
};

TEST_F(RecordFold, AReviewNamesItsAuthorAndItsSubject) {
  review(0, ada, bob);
  EXPECT_EQ(review_row_of(0).author_profile, profile_id{1});
  EXPECT_EQ(review_row_of(0).author_address, ada);
  EXPECT_EQ(review_row_of(0).score, 2);
  EXPECT_EQ(review_row_of(0).created_at, unix_time{time - 1});
  EXPECT_EQ(reviewed(0), user(2));
  EXPECT_EQ(effects.texts, (std::set<wanted_text>{{text_kind::review, 0}}));
  EXPECT_EQ(fold(review_created{review_score::neutral, ada, {}, bob, {0}, {0}}), "duplicate");
}

TEST_F(RecordFold, AReviewOfBothOrNeitherIsNone) {
  EXPECT_EQ(fold(review_created{review_score::neutral, ada, samples::hash_of(1), bob, {0}, {0}}), "bad_word");
  EXPECT_EQ(fold(review_created{review_score::neutral, ada, {}, {}, {0}, {0}}), "bad_word");
  EXPECT_TRUE(rows.subjects.all().empty());
}

TEST_F(RecordFold, AnAuthorWithoutProfileIsNobody) {
  review(0, cyd, bob);
  EXPECT_FALSE(review_row_of(0).author_profile);
  join(3, cyd);
  EXPECT_FALSE(review_row_of(0).author_profile) << "who owned the address when it was written";
}

TEST_F(RecordFold, ReviewsOfAnUnknownAddressWaitTogether) {
  review(0, ada, cyd);
  review(1, bob, cyd);
  EXPECT_EQ(reviewed(0), reviewed(1));
  EXPECT_EQ(address_row_of(cyd).user, reviewed(0));
  EXPECT_FALSE(user_row_of(reviewed(0)).active);
}

TEST_F(RecordFold, EditingAndArchivingAReview) {
  review(0, ada, bob);
  applied(review_edited{{0}, cyd, bob});
  EXPECT_EQ(review_row_of(0).edits, 1) << "from another address of the author";
  EXPECT_EQ(review_row_of(0).author_address, ada);
  EXPECT_EQ(effects.texts, (std::set<wanted_text>{{text_kind::review, 0}}));
  applied(review_archived{{0}, ada, bob});
  EXPECT_TRUE(review_row_of(0).archived);
  applied(review_archived{{0}, ada, bob});
  applied(review_restored{{0}, ada, bob});
  EXPECT_FALSE(review_row_of(0).archived);
  applied(review_fee_burned{ada, cyd, 5});
  EXPECT_EQ(fold(review_edited{{7}, ada, bob}), "missing_review");
  EXPECT_EQ(fold(review_archived{{7}, ada, bob}), "missing_review");
  EXPECT_EQ(fold(review_restored{{7}, ada, bob}), "missing_review");
}

TEST_F(RecordFold, AVoteIsGivenOnce) {
  review(0, ada, cyd);
  applied(voted{true, {2}, reviews(), {0}, {1}});
  EXPECT_TRUE(vote_on(0, 2).upvote);
  EXPECT_EQ(fold(voted{false, {2}, reviews(), {0}, {2}}), "duplicate");
  applied(voted{false, {2}, contract_of(contract_kind::vouch), {0}, {3}});
  EXPECT_EQ(fold(voted{true, {2}, cyd, {0}, {4}}), "missing_target");
  EXPECT_EQ(fold(voted{true, {9}, reviews(), {0}, {4}}), "missing_profile");
}

TEST_F(RecordFold, AVoteIsWithdrawnSwitchedAndGivenAgain) {
  review(0, ada, cyd);
  applied(voted{true, {2}, reviews(), {0}, {1}});
  change(true, true);
  EXPECT_TRUE(vote_on(0, 2).archived) << "the same direction again withdraws it";
  change(true, true);
  EXPECT_FALSE(vote_on(0, 2).archived) << "given again, although the contract says that it is not";
  EXPECT_TRUE(vote_on(0, 2).upvote);
  change(false, false);
  EXPECT_FALSE(vote_on(0, 2).archived);
  EXPECT_FALSE(vote_on(0, 2).upvote) << "switched";
  change(true, false);
  EXPECT_TRUE(vote_on(0, 2).archived);
  change(false, true);
  EXPECT_FALSE(vote_on(0, 2).archived);
  EXPECT_TRUE(vote_on(0, 2).upvote) << "given again in the other direction";
  EXPECT_EQ(vote_on(0, 2).number, activity_vote_id{1});
  EXPECT_EQ(fold(vote_changed{true, true, {2}, cyd, {0}, {1}}), "missing_target");
}

TEST_F(RecordFold, OfAVoteThatIsNotKnownTheContractIsBelieved) {
  change(true, false);
  EXPECT_TRUE(vote_on(0, 2).archived);
  EXPECT_FALSE(vote_on(0, 2).upvote);
  applied(vote_changed{false, true, {2}, reviews(), {5}, {8}});
  EXPECT_FALSE(vote_on(5, 2).archived);
  EXPECT_TRUE(vote_on(5, 2).upvote);
}

TEST_F(RecordFold, RepliesWaitForTheirTexts) {
  applied(reply_added{{1}, contract_of(contract_kind::discussion), {0}});
  EXPECT_EQ(rows.replies.find({0})->target_kind, contract_kind::discussion) << "nested";
  EXPECT_EQ(effects.texts, (std::set<wanted_text>{{text_kind::reply, 0}}));
  applied(reply_edited{{1}, {0}});
  EXPECT_EQ(rows.replies.find({0})->edits, 1);
  EXPECT_EQ(effects.texts, (std::set<wanted_text>{{text_kind::reply, 0}}));
  EXPECT_EQ(fold(reply_added{{1}, reviews(), {0}}), "duplicate");
  EXPECT_EQ(fold(reply_added{{1}, cyd, {1}}), "missing_target");
  EXPECT_EQ(fold(reply_added{{9}, reviews(), {1}}), "missing_profile");
  EXPECT_EQ(fold(reply_edited{{1}, {7}}), "missing_reply");
}

TEST_F(RecordFold, ReviewsAndRepliesCountFromZero) {
  review(1, ada, bob);
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"review", 0, 0}}));
  applied(reply_added{{1}, reviews(), {0}});
  EXPECT_TRUE(effects.gaps.empty());
  applied(voted{true, {2}, reviews(), {0}, {3}});
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"vote", 1, 2}}));
}

TEST_F(RecordFold, TheOffsetCountsForTargetsToo) {
  how.id_offset = 100;
  EXPECT_EQ(fold(profile_events::profile_created{{3}, cyd}), "");
  applied(voted{true, {3}, reviews(), {5}, {1}});
  EXPECT_TRUE(rows.votes.find({{contract_kind::review, 105}, {103}}));
  how.id_offset = 2147483640;
  EXPECT_EQ(fold(review_created{review_score::neutral, ada, {}, bob, {8}, {0}}), "id_out_of_range");
  EXPECT_EQ(fold(voted{true, {3}, reviews(), {8}, {1}}), "id_out_of_range");
}

// -- undo --------------------------------------------------------------------------------------

/// What must hold of the rows whatever came.
void expect_whole(const chain_rows& rows) {
  for (const auto& [number, user] : rows.users.all()) {
    if (!user.merged_into)
      continue;
    EXPECT_FALSE(user.profile);
    EXPECT_TRUE(rows.users.find(*user.merged_into)->profile) << "nobody is merged into somebody who is merged";
  }
  for (const auto& [place, subject] : rows.subjects.all())
    EXPECT_FALSE(rows.users.find(subject.user)->merged_into) << "what counts, counts for somebody";
  for (const auto& [which, row] : rows.addresses.all())
    EXPECT_FALSE(rows.users.find(row.user)->merged_into);
  for (const auto& [number, profile] : rows.profiles.all()) {
    EXPECT_EQ(rows.users.find(profile.user)->profile, number);
    EXPECT_TRUE(!profile.primary || rows.addresses.find(*profile.primary)->user == profile.user);
  }
}

TEST(Folding, UndoneItIsAsIfTheEventsHadNotBeen) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    samples::dice_type dice{seed};
    fold_world world, without;
    int applied = 0;
    for (int block = 0; block < 40; ++block) {
      std::vector<event> events;
      for (auto left = samples::below(dice, 8); left > 0; --left)
        events.push_back(random_step(dice));
      const bool lost = samples::below(dice, 3) == 0;
      const auto mark = world.rows.mark();
      const auto time = world.time;
      const auto last_event = world.last_event;
      for (const auto& each : events) {
        applied += world.fold(each).empty() ? 1 : 0;
        if (!lost)
          without.fold(each);
      }
      if (lost) {
        world.rows.back_to(mark);
        world.time = time;
        world.last_event = last_event;
      }
      ASSERT_TRUE(same_rows(world.rows, without.rows)) << "seed " << seed << ", block " << block;
      expect_whole(world.rows);
    }
    EXPECT_GT(applied, 20) << "seed " << seed;
  }
}

TEST(Folding, KeepsWhatRowsWereBefore) {
  fold_world world;
  world.join(1, ada);
  const auto mark = world.rows.mark();
  world.claim(1, bob);
  world.claim(1, cyd);
  const auto before = test::exactly(2, world.rows.addresses.before(mark.at(2)));
  EXPECT_FALSE(before[0].second || before[1].second) << "neither address was there";
  EXPECT_TRUE(world.rows.reviews.before(mark.at(7)).empty());
  world.rows.settle();
  world.rows.back_to(world.rows.mark());
  EXPECT_TRUE(world.rows.addresses.find(cyd));
}

using namespace bond_events;

struct BondFold : testing::Test, fold_world {
  BondFold() {
    join(1, ada);
    join(2, bob);
    applied(bond_created{{1}, {1}, "HUMAN", "five hundred", "XP"});
  }
  const bond_row& row(int number) const { return *rows.bonds.find({number}); }
};

TEST_F(BondFold, ABondSaysItsAmountAsAText) {
  EXPECT_EQ(row(1).author, profile_id{1});
  EXPECT_EQ(row(1).type, "HUMAN");
  EXPECT_EQ(row(1).amount, "five hundred");
  EXPECT_EQ(row(1).amount_type, "XP");
  EXPECT_EQ(row(1).created_at, unix_time{time - 1});
  EXPECT_FALSE(row(1).expires_at);
  EXPECT_EQ(fold(bond_created{{1}, {2}, "HUMAN", "1", "XP"}), "duplicate");
  EXPECT_EQ(fold(bond_created{{2}, {7}, "HUMAN", "1", "XP"}), "missing_profile");
}

TEST_F(BondFold, ABondIsArchivedForGood) {
  applied(bond_archived{{1}, {1}, bob, "broken"});
  EXPECT_EQ(row(1).archived_at, unix_time{time - 1});
  EXPECT_EQ(row(1).archived_by, bob);
  EXPECT_EQ(row(1).archive_reason, "broken");
  applied(bond_archived{{1}, {1}, ada, "again"});
  EXPECT_EQ(row(1).archive_reason, "broken");
  EXPECT_EQ(fold(bond_archived{{9}, {1}, bob, ""}), "missing_bond");
}

TEST_F(BondFold, AnExpirationThatCannotBeReadIsKeptWithoutEffect) {
  applied(bond_expiration_updated{{1}, {1}, ada, "2029-01-31T12:00:00Z"});
  EXPECT_EQ(row(1).expires_at, unix_time{1'864'555'200});
  applied(bond_expiration_updated{{1}, {1}, ada, "when she likes"});
  EXPECT_EQ(row(1).expiration, "when she likes");
  EXPECT_EQ(row(1).expires_at, unix_time{1'864'555'200});
  EXPECT_EQ(row(1).updated_at, unix_time{time - 1});
  EXPECT_EQ(fold(bond_expiration_updated{{9}, {1}, ada, "0"}), "missing_bond");
}

TEST(BondExpiration, IsIsoOrUnix) {
  const auto read = [](const char* text) {
    const auto at = expiration_in(text);
    return at ? at->seconds : -1;
  };
  EXPECT_EQ(read("1864555200"), 1'864'555'200);
  EXPECT_EQ(read("1864555200123"), 1'864'555'200) << "milliseconds";
  EXPECT_EQ(read("2029-01-31T12:00:00Z"), 1'864'555'200);
  EXPECT_EQ(read("2029-01-31T12:00:00.123456Z"), 1'864'555'200);
  EXPECT_EQ(read("2029-01-31T14:00:00+02:00"), 1'864'555'200);
  EXPECT_EQ(read("2029-01-31T10:30:00-01:30"), 1'864'555'200);
  EXPECT_EQ(read("2029-01-31"), 1'864'598'399) << "its last second";
  for (const char* text :
       {"", "soon", "2029-02-30", "2029-01-31T12:00:00", "2029-01-31T24:00:00Z", "2029-01-31 12:00:00Z", "-5", "1e9",
        "2029-1-31", "99999999999999999999", "2029-01-31T12:00:00.Z", "1960-01-01"})
    EXPECT_EQ(read(text), -1) << text;
}

using namespace broker_events;

const address token = address_of(9), other_token = address_of(10);

struct BrokerFold : testing::Test, fold_world {
  BrokerFold() {
    join(1, ada);
    join(2, bob);
  }
  static post_created post(std::int32_t number, std::int32_t author = 1) {
    return {{number}, {author}, post_level::premium, "Audit", "two weeks", "100 WHUF", "{}", {1'600'000'000}};
  }
  const post_row& row(std::int32_t number) const { return *rows.posts.find({number}); }
  uint256 credit(std::int32_t profile_of, const address& of) const {
    return rows.credits.find({{profile_of}, of})->balance;
  }
};

TEST_F(BrokerFold, APostHasItsTextsFromTheEvent) {
  applied(post(1));
  EXPECT_EQ(
    row(1),
    (post_row{{1}, post_level::premium, "Audit", "two weeks", "100 WHUF", "{}", {1'600'000'000}, {1'600'000'000}}));
  applied(post_updated{{1}, {1}, "Audits", "three weeks", "90 WHUF", "[]", {1'600'000'500}});
  EXPECT_EQ(
    row(1),
    (post_row{{1}, post_level::premium, "Audits", "three weeks", "90 WHUF", "[]", {1'600'000'000}, {1'600'000'500}}));
  applied(post_updated{{1}, {1}, "Audits", "", "", "", {5}});
  EXPECT_EQ(row(1).updated_at, unix_time{1'600'000'000}) << "never before it was made";
}

TEST_F(BrokerFold, APostIsMadeOnceByAProfileThatIsThere) {
  applied(post(1));
  EXPECT_EQ(fold(post(1, 2)), "duplicate");
  EXPECT_EQ(fold(post(2, 9)), "missing_profile");
  EXPECT_EQ(fold(post_updated{{3}, {1}, "", "", "", "", {}}), "missing_post");
  EXPECT_EQ(row(1).author, profile_id{1});
}

TEST_F(BrokerFold, AFeeIsKeptBeforeItsPostAndBehindIt) {
  applied(premium_post_fee_paid{{1}, token, 50, bob});
  applied(post(1));
  EXPECT_EQ(*rows.post_fees.find({1}), (post_fee_row{token, 50, bob}));
  applied(premium_post_fee_paid{{1}, other_token, 60, ada});
  EXPECT_EQ(*rows.post_fees.find({1}), (post_fee_row{other_token, 60, ada})) << "the last one";
}

TEST_F(BrokerFold, CreditIsWhatTheContractSaysIsLeft) {
  applied(credit_balance_updated{{1}, token, 7, 500});
  applied(credit_balance_updated{{1}, other_token, 0, 3});
  applied(credit_used{{1}, token, {1}, 50, 440});
  EXPECT_EQ(credit(1, token), 440) << "not added up";
  EXPECT_EQ(credit(1, other_token), 3);
  EXPECT_EQ(fold(credit_balance_updated{{9}, token, 0, 1}), "missing_profile");
  EXPECT_EQ(fold(credit_used{{9}, token, {1}, 0, 1}), "missing_profile");
}

TEST_F(BrokerFold, PostsAreNumberedFromOne) {
  applied(post(1));
  EXPECT_TRUE(effects.gaps.empty());
  applied(post(4));
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"post", 2, 3}}));
}

TEST_F(BrokerFold, TheOffsetCounts) {
  how.id_offset = 100;
  EXPECT_EQ(fold(profile_events::profile_created{{3}, address_of(3)}), "");
  applied(post(1, 3));
  EXPECT_EQ(row(101).author, profile_id{103});
  how.id_offset = 2147483640;
  EXPECT_EQ(fold(post(8, 3)), "id_out_of_range");
  EXPECT_EQ(fold(post_updated{{8}, {3}, "", "", "", "", {}}), "id_out_of_range");
  EXPECT_EQ(fold(premium_post_fee_paid{{8}, token, 1, ada}), "id_out_of_range");
  EXPECT_EQ(fold(credit_used{{8}, token, {1}, 1, 1}), "id_out_of_range");
}

TEST_F(BrokerFold, ALevelBeyondPremiumIsNone) {
  auto log = encode_log(post(1));
  log.data.at(31) = std::byte{2};
  const auto read = decode_log(contract_kind::broker, log.topics, log.data);
  EXPECT_EQ(fate_of(read), failed(decode_error::bad_enum));
}

using namespace project_events;

struct ProjectFold : testing::Test, fold_world {
  ProjectFold() {
    join(1, ada);
    join(2, bob);
  }
  static project_created project(std::int32_t number, const std::string& account) {
    return {{number}, {1'600'000'000}, false, "{}", {account, "x.com"}, {{2}, {1}, {2}, {77}}};
  }
  static project_details_updated details(std::int32_t number, const std::string& name, const std::string& account) {
    return {{number}, name, "[1]", {account, "x.com"}};
  }
  const project_row& row(std::int32_t number) const { return *rows.projects.find({number}); }
};

TEST_F(ProjectFold, AProjectIsOfTheUserOfItsAccount) {
  applied(project(1, "7"));
  const auto& made = row(1);
  EXPECT_EQ(made.userkey, "service:x.com:7");
  EXPECT_FALSE(made.archived);
  EXPECT_FALSE(made.name);
  EXPECT_EQ(made.metadata, "{}");
  EXPECT_EQ(made.managers, (std::vector<profile_id>{{1}, {2}, {77}})) << "also one whom nobody knows";
  EXPECT_EQ(made.created_at, unix_time{1'600'000'000});
  EXPECT_EQ(effects.projects, std::set{project_id{1}}) << "the board is told";
  const auto subject = test::there(rows.newest(attestation_hash("x.com", "7")));
  EXPECT_EQ(rows.subjects.find(*subject)->user, made.user);
  EXPECT_EQ(rows.subjects.find(*subject)->account, "7");
  EXPECT_FALSE(user_row_of(made.user).active);
  attest(1, 1, "8");
  applied(project(2, "8"));
  EXPECT_EQ(row(2).user, user(1)) << "who attested it";
}

TEST_F(ProjectFold, AUserHasOneProject) {
  applied(project(1, "7"));
  EXPECT_EQ(fold(project(1, "8")), "duplicate");
  const auto users_before = users();
  EXPECT_EQ(fold(project(2, "7")), "duplicate");
  EXPECT_EQ(users(), users_before);
  attest(1, 1, "8");
  attest(2, 1, "9");
  applied(project(3, "8"));
  EXPECT_EQ(fold(project(4, "9")), "duplicate") << "both accounts are of one user";
}

TEST_F(ProjectFold, AProjectOfNoAccountIsNone) {
  auto made = project(1, "7");
  made.attestation_details.service = "myspace";
  EXPECT_EQ(fold(made), "unknown_service");
  EXPECT_EQ(fold(project(1, "")), "missing_account");
  EXPECT_EQ(fold(project(1, std::string(1001, 'a'))), "too_long");
  applied(project(1, std::string(1000, 'a')));
}

TEST_F(ProjectFold, ItIsArchivedAndRestored) {
  applied(project(1, "7"));
  applied(project_archived{{1}, true});
  EXPECT_TRUE(row(1).archived);
  EXPECT_EQ(effects.projects, std::set{project_id{1}});
  applied(project_archived{{1}, false});
  EXPECT_FALSE(row(1).archived);
  EXPECT_EQ(fold(project_archived{{2}, true}), "missing_project");
}

TEST_F(ProjectFold, ItsNameItsMetadataAndItsAccountChange) {
  applied(project(1, "7"));
  const auto before = row(1).user;
  applied(details(1, "Lighthouse", "7"));
  EXPECT_EQ(row(1).name, "Lighthouse");
  EXPECT_EQ(row(1).metadata, "[1]");
  EXPECT_EQ(row(1).user, before);
  applied(details(1, " \t", "8"));
  EXPECT_FALSE(row(1).name) << "a blank name is none";
  EXPECT_EQ(row(1).userkey, "service:x.com:8");
  EXPECT_NE(row(1).user, before);
  applied(project(2, "7"));
  EXPECT_EQ(row(2).user, before) << "whom it left";
  EXPECT_EQ(fold(details(1, "", "7")), "duplicate") << "who has a project";
  EXPECT_EQ(row(1).userkey, "service:x.com:8");
  EXPECT_EQ(fold(details(5, "", "7")), "missing_project");
  auto wrong = details(1, "", "7");
  wrong.attestation_details.service = "";
  EXPECT_EQ(fold(wrong), "unknown_service");
}

TEST_F(ProjectFold, ItsTeamIsReplaced) {
  applied(project(1, "7"));
  applied(project_manager_profile_ids_updated{{1}, {{5}}});
  EXPECT_EQ(row(1).managers, (std::vector<profile_id>{{5}}));
  applied(project_manager_profile_ids_updated{{1}, {}});
  EXPECT_TRUE(row(1).managers.empty());
  EXPECT_EQ(fold(project_manager_profile_ids_updated{{2}, {{5}}}), "missing_project");
}

TEST_F(ProjectFold, WhoeverTakesAnAccountTakesItsProject) {
  applied(project(1, "7"));
  const auto nobody = row(1).user;
  attest(1, 1, "7");
  EXPECT_EQ(row(1).user, user(1));
  EXPECT_EQ(user_row_of(nobody).merged_into, user(1));
  EXPECT_EQ(effects.projects, std::set{project_id{1}});
  applied(attestation_events::attestation_claimed{{1}, people::account_service::x, "7", "", {2}});
  EXPECT_EQ(row(1).user, user(2)) << "the account went from one profile to another";
}

TEST_F(ProjectFold, WhoHasAProjectTakesNoOther) {
  applied(project(1, "7"));
  const auto nobody = row(1).user;
  attest(1, 1, "8");
  applied(project(2, "8"));
  attest(2, 1, "7");
  EXPECT_EQ(row(1).user, nobody);
  EXPECT_FALSE(user_row_of(nobody).merged_into) << "whose project it stays";
  EXPECT_EQ(row(2).user, user(1));
}

TEST_F(ProjectFold, ProjectsAreNumberedFromOneAndTheOffsetCounts) {
  applied(project(3, "7"));
  EXPECT_EQ(effects.gaps, (std::vector<id_gap>{{"project", 1, 2}}));
  how.id_offset = 2147483640;
  EXPECT_EQ(fold(project(8, "8")), "id_out_of_range");
  EXPECT_EQ(fold(project_archived{{8}, true}), "id_out_of_range");
  how.id_offset = 100;
  auto made = project(4, "8");
  applied(made);
  EXPECT_EQ(row(104).managers, (std::vector<profile_id>{{101}, {102}, {177}}));
  how.id_offset = 2147483600;
  made = project(9, "9");
  EXPECT_EQ(fold(made), "id_out_of_range") << "of a manager";
  made.manager_profile_ids.clear();
  applied(made);
  EXPECT_EQ(fold(project_manager_profile_ids_updated{{9}, {{77}}}), "id_out_of_range");
}

using whuffie_events::transfer;

const address no_address{};

struct TokenFold : testing::Test, fold_world {
  const token_row& row(const address& holder) const {
    return *rows.balances.find({holder, contract_of(contract_kind::whuffie)});
  }
  uint256 reward(const address& holder, const address& contract) const {
    return rows.rewards.find({holder, contract})->balance;
  }
  static uint256 most() { return std::numeric_limits<uint256>::max(); }
};

TEST_F(TokenFold, WhatOneSendsAnotherHas) {
  join(1, ada);
  applied(transfer{no_address, ada, 100});
  EXPECT_EQ(effects.profiles, std::set{profile_id{1}}) << "who shows what they hold";
  applied(transfer{ada, bob, 30});
  EXPECT_EQ(row(ada), (token_row{70, 0}));
  EXPECT_EQ(row(bob), (token_row{30, 0}));
  applied(transfer{bob, no_address, 30});
  EXPECT_EQ(row(bob), (token_row{0, 0}));
  EXPECT_EQ(rows.balances.all().size(), 2U) << "nobody holds what is minted or burned";
}

TEST_F(TokenFold, WhatWasThereBeforeTheFirstBlockIsMissing) {
  applied(transfer{no_address, ada, 10});
  applied(transfer{ada, bob, 25});
  EXPECT_EQ(row(ada), (token_row{0, 15})) << "never below 0";
  EXPECT_EQ(row(bob), (token_row{25, 0}));
  applied(transfer{ada, bob, 1});
  EXPECT_EQ(row(ada), (token_row{0, 16}));
}

TEST_F(TokenFold, NothingMovesWhereNothingIsSent) {
  applied(transfer{ada, ada, 5});
  applied(transfer{ada, bob, 0});
  EXPECT_TRUE(rows.balances.all().empty());
}

TEST_F(TokenFold, MoreThanThereCanBeIsRefused) {
  applied(transfer{no_address, ada, most()});
  EXPECT_EQ(fold(transfer{no_address, ada, 1}), "refused:balance_at_most_2^256");
  applied(transfer{bob, no_address, most()});
  EXPECT_EQ(fold(transfer{bob, address_of(3), 1}), "refused:balance_at_most_2^256");
  EXPECT_EQ(row(ada), (token_row{most(), 0}));
  EXPECT_EQ(row(bob), (token_row{0, most()}));
}

TEST_F(TokenFold, RewardsAreWhatTheContractSaysIsLeft) {
  applied(rewards_events::credited{address_of(8), ada, 40, 40});
  applied(rewards_events::credited{address_of(9), ada, 1, 7});
  applied(rewards_events::debited{address_of(8), ada, 15, 25});
  applied(rewards_events::reward_claimed{ada, 15});
  EXPECT_EQ(reward(ada, address_of(8)), 25);
  EXPECT_EQ(reward(ada, address_of(9)), 7);
}

TEST_F(TokenFold, ThatItMayBeSentIsAParameter) {
  applied(whuffie_events::transfers_unlocked{ada, {1'700'000'000}});
  EXPECT_EQ(*rows.parameters.find({contract_kind::whuffie, "transfersUnlockedAt"}), "1700000000");
}

bool is_of(const row_keys& keys, const vouch_key& key, const vouch_row& row) {
  const auto any = [&](const std::optional<vouch_index>& party) { return party && keys.parties.contains(*party); };
  if (key.contract == contract_kind::vouch_v2)
    return any(row.wallet ? std::optional<vouch_index>{*row.wallet} : std::nullopt);
  return any(voucher{row.author}) || any(row.subject)
         || any(row.subject_profile ? std::optional<vouch_index>{pool_of{*row.subject_profile}} : std::nullopt);
}

/// Puts the rows of `keys` that are there from one set of rows to another, as reading them from a database does.
void read(const chain_rows& from, const row_keys& keys, chain_rows& to) {
  const auto some = [](const auto& table, const auto& of, auto& into) {
    for (const auto& each : of)
      if (const auto* row = table.find(each))
        into.put(each, *row);
  };
#define CREDENCE_TABLE(name, ...) some(from.name, keys.name, to.name);
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  for (const auto& [key, row] : from.vouches.all())
    if (!row.archived && is_of(keys, key, row))
      to.vouches.put(key, row);
  for (const auto each : keys.owners)
    for (const auto which : from.projects.with(each))
      to.projects.put(which, *from.projects.find(which));
  for (const auto& each : keys.newest)
    if (const auto place = from.newest(each))
      to.subjects.put(*place, *from.subjects.find(*place));
  for (const auto each : keys.holders)
    for (const auto& which : from.addresses.with(each))
      to.addresses.put(which, *from.addresses.find(which));
  for (const auto& each : keys.recipients)
    for (const auto which : from.invitations.with(each))
      to.invitations.put(which, *from.invitations.find(which));
}

struct folded_few {
  fold_world world;
  std::vector<std::string> fates;
  int rounds = 0; // in which rows were read
};
/// Folds the events over rows that are read as they turn out to be missing.
void fold_few(const fold_world& all, const std::vector<event>& events, folded_few& out) {
  auto& few = out.world;
  few.how = all.how;
  for (const auto& [key, row] : all.rows.parameters.all())
    few.rows.parameters.put(key, row);
  for (const auto& [key, row] : all.rows.last_ids.all())
    few.rows.last_ids.put(key, row);
  for (const auto& [key, row] : all.rows.slashes.all())
    if (!row.ended_by && row.ends_at().seconds < all.time + static_cast<std::int64_t>(events.size()))
      few.rows.slashes.put(key, row);
  few.rows.settle();
  few.rows.note_missing();
  for (; out.rounds < 10; ++out.rounds) {
    few.time = all.time;
    few.last_event = all.last_event;
    out.fates.clear();
    const auto begun = few.rows.mark();
    for (const auto& each : events)
      out.fates.push_back(few.fold(each));
    const auto missing = few.rows.take_missing();
    if (missing.empty())
      return;
    few.rows.back_to(begun);
    read(all.rows, missing, few.rows);
    few.rows.settle();
  }
  ADD_FAILURE() << "it never ends";
}

/// Whether both folds changed the same rows to the same.
bool same_changes(const chain_rows& all, const chain_rows::marks& mark, const chain_rows& few) {
  auto next = mark.begin();
  const auto same = [&](const auto& a, const auto& b) {
    const auto before = a.before(*next++);
    if (before != b.before(0))
      return false;
    return std::all_of(before.begin(), before.end(), [&](const auto& each) {
      const auto *x = a.find(each.first), *y = b.find(each.first);
      return (!x && !y) || (x && y && *x == *y);
    });
  };
  bool all_same = true;
#define CREDENCE_TABLE(name, ...) all_same = same(all.name, few.name) && all_same;
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  return all_same;
}

TEST(MissingRows, FoldingOverTheRowsThatAreReadIsFoldingOverAll) {
  int most_rounds = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    samples::dice_type dice{seed};
    fold_world all;
    for (int chunk = 0; chunk < 60; ++chunk) {
      std::vector<event> events;
      for (auto left = 1 + samples::below(dice, 6); left > 0; --left)
        events.push_back(random_step(dice));
      folded_few few;
      fold_few(all, events, few);
      most_rounds = std::max(most_rounds, few.rounds);
      const auto mark = all.rows.mark();
      for (std::size_t i = 0; i < events.size(); ++i)
        ASSERT_EQ(all.fold(events[i]), few.fates[i]) << name_of(events[i]) << ", seed " << seed << ", chunk " << chunk;
      ASSERT_TRUE(same_changes(all.rows, mark, few.world.rows)) << "seed " << seed << ", chunk " << chunk;
    }
  }
  EXPECT_LE(most_rounds, 6);
}

TEST(MissingRows, AreFewHoweverManyRowsThereAre) {
  fold_world all;
  for (int i = 1; i <= 200; ++i)
    all.join(i, samples::address_of(static_cast<unsigned char>(i)));
  folded_few few;
  fold_few(all, {profile_events::profile_archived{{7}}}, few);
  EXPECT_EQ(few.world.rows.profiles.all().size(), 1U);
  EXPECT_EQ(few.world.rows.users.all().size(), 1U);
  EXPECT_TRUE(few.world.rows.addresses.all().empty()) << "whose primary address stays";
  EXPECT_EQ(few.rounds, 2) << "the profile, then its user";
}

TEST(MissingRows, AnIdBeyondTheGreatestNeedsNone) {
  fold_world all;
  all.how.id_offset = 2147483647;
  folded_few few;
  fold_few(all, {profile_events::profile_archived{{1}}}, few);
  EXPECT_EQ(few.rounds, 0);
}

} // namespace
} // namespace credence::chain
