#include "persistence/sql/reputation_sql.hpp"
#include "tests/persistence/sql/chain_rows_fixture.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

namespace credence::persistence {
namespace {

event review_of(int number, const address& by, const address& of) {
  return review_events::review_created{review_score::positive, by, {}, of, {number}, {0}};
}

TEST_F(ChainRows, AreMadeOfEventsAndTakenBackWithTheirBlocks) {
  apply({profile_events::profile_created{{1}, alice}});
  apply({review_of(0, alice, bob)});
  EXPECT_EQ(how_many("profiles WHERE id = 1001 AND source = 'chain' AND event_id = 1 AND block = 1 AND NOT archived"),
            1);
  EXPECT_EQ(how_many("reviews WHERE id = 1000 AND author_profile = 1001 AND source = 'chain' AND "
                     "event_id = 2 AND block = 2"),
            1);
  EXPECT_EQ(how_many("activities WHERE kind = 'review' AND id = 1000"), 1);
  const std::string bobs =
    "SELECT count(*) FROM users u JOIN addresses a ON a.user_id = u.id WHERE a.address = decode('"
    + samples::hex(bob.bytes) + "', 'hex') AND a.kind = 'primary'";
  EXPECT_EQ(number(bobs + " AND u.status = 'INACTIVE' AND u.reviews_positive = 1 AND u.id >= 1000000000"), 1);
  EXPECT_EQ(how_many("score_dirty d JOIN users u ON u.id = d.user_id WHERE d.cause = 'event 2' AND "
                     "u.reviews_positive = 1"),
            1);
  expect_whole();
  on.exec("INSERT INTO score_latest SELECT id, now() FROM users WHERE id >= 1000000000",
          soon()); // both have scores by now
  undo(1);
  EXPECT_EQ(how_many("users WHERE id >= 1000000000"), 1) << "of the author alone";
  EXPECT_EQ(how_many("reviews"), 0);
  EXPECT_EQ(number(bobs), 0) << "nobody has named the address";
  expect_whole();
  apply({profile_events::profile_created{{2}, bob}, review_of(0, bob, alice),
         review_events::review_archived{{0}, bob, alice}});
  EXPECT_EQ(number(bobs + " AND u.status = 'ACTIVE'"), 1);
  EXPECT_EQ(how_many("reviews WHERE archived"), 1);
  expect_whole();
}

TEST_F(ChainRows, TellSinceWhichBlockTheyAreAsTheyAre) {
  apply({profile_events::profile_created{{1}, alice}});
  apply({profile_events::address_claim{{1}, bob, address_claim_kind::claimed}});
  apply({profile_events::profile_created{{2}, samples::address_of(3)}, profile_events::invites_added{{1}, 3}});
  const auto profile = [&](int id) {
    return number("SELECT since_block FROM profiles WHERE id = " + std::to_string(1000 + id));
  };
  const auto bobs = [&] {
    return number("SELECT since_block FROM addresses WHERE address = decode('" + samples::hex(bob.bytes) + "', 'hex')");
  };
  EXPECT_EQ(profile(1), 1) << "invites change nothing of that";
  EXPECT_EQ(number("SELECT block FROM profiles WHERE id = 1001"), 3);
  EXPECT_EQ(bobs(), 2);
  apply({profile_events::address_claim{{1}, bob, address_claim_kind::unclaimed}});
  EXPECT_EQ(bobs(), 4);
  undo(1);
  EXPECT_EQ(bobs(), 2) << "as it was";
  apply({profile_events::profile_archived{{1}}});
  EXPECT_EQ(profile(1), 1);
  apply({profile_events::profile_restored{{1}}});
  EXPECT_EQ(profile(1), 5) << "back from the archive";
  undo(3);
  apply({});
  apply({profile_events::profile_created{{2}, samples::address_of(3)}});
  EXPECT_EQ(profile(2), 4) << "it came again in another block";
  EXPECT_EQ(how_many("profiles WHERE source = 'api' AND since_block IS NOT NULL"), 0);
  expect_whole();
}

TEST_F(ChainRows, AnEventThatTheDatabaseRefusesFailsAlone) {
  apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}});
  const auto attested = [](int number, int profile, const std::string& account) {
    return attestation_events::attestation_created{{profile}, people::account_service::x, account, "", {number}};
  };
  apply({attested(1, 1, "7"), attested(2, 2, std::string(1001, '7')),
         review_of(0, alice, bob)}); // an index holds no such text
  ASSERT_EQ(last.events.size(), 3u);
  EXPECT_EQ(last.events[0].status, event_status::applied);
  EXPECT_EQ(last.events[1].status, event_status::failed);
  EXPECT_EQ(last.events[1].reason, "refused:attestations_account_length");
  EXPECT_EQ(last.events[2].status, event_status::applied);
  EXPECT_EQ(how_many("chain_events WHERE status = 'failed' AND reason = 'refused:attestations_account_length'"), 1);
  EXPECT_EQ(how_many("reviews"), 1);
  EXPECT_EQ(how_many("chain_refusals"), 0) << "it is stored with the event";
  expect_whole();
}

