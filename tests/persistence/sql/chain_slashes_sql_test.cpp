#include "tests/persistence/sql/chain_rows_fixture.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

namespace credence::persistence {
namespace {

using namespace slash_events;

const address cyd = samples::address_of(3), dan = samples::address_of(4);

/// Profiles 1001 to 1004 of a chain. Cyd and Dan have standing: their votes weigh 7 and 2.
struct ChainSlashes : ChainRows {
  ChainSlashes() {
    apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob},
           profile_events::profile_created{{3}, cyd}, profile_events::profile_created{{4}, dan}});
    stand(3, 2700);
    stand(4, 1650);
  }
  void stand(int profile, int score) {
    sql("INSERT INTO epoch_scores (user_id, score, day) SELECT user_id, " + std::to_string(score)
        + ", '2026-01-01' FROM profiles WHERE id = " + std::to_string(1000 + profile));
  }
  /// The time of the next block.
  std::int64_t next() const { return 1'790'000'001 + static_cast<std::int64_t>(at.tip.number); }
  /// By Alice, opened in the next block, that ends so many blocks later.
  slash_created slash(int number, int blocks, const address& whom = bob, slash_type type = slash_type::score) const {
    return {{number}, {next()}, {blocks}, whom, {}, {1}, {0}, 200, type, "why", "{}"};
  }
  event vote(int number, int voter, bool up) const {
    return vote_events::voted{up, {voter}, fold_world::contract_of(contract_kind::slash), {1}, {number}};
  }
  event changed(int voter, bool up) const {
    return vote_events::vote_changed{false, up, {voter}, fold_world::contract_of(contract_kind::slash), {1}, {1}};
  }
  event praise(int number, const address& by) const {
    return review_events::review_created{review_score::positive, by, {}, bob, {number}, {0}};
  }
  slash::slash_record shown(int number) {
    const auto found = read(slash::get_slash{slash_id{1000 + number}});
    EXPECT_TRUE(found);
    return found.value_or(slash::slash_record{});
  }
  /// `open`, or the outcome with the weights of both sides.
  std::string state(int number = 1) {
    const auto record = shown(number);
    if (!record.closed)
      return "open";
    return std::string{slash::verdict_names[static_cast<std::size_t>(record.closed->how)]} + " "
           + std::to_string(record.closed->votes.slash) + ":" + std::to_string(record.closed->votes.defend);
  }
  std::int64_t cost(int profile) {
    return number("SELECT coalesce(sum(p), 0) FROM full_score_inputs f, unnest(f.penalties) p"
                  " WHERE f.user_id = (SELECT user_id FROM profiles WHERE id = "
                  + std::to_string(1000 + profile) + ")");
  }
  slash::slash_page find(slash::find_slashes query) {
    query.slice.limit = 10;
    return read(query);
  }
  void expect_promises() {
    expect_whole();
    test::expect_kept(url, promises_of("slash"));
    EXPECT_EQ(check_scores(on, soon()).differences, 0);
  }
};

TEST_F(ChainSlashes, AreShownLikeThoseOfTheApiAndGoWithTheirBlocks) {
  apply({slash(1, 50)});
  apply({slash_edited{{1}, "another reason", "[]"}});
  const auto record = shown(1);
  EXPECT_EQ(record.author, profile_id{1001});
  EXPECT_EQ(record.subject.wallet, bob);
  EXPECT_EQ(record.subject.profile, profile_id{1002});
  EXPECT_EQ(record.amount, 200);
  EXPECT_EQ(record.comment, "another reason");
  EXPECT_EQ(state(), "open");
  EXPECT_EQ(read(slash::load_roles{slash_id{1001}, {profile_id{1001}, profile_id{1002}, profile_id{1003}}, {}}).roles,
            (slash::get_roles::answer_type{{profile_id{1001}, slash::role::slasher},
                                           {profile_id{1002}, slash::role::defender}}));
  EXPECT_EQ(number("SELECT event_id FROM slashes"), 6) << "the last event that changed it";
  expect_promises();
  undo(1);
  EXPECT_EQ(shown(1).comment, "why");
  undo(1);
  EXPECT_EQ(how_many("slashes"), 0);
  EXPECT_EQ(how_many("slash_tallies"), 0);
  expect_promises();
}

