#include "tests/system/market_story.hpp"

/// What each event of the contracts does to what clients see, by a table.
namespace credence::test {
namespace {

using namespace chain;
namespace ether = reputation_market_events;
namespace tokens = market_events;

/// Where an effect is looked up: a read of the API with a JSON pointer, or, where no read shows it, a query of one
/// value.
struct place {
  std::string path;
  std::string pointer;
};
struct effect {
  std::vector<event> needs; // what happened before
  event happens;
  place at;
  std::string before, after;
};

/// Everybody and everything in a row of the table is of that row alone: numbers and addresses from `row` on.
struct cast {
  int row;
  int profile() const { return row; }
  int other_profile() const { return row + 1; }
  address self() const { return person(row); }
  address other() const { return person(row + 1); }
  address spare() const { return person(row + 2); }
  std::string account() const { return "19000000000000" + std::to_string(10000 + row); }
  event joined() const { return test::joined(profile(), self()); }
  event other_joined() const { return test::joined(other_profile(), other()); }
  event attested() const { return test::attested(row, profile(), account()); }
  event reviewed() const { return test::reviewed(row, self(), other()); }
  event voted() const { return test::voted(row, other_profile(), row); }

  static constexpr std::int64_t begun = 1'700'000'000,
                                long_time = 2'000'000'000; // of slashes, which last for longer than the test
  event slashed() const { return test::slashed(row, profile(), spare(), begun, long_time); }