/// None of the events took most of the time, so none of them is to blame.
TEST_F(ChainRows, EventsThatTakeTooLongTogetherAreNotRefused) {
  apply({profile_events::profile_created{{1}, alice}});
  sql("CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NEW; END';"
      "CREATE TRIGGER sleep BEFORE INSERT ON attestations FOR EACH ROW EXECUTE FUNCTION sleep()");
  on.run("SET statement_timeout = '4s'", soon());
  std::vector<event> many;
  for (std::int32_t i = 1; i <= 6; ++i)
    many.push_back(
      attestation_events::attestation_created{{1}, people::account_service::x, std::to_string(i), "", {i}});
  EXPECT_THROW(write(trial_of(folded(many, 0, true))), database_error);
  EXPECT_EQ(how_many("chain_refusals"), 0);
}

TEST_F(ChainRows, AnAccountMovesToAnotherAttestationAndBackInOneBlockEach) {
  const auto service = people::account_service::x;
  const auto archived = [&](int number) {
    return attestation_events::attestation_archived{{number}, service, "7", {number}};
  };
  const auto restored = [&](int number) {
    return attestation_events::attestation_restored{{number}, service, "7", {number}};
  };
  const auto expect_live = [&](int which) {
    EXPECT_EQ(number("SELECT sum(id) FROM attestations WHERE NOT archived"), 1000 + which);
    expect_whole();
  };
  apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}});
  apply({attestation_events::attestation_created{{1}, service, "7", "", {1}}, archived(1),
         attestation_events::attestation_created{{2}, service, "7", "", {2}}});
  expect_live(2);
  apply({archived(2), restored(1)});
  expect_live(1);
  apply({archived(1), restored(2)});
  expect_live(2);
  undo(1);
  expect_live(1);
  undo(1);
  expect_live(2);
  EXPECT_EQ(how_many("chain_events WHERE status = 'failed'"), 0);
}

TEST_F(ChainRows, NothingIsKeptForUndoingWhatIsFinal) {
  apply({profile_events::profile_created{{1}, alice}});
  EXPECT_GT(how_many("chain_undo"), 0);
  apply({profile_events::profile_created{{2}, bob}}, 2);
  EXPECT_EQ(how_many("chain_undo"), 0);
}

TEST_F(ChainRows, ReplayTellsWhatDiffers) {
  apply({profile_events::profile_created{{1}, alice}, review_of(0, alice, bob)});
  sql("UPDATE reviews SET score = 0");
  const auto found = replay_chain(on, how, soon());
  ASSERT_EQ(found.differences, 1);
  EXPECT_EQ(found.examples.front(), "review 1000 is stored otherwise");
  EXPECT_EQ(found.events, 2);
}

TEST_F(ChainRows, AreWhatTheEventsFoldToWhateverIsTakenBack) {
  samples::dice_type dice{20261123};
  std::map<std::string, std::int64_t> seen; // rows, whenever one looked
  for (int round = 0; round < 200; ++round) {
    std::vector<event> events;
    for (auto left = samples::below(dice, 14); left > 0; --left)
      events.push_back(random_step(dice));
    apply(events);
    if (HasFatalFailure())
      return;
    if (at.blocks.size() > 1 && samples::below(dice, 4) == 0)
      undo(1 + samples::below(dice, std::min<std::size_t>(at.blocks.size() - 1, 5)));
    if (round % 10 == 9) {
      expect_whole();
      test::expect_kept(url, promises_of("slash"));
      for (const std::string table :
           {"reviews", "activity_votes", "broker_posts", "broker_credits", "chain_projects", "token_balances",
            "slashes", "chain_markets", "chain_trades", "chain_prices", "chain_positions"})
        seen[table] += how_many(table);
    }
    if (HasFailure()) {
      ADD_FAILURE() << "in round " << round;
      return;
    }
  }
  for (const auto& [table, rows] : seen)
    EXPECT_GT(rows, 0) << table;
}

