#include "persistence/sql/people_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "tests/persistence/sql/chain_rows_fixture.hpp"

/// What may rest on rows that events brought, and what becomes of what rests on them.
namespace credence::persistence {
namespace {

using reputation::activity_kind;

class SettledRows : public ChainRows {
protected:
  SettledRows() { apply({profile_events::profile_created{{1}, alice}, profile_events::profile_created{{2}, bob}}); }

  void settle(int up_to) {
    test::run_sql(url,
                  "SELECT settle_chain(31337, (SELECT tip_hash FROM chain_follow), " + std::to_string(up_to) + ")");
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
  test::run_sql(url, "UPDATE attestations SET username = 'Ada'");
  const auto found = [&](people::lookup_key::form form, const std::string& text) {
    return read(on, people::find_people{{{.how = form, .service = people::account_service::x, .text = text}}}, soon())
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
    test::run_sql(url,
                  "INSERT INTO api_keys (id, profile_id, address, name, token_hash, created_at, expires_at) VALUES "
                  "('00000000-0000-0000-0000-00000000000"
                    + n + "', " + who + ", decode(repeat('01', 20), 'hex'), 'key', sha256('k" + n
                    + "'), '2026-01-01', '2026-12-01');"
                    + "INSERT INTO sessions (id, profile_id, refresh_hash, rotated_at, created_at, expires_at) VALUES"
                      " ('10000000-0000-0000-0000-00000000000"
                    + n + "', " + who + ", sha256('s" + n + "'), '2026-01-01', '2026-01-01', '2036-01-01')");
  };
  const auto in_force = [&](int profile) {
    const auto who = std::to_string(1000 + profile);
    return count("SELECT (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL AND profile_id = " + who
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
  EXPECT_EQ(count("SELECT count(*) FROM audit_log WHERE profile_id = 1003 AND after = 'ended: the block of the profile "
                  "was taken back'"
                  " AND (act, subject) IN (('key_revoked', 'API key 00000000-0000-0000-0000-000000000003'),"
                  "  ('session_ended', 'session 10000000-0000-0000-0000-000000000003'))"),
            2);
  EXPECT_EQ(count("SELECT count(*) FROM audit_log a WHERE hash <> audit_hash(a)"), 0);
  expect_whole();
}

} // namespace
} // namespace credence::persistence