  place account_owner() const { return {"/api/v2/user/by/x/" + account(), "/profileId"}; }
  place user(const std::string& pointer) const { return {"/api/v2/user/by/profile-id/" + our_id(profile()), pointer}; }
  place other_user(const std::string& pointer) const {
    return {"/api/v2/user/by/profile-id/" + our_id(other_profile()), pointer};
  }
  place owner_of_spare() const { return {"/api/v2/user/by/address/" + text_of(spare()), "/profileId"}; }
  place invited() const { return {"/api/v2/invitations?status=INVITED&senderProfileId=" + id(), "/total"}; }
  place votes(const std::string& pointer) const {
    return {"/api/v2/votes/stats?type=review&activityId=" + our_id(row), pointer};
  }
  place slashes(const std::string& pointer) const {
    return {"/api/v2/slashes?subject=address:" + text_of(spare()), pointer};
  }
  place reply(const std::string& figure) const {
    return {"", "SELECT " + figure + " FROM replies WHERE source = 'chain' AND id = " + our_id(row)};
  }
  std::string id() const { return our_id(profile()); }
  std::string other_id() const { return our_id(other_profile()); }
};

place stored(const std::string& name, const std::string& status) {
  return {"", "SELECT count(*) FROM chain_events WHERE event_name = '" + name + "' AND status = '" + status + "'"};
}
place parameter(const std::string& name, const std::string& value, const std::string& contract = "profile") {
  return {"", "SELECT count(*) FROM chain_params WHERE contract = '" + contract + "' AND name = '" + name
                + "' AND value = '" + value + "'"};
}

effect of(const attestation_events::attestation_created*, const cast& who) {
  return {{who.joined()}, who.attested(), who.account_owner(), "404", who.id()};
}
effect of(const attestation_events::attestation_archived*, const cast& who) {
  return {
    {who.joined(), who.attested()},
    attestation_events::attestation_archived{{who.profile()}, people::account_service::x, who.account(), {who.row}},
    who.account_owner(),
    who.id(),
    "404"};
}
effect of(const attestation_events::attestation_restored*, const cast& who) {
  auto archived = of(static_cast<attestation_events::attestation_archived*>(nullptr), who);
  archived.needs.push_back(archived.happens);
  return {
    archived.needs,
    attestation_events::attestation_restored{{who.row}, people::account_service::x, who.account(), {who.profile()}},
    who.account_owner(), "404", who.id()};
}
effect of(const attestation_events::attestation_claimed*, const cast& who) {
  return {{who.joined(), who.other_joined(), who.attested()},
          attestation_events::attestation_claimed{
            {who.row}, people::account_service::x, who.account(), "another post", {who.other_profile()}},
          who.account_owner(),
          who.id(),
          who.other_id()};
}

effect of(const profile_events::profile_created*, const cast& who) {
  return {{}, who.joined(), {"/api/v2/user/by/address/" + text_of(who.self()), "/profileId"}, "404", who.id()};
}
effect of(const profile_events::mock_profile_created*, const cast& who) {
  return {{},
          profile_events::mock_profile_created{{who.profile()}},
          {"", "SELECT count(*) FROM placeholders WHERE mock_id = " + who.id()},
          "0",
          "1"};
}
effect of(const profile_events::profile_archived*, const cast& who) {
  return {{who.joined()},
          profile_events::profile_archived{{who.profile()}},
          who.user("/status"),
          "\"ACTIVE\"",
          "\"INACTIVE\""};
}
effect of(const profile_events::profile_restored*, const cast& who) {
  return {{who.joined(), profile_events::profile_archived{{who.profile()}}},
          profile_events::profile_restored{{who.profile()}},
          who.user("/status"),
          "\"INACTIVE\"",
          "\"ACTIVE\""};
}
effect of(const profile_events::address_claim*, const cast& who) {
  return {{who.joined()}, claimed(who.profile(), who.spare()), who.owner_of_spare(), "404", who.id()};
}
effect of(const profile_events::user_invited*, const cast& who) {
  return {{who.joined()}, profile_events::user_invited{{who.profile()}, who.spare()}, who.invited(), "0", "1"};
}
effect of(const profile_events::uninvited*, const cast& who) {
  return {{who.joined(), profile_events::user_invited{{who.profile()}, who.spare()}},
          profile_events::uninvited{{who.profile()}, who.self(), 3, who.spare()},
          who.invited(),
          "1",
          "0"};
}
effect of(const profile_events::invites_added*, const cast& who) {
  return {{who.joined()},
          profile_events::invites_added{{who.profile()}, 7},
          {"/api/v2/internal/users/profileId:" + who.id(), "/profile/invitesAvailable"},
          "0",
          "7"};
}
effect of(const profile_events::default_invites_changed*, const cast&) {
  return {{}, profile_events::default_invites_changed{11}, parameter("defaultInvites", "11"), "0", "1"};
}

effect of(const review_events::review_created*, const cast& who) {
  return {
    {who.joined(), who.other_joined()}, who.reviewed(), who.other_user("/stats/review/received/positive"), "0", "1"};
}
effect of(const review_events::review_edited*, const cast& who) {
  return {{who.joined(), who.reviewed()},
          review_events::review_edited{{who.row}, who.self(), who.other()},
          {"/api/v2/reviews/" + who.id(), "/edits"},
          "0",
          "1"};
}
effect of(const review_events::review_archived*, const cast& who) {
  return {{who.joined(), who.other_joined(), who.reviewed()},
          review_events::review_archived{{who.row}, who.self(), who.other()},
          who.other_user("/stats/review/received/positive"),
          "1",
          "0"};
}
effect of(const review_events::review_restored*, const cast& who) {
  auto archived = of(static_cast<review_events::review_archived*>(nullptr), who);
  archived.needs.push_back(archived.happens);
  return {archived.needs, review_events::review_restored{{who.row}, who.self(), who.other()}, archived.at, "0", "1"};
}
effect of(const review_events::review_fee_burned*, const cast& who) {
  return {
    {}, review_events::review_fee_burned{who.self(), who.other(), 5}, stored("ReviewFeeBurned", "applied"), "0", "1"};
}

effect of(const vote_events::voted*, const cast& who) {
  return {{who.joined(), who.other_joined(), who.reviewed()}, who.voted(), who.votes("/counts/upvotes"), "0", "1"};
}
effect of(const vote_events::vote_changed*, const cast& who) {
  return {{who.joined(), who.other_joined(), who.reviewed(), who.voted()},
          vote_events::vote_changed{
            false, false, {who.other_profile()}, fold_world::contract_of(contract_kind::review), {who.row}, {who.row}},
          who.votes("/counts/downvotes"),
          "0",
          "1"};
}

// What a reply answers is not in its event but in its text, which the contract of this test does not tell; so no thread
// shows it.
effect of(const discussion_events::reply_added*, const cast& who) {
  return {{who.joined()},
          discussion_events::reply_added{{who.profile()}, fold_world::contract_of(contract_kind::review), {who.row}},
          who.reply("count(*)"),
          "0",
          "1"};
}
effect of(const discussion_events::reply_edited*, const cast& who) {
  const auto added = of(static_cast<discussion_events::reply_added*>(nullptr), who);
  return {{who.joined(), added.happens},
          discussion_events::reply_edited{{who.profile()}, {who.row}},
          who.reply("coalesce(max(edits), 0)"),
          "0",
          "1"};
}

effect of(const slash_events::slash_created*, const cast& who) {
  return {{who.joined()}, who.slashed(), who.slashes("/total"), "0", "1"};
}
effect of(const slash_events::slash_edited*, const cast& who) {
  return {{who.joined(), who.slashed()},
          slash_events::slash_edited{{who.row}, "second", ""},
          who.slashes("/values/0/comment"),
          "\"first\"",
          "\"second\""};
}
effect of(const slash_events::slash_extended*, const cast& who) {
  return {{who.joined(), who.slashed()},
          slash_events::slash_extended{{who.row}, {cast::long_time + 60}},
          who.slashes("/values/0/duration"),
          std::to_string(cast::long_time),
          std::to_string(cast::long_time + 60)};
}
effect of(const slash_events::slash_cancelled*, const cast& who) {
  return {{who.joined(), who.slashed()},
          slash_events::slash_cancelled{{who.row}, who.self(), {cast::begun + 60}},
          who.slashes("/values/0/cancelledAt"),
          "0",
          std::to_string(cast::begun + 60)};
}
effect of(const slash_events::slash_resolved*, const cast& who) {
  return {{who.joined(), who.slashed()},
          slash_events::slash_resolved{{who.row}, slash_resolution::defended, 100},
          who.slashes("/values/0/outcome"),
          "null",
          "\"DEFENDED\""};
}
effect of(const slash_events::financial_slash_created*, const cast& who) {
  return {{who.joined(), who.slashed()},
          slash_events::financial_slash_created{{who.row}, {who.other_profile()}, {who.profile()}, 1, 1},
          who.slashes("/values/0/slashType"),
          "\"SCORE\"",
          "\"FINANCIAL\""};
}
effect of(const slash_events::resolution_executed*, const cast& who) {
  return {{who.joined(), who.slashed()},
          slash_events::resolution_executed{{who.row}},
          {"", "SELECT count(*) FROM slashes WHERE executed AND id = " + who.id()},
          "0",
          "1"};
}
effect of(const slash_events::edit_window_updated*, const cast&) {
  return {{}, slash_events::edit_window_updated{{60}}, parameter("editWindow", "60", "slash"), "0", "1"};
}
effect of(const slash_events::cancel_window_updated*, const cast&) {
  return {{}, slash_events::cancel_window_updated{{70}}, parameter("cancelWindow", "70", "slash"), "0", "1"};
}
effect of(const slash_events::default_duration_updated*, const cast&) {
  return {{}, slash_events::default_duration_updated{{80}}, parameter("defaultDuration", "80", "slash"), "0", "1"};
}

// Of the contract itself. Nobody reads these over the API.
effect of(const any_events::paused*, const cast& who) {
  return {{}, any_events::paused{who.self()}, stored("Paused", "applied"), "0", "1"};
}
effect of(const any_events::unpaused*, const cast& who) {
  return {{}, any_events::unpaused{who.self()}, parameter("paused", "false"), "0", "1"};
}
effect of(const any_events::upgraded*, const cast& who) {
  return {{}, any_events::upgraded{who.self()}, parameter("implementation", text_of(who.self())), "0", "1"};
}
template <class Event>
requires(Event::is.contract == contract_kind::any) effect of(const Event*, const cast&) {
  return {{}, Event{}, stored(std::string{Event::is.text}, "applied"), "0", "1"};
}

// -- markets --------------------------------------------------------------------------------------

/// What a row of the table is about is of that row alone.
struct market_cast {
  int row;
  address self() const { return person(row); }
  event opened() const { return test::opened(row, self()); }
  event bought() const { return test::bought(row, self(), true, 10, 100); }
  event opened_in_tokens() const {
    return tokens::market_created{{row}, {}, self(), self(), self(), self(), "profileId:1"};
  }
  event position() const { return tokens::position_opened{{row}, self(), true, 20, 30}; }
  place market(const std::string& pointer) const { return {"/api/v1/markets/" + our_id(row), pointer}; }
  place trades() const { return {"/api/v1/markets/" + our_id(row) + "/tx/history", "/data/total"}; }
  place stored(const std::string& figure, const std::string& contract) const {
    return {"", "SELECT coalesce((SELECT " + figure + " FROM chain_markets WHERE contract = '" + contract
                  + "' AND id = " + our_id(row) + "), -1)::int8"};
  }
  place of_tokens(const std::string& figure) const { return stored(figure, "market"); }
};

place configs(const std::string& config) {
  return {"", "SELECT count(*) FROM chain_params WHERE name = 'marketConfigs' AND value LIKE '%" + config + "%'"};
}

effect of(const ether::market_created*, const market_cast& who) {
  return {{}, who.opened(), who.market("/data/liquidity"), "404", "\"1500\""};
}
effect of(const ether::market_config_added*, const market_cast&) {
  return {{}, ether::market_config_added{1, {11, 22, 33}}, configs("11/22/33"), "0", "1"};
}
effect of(const ether::market_config_removed*, const market_cast&) {
  const market_config gone{44, 1, 1};
  return {{ether::market_config_added{0, gone}}, ether::market_config_removed{0, gone}, configs("44/1/1"), "1", "0"};
}
effect of(const ether::votes_bought*, const market_cast& who) {
  return {{who.opened()}, who.bought(), who.trades(), "0", "1"};
}
effect of(const ether::votes_sold*, const market_cast& who) {
  return {{who.opened(), who.bought()},
          sold(who.row, who.self(), true, 4, 30),
          {"/api/v1/markets/volume/" + text_of(who.self()), "/data/totalVolumeWei"},
          "\"100\"",
          "\"130\""};
}
effect of(const ether::market_updated*, const market_cast& who) {
  return {
    {who.opened()}, priced(who.row, 1, 1, 600), who.market("/data/positivePrice"), "\"5000000000000000\"", "\"600\""};
}
effect of(const ether::donation_withdrawn*, const market_cast& who) {
  return {{},
          ether::donation_withdrawn{who.self(), 7},
          {"", "SELECT coalesce(sum(donations), 0)::int8 FROM chain_market_accounts WHERE account = '\\"
                 + text_of(who.self()).substr(1) + "'"},
          "0",
          "7"};
}
effect of(const ether::donation_recipient_updated*, const market_cast& who) {
  return {{who.opened()},
          ether::donation_recipient_updated{{who.row}, who.self(), person(who.row + 1)},
          who.stored("(recipient <> creator)::int", "reputationMarket"),
          "0",
          "1"};
}
effect of(const ether::market_graduated*, const market_cast& who) {
  return {{who.opened()},
          ether::market_graduated{{who.row}},
          who.stored("(standing = 'GRADUATED')::int", "reputationMarket"),
          "0",
          "1"};
}
effect of(const ether::market_funds_withdrawn*, const market_cast& who) {
  return {{who.opened()},
          ether::market_funds_withdrawn{{who.row}, who.self(), 9},
          who.stored("withdrawn", "reputationMarket"),
          "0",
          "9"};
}
effect of(const tokens::market_created*, const market_cast& who) {
  return {{}, who.opened_in_tokens(), who.of_tokens("trades"), "-1", "0"};
}
effect of(const tokens::position_opened*, const market_cast& who) {
  return {{who.opened_in_tokens()}, who.position(), who.of_tokens("trust"), "0", "30"};
}
effect of(const tokens::position_closed*, const market_cast& who) {
  return {{who.opened_in_tokens(), who.position()},
          tokens::position_closed{{who.row}, who.self(), true, 10, 6},
          who.of_tokens("sold"),
          "0",
          "6"};
}
effect of(const tokens::market_updated*, const market_cast& who) {
  return {
    {who.opened_in_tokens()}, tokens::market_updated{{who.row}, 30, 1, 6, 4, 20}, who.of_tokens("backing"), "0", "20"};
}
effect of(const tokens::market_update_failed*, const market_cast& who) {
  return {{},
          tokens::market_update_failed{{who.row}, who.self(), true, {}},
          {"", "SELECT count(*) FROM chain_events WHERE event_name = 'MarketUpdateFailed' AND status = 'applied'"},
          "0",
          "1"};
}
effect of(const tokens::market_pause_state_updated*, const market_cast& who) {
  return {{who.opened_in_tokens()},
          tokens::market_pause_state_updated{{who.row}, chain::market_state::paused},
          who.of_tokens("(standing = 'PAUSED')::int"),
          "0",
          "1"};
}

struct row {
  std::string event;
  effect shows;
};

constexpr auto of_people = [](contract_kind each) {
  using enum contract_kind;
  return each == attestation || each == profile || each == review || each == vote || each == discussion || each == slash
         || each == any;
};
constexpr auto of_markets = [](contract_kind each) {
  return each == contract_kind::reputation_market || each == contract_kind::market;
};

/// One for each event of these contracts that the fold knows; an event without a row does not compile.
template <class Who, class Contracts>
std::vector<row> table(Contracts) {
  std::vector<row> out;
  samples::for_each_event([&]<class Event>() {
    if constexpr (constexpr auto contract = Event::is.contract; Contracts{}(contract))
      out.push_back({std::string{name_of(contract)} + " " + std::string{Event::is.text},
                     of(static_cast<Event*>(nullptr), Who{10 * (1 + static_cast<int>(out.size()))})});
  });
  return out;
}

struct ChainEffects : followed_records {
  using followed_records::followed_records;