using namespace bond_events;

/// Profiles 1001 to 1004 of a chain; the first three have bonds for the last one.
struct ChainBonds : ChainRows {
  ChainBonds() {
    for (int i = 1; i <= 4; ++i)
      apply({profile_events::profile_created{{i}, samples::address_of(static_cast<unsigned char>(i))}});
  }
  static event bond(int number, int author) { return bond_created{{number}, {author}, "HUMAN", "500", "XP"}; }
  void expect_promises() {
    expect_whole();
    test::expect_kept(url, promises_of("reputation"));
  }
};

TEST_F(ChainBonds, AreMadeOfEventsAndTakenBackWithTheirBlocks) {
  apply({bond(1, 1)});
  EXPECT_EQ(how_many("bonds WHERE id = 1001 AND author_profile = 1001 AND amount = '500' AND source = 'chain' AND "
                     "event_id = 5 AND subject_profile IS NULL AND expires_at IS NULL AND NOT archived"),
            1);
  const auto shown = test::there(read(reputation::get_bond{reputation::bond_id{1001}}));
  EXPECT_EQ(shown->type, "HUMAN");
  EXPECT_FALSE(shown->subject_profile) << "the contract has not told";
  EXPECT_EQ(how_many("activities WHERE kind = 'bond' AND id = 1001"), 1);
  expect_promises();
  undo(1);
  EXPECT_EQ(how_many("bonds"), 0);
  expect_promises();
}

TEST_F(ChainBonds, ArchivingAndExpiringAreTakenBackToo) {
  apply({bond(1, 1)});
  apply({bond_expiration_updated{{1}, {1}, alice, "2029-01-31"}, bond_archived{{1}, {1}, alice, ""}});
  EXPECT_EQ(how_many("bonds WHERE archived AND archive_reason = '' AND archived_by_wallet IS NOT NULL"
                     " AND expires_at = '2029-01-31 23:59:59Z' AND told_expiration = '2029-01-31'"),
            1);
  EXPECT_EQ(how_many("activities WHERE kind = 'bond' AND archived"), 1);
  expect_promises();
  undo(1);
  EXPECT_EQ(how_many("bonds WHERE NOT archived AND expires_at IS NULL AND told_expiration IS NULL"), 1);
  expect_promises();
}

TEST_F(ChainBonds, ATextThatIsTooLongFailsAlone) {
  apply({bond_created{{1}, {1}, "HUMAN", std::string(257, 'x'), "XP"}, bond(2, 2)});
  EXPECT_EQ(last.events[0].reason, "refused:bonds_texts");
  EXPECT_EQ(how_many("bonds"), 1);
  expect_promises();
}

using whuffie_events::transfer;

const address nobody{};

/// What people hold, by the transfers of a token.
struct TokenRows : ChainRows {
  TokenRows() { apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}}); }

  bool holds(int profile, const std::string& wei) {
    return how_many("users u JOIN profiles p ON p.user_id = u.id WHERE p.id = " + std::to_string(profile)
                    + " AND u.holdings_wei IS NOT DISTINCT FROM " + wei)
           == 1;
  }
  static event claim(int profile, const address& which, address_claim_kind kind) {
    return profile_events::address_claim{{profile}, which, kind};
  }
};

TEST_F(TokenRows, PeopleHoldWhatTheirAddressesHold) {
  const auto other = samples::address_of(3);
  apply({transfer{nobody, alice, 100}, transfer{nobody, other, 7}});
  EXPECT_TRUE(holds(1001, "100"));
  EXPECT_TRUE(holds(1002, "NULL")) << "nothing is known of them";
  expect_whole();
  apply({claim(1, other, address_claim_kind::claimed)});
  EXPECT_TRUE(holds(1001, "107")) << "with what the address had";
  apply({transfer{other, bob, 5}, claim(1, other, address_claim_kind::unclaimed)});
  EXPECT_TRUE(holds(1001, "100"));
  EXPECT_TRUE(holds(1002, "5"));
  expect_whole();
  undo(2);
  EXPECT_TRUE(holds(1001, "100"));
  EXPECT_TRUE(holds(1002, "NULL"));
  expect_whole();
  undo(1);
  EXPECT_TRUE(holds(1001, "NULL"));
  EXPECT_EQ(how_many("token_balances"), 0);
  expect_whole();
}