TEST_F(ChainSlashes, TheApiDecidesOnItsOwnAloneAndCountsOnBehindAll) {
  apply({slash(1, 50), slash(2, 1), vote(1, 3, true),
         vote_events::voted{true, {3}, fold_world::contract_of(contract_kind::slash), {2}, {2}}});
  apply({});
  EXPECT_EQ(state(2), "SLASHED 7:0");
  const auto stored = read(slash::load_open_slashes{noon});
  EXPECT_TRUE(stored.open.empty());
  EXPECT_EQ(stored.last, slash_id{1002})
    << "the next one is the one that the database takes, also when the chain is followed no longer";
  ASSERT_EQ(stored.slashed.size(), 1u) << "nor is there a pause that the database knows alone";
  EXPECT_EQ(stored.slashed.front().who.wallet, bob);
  slash::slash_record own{
    slash_id{1003}, profile_id{1}, {}, slash::slash_type::score, 100, std::chrono::hours{1}, "because", "", noon};
  own.subject.wallet = samples::address_of(99);
  transaction all{on, soon()};
  write_now(on, slash::slash_opened{own}, 1, soon());
  all.commit(soon());
  EXPECT_EQ(read(slash::load_open_slashes{noon}).open.size(), 1u);
}

TEST_F(ChainSlashes, AListLooksThroughTheNewestTenThousandAndCountsNoFurther) {
  sql("SET session_replication_role = replica;"
      "INSERT INTO slashes (id, author_id, subject_address, type, amount, duration_s, comment, metadata, created_at,"
      " closed_at, outcome, slash_weight, defend_weight, source, event_id, block, ends_at, ended_by)"
      " SELECT i, 1001, decode(lpad(to_hex(i), 40, '0'), 'hex'), CASE WHEN i % 2 = 0 THEN 'XP' ELSE 'SCORE' END, 1,"
      " 60, 'why', '{}', '2026-01-01T00:00:00Z'::timestamptz + i * interval '1 minute', now(), 'INCONCLUSIVE', 0, 0,"
      " 'chain', 1, 1, now(), 'time' FROM generate_series(2000, 12099) i; ANALYZE slashes");
  on.exec("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off", soon()); // as readers have it
  slash::find_slashes query;
  slash::slash_page found;
  const auto rows_read = [&] { return test::rows_read_by(on, url, "'slashes'", [&] { found = find(query); }).all; };
  for (const auto& author : {std::optional<profile_id>{}, std::optional{profile_id{1001}}})
    for (const auto& open : {std::optional<bool>{}, std::optional{false}}) {
      query = {};
      query.author = author;
      query.open = open;
      EXPECT_LE(rows_read(), 10 + limits::list_depth_max);
      EXPECT_EQ(found.total, limits::list_depth_max);
      EXPECT_EQ(found.values.front().id, slash_id{12'099});
      query.slice.offset = 9'995;
      EXPECT_EQ(find(query).values.size(), 5u) << "what is not counted is not shown";
      query.slice.offset = 20'000;
      EXPECT_EQ(find(query).total, limits::list_depth_max);
    }
  query = {};
  query.with_xp = false;
  EXPECT_EQ(find(query).total, limits::list_depth_max / 2);
  query.open = true;
  EXPECT_LE(rows_read(), 10);
  EXPECT_EQ(found.total, 0);
  query = {};
  query.subject.emplace().wallet.emplace().bytes[18] = std::byte{0x10}; // of slash 4096
  EXPECT_LE(rows_read(), 10);
  EXPECT_EQ(found.total, 1);
}

TEST_F(ChainSlashes, AreFoundByWhomTheyAreAboutAndThoseForXpOnlyWhereTheyAreAskedFor) {
  auto of_account = slash(2, 50, address{}, slash_type::xp);
  of_account.attestation_hash = attestation_hash("x.com", "77");
  apply({slash(1, 50), of_account});
  EXPECT_EQ(find({}).total, 2);
  slash::find_slashes without_xp;
  without_xp.with_xp = false;
  EXPECT_EQ(find(without_xp).total, 1);
  slash::find_slashes about_account;
  about_account.subject.emplace().account = slash::account{people::account_service::x, "77"};
  ASSERT_EQ(find(about_account).total, 1);
  EXPECT_FALSE(shown(2).subject.account) << "nobody knows whose hash that is";
  apply({attestation_events::attestation_created{{3}, people::account_service::x, "77", "", {1}}});
  ASSERT_TRUE(shown(2).subject.account);
  EXPECT_EQ(shown(2).subject.account->id, "77");
  EXPECT_EQ(how_many("xp_movements WHERE source_type = 'slash'"), 0) << "XP is not on the chain";
  expect_promises();
}

TEST_F(ChainSlashes, CloseAtTheirEndAsTheVotesOfThoseWithStandingSay) {
  apply({slash(1, 3)});
  apply({vote(1, 3, true), vote(2, 4, false), vote(3, 1, true), vote(4, 2, false)});
  EXPECT_EQ(state(), "open");
  apply({});
  EXPECT_EQ(state(), "open");
  apply({changed(3, false)}); // in the first block at its end, so it comes too late
  EXPECT_EQ(state(), "SLASHED 7:2") << "neither the author nor the subject judges it";
  EXPECT_EQ(shown(1).closed->at, shown(1).ends_at());
  EXPECT_EQ(cost(2), 200);
  expect_promises();
  undo(1);
  EXPECT_EQ(state(), "open");
  EXPECT_EQ(cost(2), 0);
  expect_promises();
  apply({});
  EXPECT_EQ(state(), "SLASHED 7:2");
  EXPECT_EQ(how_many("score_dirty WHERE cause = 'slash 1001'"), 1);
  undo(3);
  EXPECT_EQ(state(), "open");
  apply({});
  apply({});
  apply({});
  EXPECT_EQ(state(), "INCONCLUSIVE 0:0") << "the votes went with their block";
  expect_promises();
}

TEST_F(ChainSlashes, OfBlocksThatCameTogetherTheVotesBeforeTheEndCount) {
  const auto late_end = slash(1, 3);
  apply({late_end, vote(1, 4, true)}, 100);
  for (int i = 0; i < 4; ++i)
    apply({}, 100);
  EXPECT_EQ(state(), "SLASHED 2:0");
  apply({vote(2, 3, false)}, 100);
  EXPECT_EQ(state(), "SLASHED 2:0");
  expect_promises();
}

TEST_F(ChainSlashes, WhoStandsByTheSlashedPaysAndEndedVouchesDoNot) {
  apply({praise(0, cyd), vouch_events::early_vouched{{0}, {4}, {2}, 1000, 1000}, slash(1, 2), vote(1, 3, true)});
  apply({});
  apply({});
  EXPECT_EQ(state(), "SLASHED 7:0");
  EXPECT_EQ(cost(2), 200);
  EXPECT_EQ(cost(3), 20);
  EXPECT_EQ(cost(4), 40);
  apply({vouch_events::unvouched{{0}, {4}, {2}, 1000}});
  EXPECT_EQ(cost(4), 40) << "it is over";
  apply({slash_resolved{{1}, slash_resolution::inconclusive, 0}});
  EXPECT_EQ(state(), "INCONCLUSIVE 7:0") << "as the contract says";
  EXPECT_EQ(cost(2) + cost(3) + cost(4), 0);
  expect_promises();
  undo(1);
  EXPECT_EQ(state(), "SLASHED 7:0");
  EXPECT_EQ(cost(2), 200);
  EXPECT_EQ(cost(3), 20);
  EXPECT_EQ(cost(4), 40) << "what it came to then, although the vouch has ended since";
  expect_promises();
}

// A thousand supporters at most, so that closing is bounded work whoever it is about.
TEST_F(ChainSlashes, OfManySupportersTheFirstThousandPay) {
  apply({vouch_events::early_vouched{{0}, {4}, {2}, 1000, 1000}, slash(1, 2), vote(1, 3, true)});
  sql("INSERT INTO users (id, display_name, avatar_url, status) SELECT n, 'fan ' || n, "
      "'https://avatar.example', 'INACTIVE' FROM generate_series(50001, 51200) n;"
      "INSERT INTO score_reviews SELECT 900000 + 2 * n + twice, (SELECT user_id FROM profiles WHERE id "
      "= 1002), 52400 - n, 2, 0 FROM generate_series(1200, 2399) n, generate_series(0, 1) twice");
  apply({});
  apply({});
  EXPECT_EQ(state(), "SLASHED 7:0");
  EXPECT_EQ(cost(2), 200);
  EXPECT_EQ(cost(4), 40) << "who vouches comes before all who praise";
  EXPECT_EQ(how_many("slash_penalties"), 1001);
  EXPECT_EQ(number("SELECT max(user_id) FROM slash_penalties WHERE reason = 'review'"), 50999);
  EXPECT_EQ(number("SELECT sum(points) FROM slash_penalties WHERE reason = 'review'"), 999 * 20);
  test::expect_kept(url, promises_of("slash"));
  undo(1);
  EXPECT_EQ(how_many("slash_penalties"), 0);
  apply({});
  EXPECT_EQ(number("SELECT max(user_id) FROM slash_penalties WHERE reason = 'review'"), 50999) << "the same ones again";
}

TEST_F(ChainSlashes, VotesOfAStepMoveTheSumsOfASlashOnce) {
  sql("CREATE TABLE sums_moved (slash int); CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS"
      " 'BEGIN INSERT INTO sums_moved VALUES (NEW.slash_id); RETURN NULL; END';"
      "CREATE TRIGGER note_move AFTER UPDATE ON slash_tallies FOR EACH ROW EXECUTE FUNCTION note_move()");
  apply({slash(1, 50), slash(2, 50, cyd)});
  const auto of_second = vote_events::voted{false, {2}, fold_world::contract_of(contract_kind::slash), {2}, {3}};
  apply({vote(1, 3, true), vote(2, 4, true), of_second});
  EXPECT_EQ(how_many("sums_moved WHERE slash = 1001"), 1);
  EXPECT_EQ(how_many("sums_moved WHERE slash = 1002"), 1);
  EXPECT_EQ(number("SELECT for_it * 10 + against_it FROM slash_tallies WHERE slash_id = 1001"), 90);
  expect_promises();
  undo(1);
  EXPECT_EQ(number("SELECT for_it + against_it FROM slash_tallies WHERE slash_id = 1001"), 0);
  EXPECT_EQ(how_many("slash_ballots"), 0);
  expect_promises();
}

TEST_F(ChainSlashes, ToldLateOnesHaveTheVotesThatWereGivenBeforeTheirEnd) {
  const auto first = slash(1, 3);
  apply({vote(1, 3, true)});
  for (int i = 0; i < 3; ++i)
    apply({});
  apply({vote(2, 4, false)}); // after the end
  apply({first});
  apply({});
  EXPECT_EQ(state(), "SLASHED 7:0");
  expect_promises();
  apply({slash_extended{{1}, {9}}});
  EXPECT_EQ(state(), "open");
  expect_promises();
  for (int i = 0; i < 3; ++i)
    apply({});
  EXPECT_EQ(state(), "SLASHED 7:2") << "the new end is behind that vote";
  expect_promises();
  undo(4);
  EXPECT_EQ(state(), "SLASHED 7:0");
  expect_promises();
}

TEST_F(ChainSlashes, ToldLateOnesHaveTheVotesOfAThousandVoters) {
  const auto first = slash(1, 3);
  sql("INSERT INTO users (id, display_name, avatar_url, status) SELECT n, 'voter ' || n, 'https://avatar.example',"
      " 'ACTIVE' FROM generate_series(50001, 51200) n;"
      " INSERT INTO profiles (id, user_id, created_at, updated_at, source) SELECT n, n, now(), now(), 'chain'"
      " FROM generate_series(50001, 51200) n;"
      " INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at, source, event_id)"
      " SELECT 'slash', 1001, n, n, true, '2020-01-01', '2020-01-01', 'chain', 1"
      " FROM generate_series(50001, 51200) n");
  apply({first});
  EXPECT_EQ(how_many("slash_ballots"), 1000);
  EXPECT_EQ(number("SELECT max(voter_id) FROM slash_ballots"), 51000);
  test::expect_kept(url, promises_of("slash"));
  undo(1);
  EXPECT_EQ(how_many("slash_ballots"), 0);
}

TEST_F(ChainSlashes, ManyThatEndTogetherCloseTwoInATransaction) {
  sql("CREATE TABLE closed_in (batch xid8); CREATE FUNCTION note_closing() RETURNS trigger LANGUAGE plpgsql AS"
      " 'BEGIN INSERT INTO closed_in VALUES (pg_current_xact_id()); RETURN NULL; END';"
      " CREATE TRIGGER note_closing AFTER UPDATE ON slashes FOR EACH ROW"
      " WHEN (OLD.closed_at IS NULL AND NEW.closed_at IS NOT NULL) EXECUTE FUNCTION note_closing()");
  const auto most_at_once = [&] {
    return number("SELECT max(n) FROM (SELECT count(*) AS n FROM closed_in GROUP BY batch) each");
  };
  std::vector<event> five;
  for (int i = 1; i <= 5; ++i)
    five.push_back(slash(i, 2));
  apply(five);
  apply({vote(1, 3, true)});
  apply({changed(3, false)}); // at the end, so it comes behind all of them
  EXPECT_EQ(how_many("slashes WHERE closed_at IS NOT NULL"), 5);
  EXPECT_EQ(most_at_once(), 2);
  EXPECT_EQ(state(), "SLASHED 7:0");
  expect_promises();
  undo(1);
  EXPECT_EQ(how_many("slashes WHERE closed_at IS NULL"), 5);
  expect_promises();
  apply({}); // a block without events
  EXPECT_EQ(how_many("slashes WHERE closed_at IS NOT NULL"), 5);
  EXPECT_EQ(most_at_once(), 2);
  EXPECT_EQ(state(), "SLASHED 7:0");
  expect_promises();
}

/// Two close at the time of the next block, ahead of its step, which does not come.
TEST_F(ChainSlashes, ThoseClosedAheadOfABlockAreOpenAgainWhereItDoesNotCome) {
  apply({slash(1, 2), slash(2, 2), slash(3, 2)});
  apply({});
  const auto closed = [&] { return number("SELECT count(closed_at) FROM slashes"); };
  const auto ahead = [&] { return read(load_follow{how.chain}).place->written_ahead; };
  EXPECT_FALSE(ahead());
  folded({vote(1, 3, true)}, 0, false);
  ASSERT_EQ(closed(), 2);
  EXPECT_TRUE(ahead());
  const auto events = how_many("chain_events");
  write(blocks_undone{how.chain, at.tip.hash, at.tip, noon});
  EXPECT_EQ(closed(), 0);
  EXPECT_FALSE(ahead());
  EXPECT_EQ(read(load_follow{how.chain}).place->tip, at.tip);
  EXPECT_EQ(number("SELECT reorganisations FROM chain_follow"), 0);
  EXPECT_EQ(how_many("chain_events"), events);
  expect_promises();
  ++fork;
  apply({vote(1, 3, true)}); // the block in its place
  EXPECT_EQ(closed(), 3);
  EXPECT_FALSE(ahead());
  expect_promises();
  undo(1);
  EXPECT_EQ(closed(), 0);
  expect_promises();
}

TEST_F(ChainSlashes, AContractThatSaysTheSameChangesNothing) {
  apply({praise(0, cyd), slash(1, 2), vote(1, 4, true)});
  apply({});
  apply({});
  apply({review_events::review_archived{{0}, cyd, bob}});
  apply({slash_resolved{{1}, slash_resolution::slashed, 0}, vote(2, 3, false), resolution_executed{{1}},
         slash_edited{{1}, "over", ""}});
  EXPECT_EQ(state(), "SLASHED 2:0");
  EXPECT_EQ(cost(3), 20) << "praise that is taken back after the end does not help";
  EXPECT_EQ(how_many("slashes WHERE executed AND ended_by = 'resolved' AND comment = 'over'"), 1);
  expect_promises();
}

TEST_F(ChainSlashes, ADefendedOneCostsItsAuthor) {
  apply({slash(1, 2), vote(1, 3, false)});
  apply({});
  apply({});
  EXPECT_EQ(state(), "DEFENDED 0:7");
  EXPECT_EQ(cost(1), 200);
  EXPECT_EQ(cost(2), 0);
  expect_promises();
}

TEST_F(ChainSlashes, AreOpenAgainWhenTheyAreExtendedAfterTheirEnd) {
  apply({slash(1, 2), vote(1, 3, true)});
  apply({});
  apply({});
  EXPECT_EQ(state(), "SLASHED 7:0");
  apply({vote(2, 4, false), slash_extended{{1}, {6}}});
  EXPECT_EQ(state(), "open");
  EXPECT_EQ(cost(2), 0);
  expect_promises();
  apply({changed(3, false)});
  apply({});
  apply({});
  EXPECT_EQ(state(), "DEFENDED 0:9");
  EXPECT_EQ(cost(1), 200);
  expect_promises();
  undo(4);
  EXPECT_EQ(state(), "SLASHED 7:0");
  EXPECT_EQ(cost(2), 200);
  EXPECT_EQ(cost(1), 0);
  expect_promises();
}

TEST_F(ChainSlashes, ExtendedInTheBlockOfTheirEndTheyAreWhatTheyWereWhenThatIsTakenBack) {
  apply({slash(1, 2), vote(1, 3, true)});
  apply({});
  apply({slash_extended{{1}, {2}}, slash_extended{{1}, {6}},
         slash_edited{{1}, "longer", ""}}); // closed, opened, closed and opened again
  EXPECT_EQ(state(), "open");
  expect_promises();
  undo(1);
  EXPECT_EQ(state(), "open");
  EXPECT_EQ(shown(1).comment, "why");
  EXPECT_EQ(shown(1).lasts, std::chrono::seconds{2});
  EXPECT_EQ(cost(2), 0);
  expect_promises();
}

TEST_F(ChainSlashes, CancelledOnesCostNothing) {
  apply({slash(1, 50), vote(1, 3, true)});
  const auto when = next();
  apply({slash_cancelled{{1}, alice, {when}}});
  EXPECT_EQ(state(), "CANCELLED 7:0");
  EXPECT_EQ(shown(1).closed->at, timestamp{std::chrono::seconds{when}});
  EXPECT_EQ(cost(1) + cost(2), 0);
  expect_promises();
  undo(1);
  EXPECT_EQ(state(), "open");
}

TEST_F(ChainSlashes, MoneyIsCutByTheContractAlone) {
  apply({vouch_events::early_vouched{{0}, {2}, {4}, 1000, 1000}, slash(1, 2, bob, slash_type::financial),
         vote(1, 3, true)});
  apply({});
  apply({});
  EXPECT_EQ(state(), "SLASHED 7:0");
  EXPECT_EQ(cost(2), 0);
  EXPECT_EQ(number("SELECT balance::int8 FROM vouches"), 1000);
  EXPECT_EQ(how_many("slash_cuts"), 0);
  apply({vouch_events::slashed{{2}, 100, 10}});
  EXPECT_EQ(number("SELECT balance::int8 FROM vouches"), 990);
  expect_promises();
}

TEST_F(ChainSlashes, AnUnknownSubjectIsWhoeverItTurnsOutToBe) {
  const auto eve = samples::address_of(5);
  apply({review_events::review_created{review_score::positive, dan, {}, eve, {0}, {0}}, slash(1, 2, eve),
         vote(1, 3, true)});
  apply({});
  apply({});
  EXPECT_EQ(how_many("slash_penalties WHERE reason = 'subject'"), 1) << "of somebody without a profile";
  EXPECT_EQ(cost(2), 0);
  apply({profile_events::address_claim{{2}, eve, address_claim_kind::claimed}});
  EXPECT_EQ(cost(2), 200) << "Bob claims the address";
  expect_promises();
  undo(1);
  EXPECT_EQ(cost(2), 0);
  EXPECT_EQ(how_many("slash_penalties WHERE reason = 'subject'"), 1);
  expect_promises();
}

TEST_F(ChainSlashes, AnEventThatTheDatabaseRefusesFailsAloneBesideAClosing) {
  apply({slash(1, 1), vote(1, 3, true)});
  apply({attestation_events::attestation_created{{2}, people::account_service::x, std::string(1001, '7'), "", {1}},
         slash_edited{{1}, "late", ""}});
  ASSERT_EQ(last.events.size(), 2u);
  EXPECT_EQ(last.events[0].reason, "refused:attestations_account_length");
  EXPECT_EQ(last.events[1].status, event_status::applied);
  EXPECT_EQ(state(), "SLASHED 7:0");
  EXPECT_EQ(shown(1).comment, "late");
  expect_promises();
}

TEST_F(ChainSlashes, TamperingIsFound) {
  apply({slash(1, 2), vote(1, 3, true)});
  apply({});
  apply({});
  expect_promises();
  sql("UPDATE slashes SET amount = 5");
  expect_differences({"slash 1001 is stored otherwise"});
}

} // namespace
} // namespace credence::persistence