  std::string look(const place& at) {
    return at.path.empty() ? std::to_string(number(at.pointer)) : seen(at.path, at.pointer);
  }
  void expect_all(const std::vector<row>& rows, bool happened) {
    for (const auto& each : rows) {
      const auto& wanted = happened ? each.shows.after : each.shows.before;
      EXPECT_TRUE(comes_true([&] { return look(each.shows.at) == wanted; }))
        << each.event << (happened ? " happened" : " has not happened") << "; " << each.shows.at.path << " "
        << each.shows.at.pointer << " is " << look(each.shows.at) << ", not " << wanted;
    }
  }
  void expect_seen_and_gone_with_their_blocks(const std::vector<row>& rows) {
    for (const auto& each : rows)
      if (!each.shows.needs.empty())
        emit_together(each.shows.needs);
    ASSERT_TRUE(follows());
    EXPECT_EQ(how_many("chain_events WHERE status = 'failed'"), 0);
    expect_all(rows, false);
    const auto before = node.head();
    for (const auto& each : rows)
      emit(each.shows.happens);
    ASSERT_TRUE(reaches_head());
    EXPECT_EQ(how_many("chain_events WHERE status = 'failed'"), 0);
    expect_all(rows, true);
    expect_kept();
    reorganise(static_cast<int>(node.head() - before));
    ASSERT_TRUE(status_becomes("reorganisations", "1"));
    ASSERT_TRUE(reaches_head());
    expect_all(rows, false);
    expect_kept();
  }
};
struct ChainMarketEffects : ChainEffects {
  ChainMarketEffects()
    : ChainEffects({.contracts = {contract_kind::reputation_market, contract_kind::market}, .kinds = ",market"}) {}
};

TEST_F(ChainEffects, OfEveryEventAreSeenAndGoWithItsBlock) {
  expect_seen_and_gone_with_their_blocks(table<cast>(of_people));
}
TEST_F(ChainMarketEffects, OfEveryEventAreSeenAndGoWithItsBlock) {
  expect_seen_and_gone_with_their_blocks(table<market_cast>(of_markets));
}

} // namespace
} // namespace credence::test