TEST_F(TokenRows, PlansLookUpByIndexesWhateverTheTablesHad) {
  EXPECT_EQ(how_many("pg_proc WHERE proname IN ('sum_holdings', 'move_holdings', 'move_holdings_of_addresses')"
                     " AND proconfig @> '{plan_cache_mode=force_generic_plan,enable_seqscan=off}'"),
            3);
}

TEST_F(TokenRows, TheGreatestAmountIsStoredAndShown) {
  const auto most = std::numeric_limits<uint256>::max();
  const auto other = samples::address_of(3);
  apply({claim(1, other, address_claim_kind::claimed), transfer{nobody, alice, most}, transfer{nobody, other, most}});
  EXPECT_EQ(how_many("token_balances WHERE balance = 2::numeric ^ 256 - 1 AND missing = 0"), 2);
  EXPECT_TRUE(holds(1001, "2::numeric ^ 256 - 1")) << "an amount beyond that is none that a client could read";
  apply({transfer{bob, alice, 1}});
  EXPECT_EQ(last.events.front().reason, "refused:balance_at_most_2^256");
  expect_whole();
}

TEST_F(TokenRows, RewardsAreStoredAndTakenBack) {
  apply({rewards_events::credited{samples::address_of(8), alice, 40, 40}});
  apply({rewards_events::debited{samples::address_of(8), alice, 15, 25}, rewards_events::reward_claimed{alice, 15}});
  EXPECT_EQ(number("SELECT balance::int8 FROM reward_balances"), 25);
  EXPECT_EQ(how_many("chain_events WHERE status = 'applied' AND contract = 'rewards'"), 3);
  expect_whole();
  undo(1);
  EXPECT_EQ(number("SELECT balance::int8 FROM reward_balances"), 40);
  expect_whole();
}

TEST_F(TokenRows, ReplayTellsOfWhatWasTamperedWith) {
  apply({transfer{nobody, alice, 100}, rewards_events::credited{samples::address_of(8), alice, 40, 40}});
  sql("UPDATE token_balances SET balance = 5");
  sql("DELETE FROM reward_balances");
  const auto found = replay_chain(on, how, soon());
  EXPECT_EQ(found.differences, 3);
  ASSERT_FALSE(found.examples.empty());
  EXPECT_EQ(found.examples.front(), "balance of " + lower_text(alice) + " is stored otherwise");
}

/// What may rest on rows that events brought, and what becomes of what rests on them.

using reputation::activity_kind;

struct SettledRows : ChainRows {
  SettledRows() { apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}}); }

  void settle(int up_to) {
    sql("SELECT settle_chain(31337, (SELECT tip_hash FROM chain_follow), " + std::to_string(up_to) + ")");
  }
  /// The block that a record waits for; 0: none.
  std::int64_t waits_for(activity_kind kind, int onchain) {
    const auto found = read_activities_here(on, {{kind, 1000 + onchain}}, soon());
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? -1 : found.front().unsettled.value_or(0);
  }
};

TEST_F(SettledRows, RecordsOfEveryKindTakeVotesAndRepliesOnceTheirBlockIsSettled) {
  settle(1);
  apply(
    {review_events::review_created{review_score::positive, alice, {}, bob, {1}, {0}},
     slash_events::slash_created{{1}, {1'790'000'002}, {60}, bob, {}, {1}, {0}, 200, slash_type::score, "why", "{}"},
     reputation_market_events::market_created{{1}, alice, {1500, 1000, 5}},
     attestation_events::attestation_created{{1}, people::account_service::x, "77", "a post", {1}}});
  const auto all = {activity_kind::review, activity_kind::slash, activity_kind::market, activity_kind::attestation};
  for (const auto each : all)
    EXPECT_EQ(waits_for(each, 1), 2) << reputation::name_of(each);
  apply({review_events::review_edited{{1}, alice, bob}});
  EXPECT_EQ(waits_for(activity_kind::review, 1), 2) << "an edit makes it no younger";
  settle(2);
  for (const auto each : all)
    EXPECT_EQ(waits_for(each, 1), 0) << reputation::name_of(each);
}

TEST_F(SettledRows, AHandleLeadsToWhoeverHasItSinceASettledBlock) {
  settle(1);
  apply({attestation_events::attestation_created{{1}, people::account_service::x, "77", "a post", {1}}});
  sql("UPDATE attestations SET username = 'Ada'");
  const auto found = [&](people::lookup_key::form form, const std::string& text) {
    return read(people::find_people{{{.how = form, .service = people::account_service::x, .text = text}}})
      .people.front();
  };
  for (const auto& each :
       {found(people::lookup_key::form::x_handle, "ada"), found(people::lookup_key::form::x_account_or_handle, "77"),
        found(people::lookup_key::form::account, "77")}) {
    EXPECT_EQ(each.profile, profile_id{1001});
    EXPECT_EQ(each.unsettled, 2);
  }
  settle(2);
  EXPECT_EQ(found(people::lookup_key::form::x_handle, "ada").unsettled, std::nullopt);
}

/// The id may come again, of somebody else.
TEST_F(SettledRows, KeysAndSessionsEndWithTheBlockOfTheirProfile) {
  const auto made_for = [&](int profile, int number) {
    const auto n = std::to_string(number), who = std::to_string(1000 + profile);
    sql("INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at) VALUES "
        "('00000000-0000-0000-0000-00000000000"
        + n + "', " + who + ", decode(repeat('01', 20), 'hex'), 'key', sha256('k" + n
        + "'), '2026-01-01', '2026-12-01');"
        + "INSERT INTO sessions (id, profile_id, refresh_hash, rotated_at, created_at, expires_at) VALUES"
          " ('10000000-0000-0000-0000-00000000000"
        + n + "', " + who + ", sha256('s" + n + "'), '2026-01-01', '2026-01-01', '2036-01-01')");
  };
  const auto in_force = [&](int profile) {
    const auto who = std::to_string(1000 + profile);
    return number("SELECT (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL AND profile_id = " + who
                  + ") + (SELECT count(*) FROM sessions WHERE ended_at IS NULL AND profile_id = " + who + ")");
  };
  apply({profile_events::profile_created{{3}, samples::address_of(3)}});
  made_for(3, 3);
  made_for(1, 1);
  apply({profile_events::profile_archived{{3}}});
  EXPECT_EQ(in_force(3), 2) << "an archived profile keeps them";
  undo(2);
  EXPECT_EQ(in_force(3), 0);
  EXPECT_EQ(in_force(1), 2) << "that profile is there";
  apply({profile_events::profile_created{{3}, samples::address_of(4)}});
  EXPECT_EQ(in_force(3), 0) << "of whoever has the id now";
  EXPECT_EQ(how_many("audit_log WHERE profile_id = 1003 AND after = 'ended: the block of the profile was taken back' "
                     "AND (act, subject) IN (('key_revoked', 'API key 00000000-0000-0000-0000-000000000003'),"
                     "  ('session_ended', 'session 10000000-0000-0000-0000-000000000003'))"),
            2);
  EXPECT_EQ(how_many("audit_log a WHERE hash <> audit_hash(a)"), 0);
  expect_whole();
}

using namespace vouch_events;

const address cyd = samples::address_of(3);

/// Profiles 1001 to 1003 of a chain, who vouch for each other.
struct ChainVouches : ChainRows {
  ChainVouches() {
    apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob},
           profile_events::profile_created{{3}, cyd}});
  }
  static event vouch(int number, int author, int subject, wei staked = 1000, wei deposited = 1000) {
    return early_vouched{{number}, {author}, {subject}, staked, deposited};
  }
  static event whuf(int number, const address& by, const std::string& target, wei balance) {
    return vouch_v2_events::vouched{by, keccak256(target), {number}, target, balance, 0, "first"};
  }
  std::int64_t of_user(const std::string& columns, int profile, const char* token = "eth") {
    return number("SELECT (" + columns
                  + ")::int8 FROM user_vouches WHERE user_id = (SELECT user_id FROM profiles WHERE id = "
                  + std::to_string(profile) + ") AND token = '" + token + "'");
  }
  std::int64_t young(int profile) {
    return number("SELECT (young_wei + mature_wei)::int8 FROM score_inputs WHERE user_id = (SELECT user_id FROM "
                  "profiles WHERE id = "
                  + std::to_string(profile) + ")");
  }
  /// What `verify` promises of records and scores.
  void expect_promises() {
    expect_whole();
    EXPECT_EQ(check_scores(on, soon()).differences, 0);
    test::expect_kept(url, promises_of("reputation"));
    test::expect_kept(url, promises_of("score"));
  }
};

TEST_F(ChainVouches, AreMadeOfEventsAndTakenBackWithTheirBlocks) {
  apply({vouch(0, 1, 2, 1060, 1000)});
  EXPECT_EQ(
    how_many(
      "vouches WHERE contract = 'vouch' AND number = 1000 AND author_profile = 1001 AND staked = 1060 AND deposited = "
      "1000 AND balance = 1000 AND token = 'eth' AND source = 'chain' AND event_id = 4 AND block = 2"),
    1);
  EXPECT_EQ(of_user("given_wei", 1001), 1000);
  EXPECT_EQ(of_user("received_wei * 10 + received_count", 1002), 10'001);
  EXPECT_EQ(young(1002), 1000);
  EXPECT_EQ(number("SELECT vouchers FROM score_inputs WHERE user_id = (SELECT user_id FROM profiles WHERE id = 1002)"),
            1);
  EXPECT_EQ(how_many("score_dirty WHERE cause = 'event 4'"), 1);
  EXPECT_EQ(how_many("activities WHERE kind = 'vouch' AND id = 1000 AND NOT archived"), 1);
  const auto shown = read(reputation::get_vouch{vouch_id{1000}});
  ASSERT_TRUE(shown) << "the API shows it like its own";
  EXPECT_EQ(shown->balance, 1000);
  EXPECT_EQ(shown->subject_profile, profile_id{1002});
  expect_promises();
  undo(1);
  EXPECT_EQ(how_many("vouches"), 0);
  EXPECT_EQ(how_many("vouch_parts"), 0);
  EXPECT_EQ(young(1002), 0);
  EXPECT_EQ(of_user("given_wei + given_count + lifetime_given_wei + lifetime_given_count", 1001), 0);
  expect_promises();
}

TEST_F(ChainVouches, WhomAnUndoneVouchBroughtIsGone) {
  const std::string strangers = "SELECT count(*) FROM users WHERE id >= 1000000000 AND status = 'INACTIVE'";
  apply({vouched{{0}, {1}, {9}, samples::address_of(77), {}, 5, 5}});
  EXPECT_EQ(number(strangers), 1);
  undo(1);
  EXPECT_EQ(number(strangers), 0);
  EXPECT_EQ(how_many("subjects WHERE source = 'chain'"), 0);
}

TEST_F(ChainVouches, WhatSharesAndCutsChangedComesBackWithTheBlock) {
  const std::string parts = "SELECT coalesce(sum(amount), 0)::int8 FROM vouch_parts WHERE number = 1000";
  apply({vouch(0, 1, 3)});
  apply({vouch(1, 2, 3, 1060, 1000)});
  EXPECT_EQ(number(parts), 1040) << "a share of the fees";
  apply({vouch_events::slashed{{1}, 1000, 104}, vouch_events::early_vouch_increased{{0}, {1}, {3}, 5, 5}});
  EXPECT_EQ(number(parts), 941);
  EXPECT_EQ(number("SELECT slashed::int8 FROM vouches WHERE number = 1000"), 104);
  EXPECT_EQ(young(1003), 1941);
  expect_promises();
  undo(1);
  EXPECT_EQ(number(parts), 1040);
  EXPECT_EQ(number("SELECT slashed::int8 FROM vouches WHERE number = 1000"), 0);
  undo(1);
  EXPECT_EQ(number(parts), 1000);
  EXPECT_EQ(young(1003), 1000);
  expect_promises();
}

TEST_F(ChainVouches, AnEndAndAnotherBeginningInOneBlockComeBackAsTheyWere) {
  apply({vouch(0, 1, 2)});
  apply({unvouched{{0}, {1}, {2}, 990}, vouch(1, 1, 2, 50, 50), marked_unhealthy{{0}, {1}, {2}}});
  EXPECT_EQ(young(1002), 50);
  EXPECT_EQ(number("SELECT unhealthy FROM score_inputs WHERE user_id = (SELECT user_id FROM profiles WHERE id = 1002)"),
            1);
  EXPECT_EQ(how_many("vouches WHERE number = 1000 AND archived AND balance = 0 AND withdrawn = 990 AND unhealthy"), 1);
  EXPECT_EQ(how_many("activities WHERE kind = 'vouch' AND archived"), 1);
  expect_promises();
  undo(1);
  EXPECT_EQ(young(1002), 1000);
  EXPECT_EQ(how_many("vouches WHERE NOT archived AND NOT unhealthy AND unvouched_at IS NULL"), 1);
  expect_promises();
}

TEST_F(ChainVouches, ThoseInWhufCountVouchersAndNoEther) {
  apply({whuf(1, alice, "profileId:2", 700)});
  EXPECT_EQ(of_user("received_wei", 1002, "whuf"), 700);
  EXPECT_EQ(young(1002), 0);
  EXPECT_EQ(number("SELECT vouchers FROM score_inputs WHERE user_id = (SELECT user_id FROM profiles WHERE id = 1002)"),
            1);
  EXPECT_EQ(how_many("vouches WHERE contract = 'vouchV2' AND number = 1001 AND metadata = 'first'"), 1);
  apply({vouch_v2_events::vouch_metadata_updated{{1}, "second"}, vouch_v2_events::vouch_decreased{{1}, 200, 0, 500}});
  EXPECT_EQ(how_many("vouches WHERE metadata = 'second' AND balance = 500 AND withdrawn = 200"), 1);
  expect_promises();
  undo(1);
  EXPECT_EQ(how_many("vouches WHERE metadata = 'first' AND balance = 700"), 1);
  expect_promises();
}

TEST_F(ChainVouches, TwoWalletsOfAProfileCannotVouchForOneSubjectInWhuf) {
  const address other = samples::address_of(11);
  apply({profile_events::address_claim{{1}, other, address_claim_kind::claimed}, whuf(1, alice, "profileId:2", 700),
         whuf(2, other, "profileId:2", 5), whuf(3, other, "profileId:3", 5)});
  ASSERT_EQ(last.events.size(), 4u);
  EXPECT_EQ(last.events[2].reason, "refused:vouches_active");
  EXPECT_EQ(how_many("vouches"), 2);
  expect_promises();
}

TEST_F(ChainVouches, TextsThatWereReadOfTheContractStay) {
  apply({vouch(0, 1, 2)});
  sql("UPDATE vouches SET comment = 'good', metadata = 'm' WHERE number = 1000");
  apply({early_vouch_increased{{0}, {1}, {2}, 5, 5}});
  EXPECT_EQ(how_many("vouches WHERE comment = 'good' AND metadata = 'm' AND balance = 1005"), 1);
  expect_promises();
}

TEST_F(ChainVouches, RewardsAreKeptAndTakenBack) {
  apply({deposited_to_rewards{{2}, 50}});
  apply({withdrawn_from_rewards{{2}, 20}});
  EXPECT_EQ(how_many("vouch_rewards WHERE profile = 1002 AND balance = 30 AND deposited = 50 AND withdrawn = 20"), 1);
  undo(1);
  EXPECT_EQ(how_many("vouch_rewards WHERE balance = 50 AND withdrawn = 0"), 1);
  undo(1);
  EXPECT_EQ(how_many("vouch_rewards"), 0);
}

TEST_F(ChainVouches, ReplayTellsWhatDiffers) {
  apply({vouch(0, 1, 2)});
  sql("UPDATE vouches SET staked = 1001");
  expect_differences({"vouch vouch 1000 is stored otherwise"});
}

TEST_F(ChainVouches, OfAnAccountMoveWithIt) {
  const auto account = attestation_hash("x.com", "7");
  apply({vouched{{0}, {1}, {9}, {}, account, 500, 500}});
  apply({attestation_events::attestation_created{{2}, people::account_service::x, "7", "", {1}},
         attestation_vouch_mapping_updated{account, {9}, {2}}});
  EXPECT_EQ(young(1002), 500);
  EXPECT_EQ(of_user("received_wei", 1002), 500);
  EXPECT_EQ(number("SELECT subject_profile FROM vouches"), 1002);
  expect_promises();
  undo(1);
  EXPECT_EQ(young(1002), 0);
  EXPECT_EQ(number("SELECT subject_profile FROM vouches"), 1009);
  expect_promises();
}

} // namespace
} // namespace credence::persistence
