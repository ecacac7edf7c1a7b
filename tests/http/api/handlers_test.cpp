#include "actors/kernel/actor.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/period/period_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/call/parameters.hpp"
#include "http/routes.hpp"
#include "http/server/server.hpp"
#include "tests/system/http_client.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <atomic>

namespace credence::http {
namespace {

using listing::listing_handle;
using people::people_handle;
using period::period_handle;
using profile::profile_handle;
using project::project_handle;

/// What the actors behind the handlers answer, and what they were asked last. Set
/// before a request is sent, read after its answer came.
struct script {
  template <class Q>
  using answering = std::function<void(const ask<Q>&)>;
  answering<project::cast_vote> cast;
  answering<project::get_voters> voters;
  answering<project::get_bulk_totals> bulk;
  answering<project::get_chart> chart;
  answering<profile::get_balance> balance;
  answering<profile::get_own_votes> own_votes;
  answering<profile::send_tip> tip;
  answering<people::get_users_of> users;
  answering<people::check_live> live;
  answering<people::find_people> find;
  answering<people::get_people> people;
  answering<people::get_bundle> bundle;
  answering<people::search_people> search;
  answering<period::advance_period> advance;
  answering<listing::get_listings> listings;
  answering<listing::get_listing> listing;
};

project_handle spawn_projects(caf::actor_system& sys, script* now) {
  return spawn_functions<project_handle>(
    sys, [now](const ask<project::cast_vote>& q) { now->cast(q); },
    [now](const ask<project::get_voters>& q) { now->voters(q); },
    [now](const ask<project::get_bulk_totals>& q) { now->bulk(q); },
    [now](const ask<project::get_chart>& q) { now->chart(q); }, [](const auto&) {});
}
profile_handle spawn_profiles(caf::actor_system& sys, script* now) {
  return spawn_functions<profile_handle>(
    sys, [now](const ask<profile::get_balance>& q) { now->balance(q); },
    [now](const ask<profile::get_own_votes>& q) { now->own_votes(q); },
    [now](const ask<profile::send_tip>& q) { now->tip(q); }, [](const auto&) {});
}
people_handle spawn_people(caf::actor_system& sys, script* now) {
  return spawn_functions<people_handle>(
    sys, [now](const ask<people::get_users_of>& q) { now->users(q); },
    [now](const ask<people::check_live>& q) { now->live(q); },
    [now](const ask<people::find_people>& q) { now->find(q); }, [](const auto&) {});
}
/// What goes to the readers.
reader_handle spawn_readers(caf::actor_system& sys, script* now) {
  return spawn_functions<reader_handle>(
    sys,
    [now](const straight_load& load) {
      const auto take = [&]<class Q>(const script::answering<Q>& by) {
        if (const auto* what = std::any_cast<Q>(&load.question)) {
          const auto& asked = static_cast<const ask<Q>&>(load.asked);
          asked.question() = *what;
          by(asked);
        }
      };
      take(now->people);
      take(now->bundle);
      take(now->search);
    },
    [](const auto&) {});
}
period_handle spawn_periods(caf::actor_system& sys, script* now) {
  return spawn_functions<period_handle>(
    sys, [now](const ask<period::advance_period>& q) { now->advance(q); }, [](const auto&) {});
}
listing_handle spawn_board(caf::actor_system& sys, script* now) {
  return spawn_functions<listing_handle>(
    sys, [now](const ask<listing::get_listings>& q) { now->listings(q); },
    [now](const ask<listing::get_listing>& q) { now->listing(q); }, [](const auto&) {});
}

/// The token is the caller's profile id; profile 1 is admin.
struct plain_authenticator final : authenticator {
  outcome<found_caller> find(credential_kind, std::string_view bearer) override {
    const auto number = parse_integer(bearer);
    if (!number)
      return refusal{refusal_code::unauthenticated, "not a token"};
    return found_caller{principal{profile_id{static_cast<std::int32_t>(*number)}, *number == 1}};
  }
};

people::user_ptr user_of(profile_id who) {
  people::user out;
  out.id = user_id{who.value + 100};
  out.profile = who;
  out.display_name = "user " + std::to_string(who.value);
  return std::make_shared<const people::user>(std::move(out));
}

/// The routes and their handlers behind the real front, with scripted actors.
struct Handlers : testing::Test {
  Handlers() {
    storage.writable = true;
    storage.owned_at_ns = store_status::for_good;
    known.publish({profile_id{2}, 1500, true});
    known.publish({profile_id{3}, 1500, false});
    says.users = [this](const ask<people::get_users_of>& q) {
      ++user_questions;
      std::vector<people::user_ptr> out;
      for (const auto who : q->profiles)
        out.push_back(user_of(who));
      q.answer(std::move(out));
    };
    actors.projects = {spawn_projects(system, &says), bounds_by_itself{}};
    actors.profiles = {spawn_profiles(system, &says), bounds_by_itself{}};
    actors.people = {spawn_people(system, &says), bounds_by_itself{}};
    actors.periods = {spawn_periods(system, &says), bounds_by_itself{}};
    actors.listings = {spawn_board(system, &says), bounds_by_itself{}};
    actors.readers = spawn_readers(system, &says);
    actors.people_known = &known;
    actors.calendar = &calendar;
    actors.storage = &storage;
    services with;
    with.settings.port = with.settings.operator_port = 0;
    with.settings.io_threads = 1;
    with.actors = &actors;
    with.api = routes();
    with.make_authenticator = [] { return std::make_unique<plain_authenticator>(); };
    with.make_caches = [this] {
      return thread_caches{std::make_shared<user_cards>(known, settings::http{}), std::make_shared<known_keys>()};
    };
    front.emplace(std::move(with));
    front->start();
    client.emplace(front->port());
  }
  ~Handlers() override {
    front->stop();
    front.reset();
    for (const auto& each : {actors.projects.who(), actors.profiles.who(), actors.people.who(), actors.periods.who(),
                             actors.listings.who(), actor_ref{actors.readers}})
      tell_to_end(each);
    actors = {};
  }

  static constexpr const char* bullish = R"({"voteType":"BULLISH","voteReason":"good"})";

  script says;
  std::atomic<int> user_questions{0};
  people::people_index known;
  period::published_calendar calendar;
  store_status storage;
  caf::actor_system_config config;
  caf::actor_system system{config};
  directory actors;
  std::optional<server> front;
  std::optional<test::http_client> client;
};

TEST_F(Handlers, CastAVoteForTheCaller) {
  project::cast_vote command;
  says.cast = [&](const ask<project::cast_vote>& q) {
    command = *q;
    q.answer(project::vote_receipt{q->side, std::nullopt});
  };
  const auto answer = client->post("/api/v2/projects/12/votes", bullish, "2");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            R"({"success":true,"message":"Your bullish vote has been cast.","userVote":{"voteType":"BULLISH"}})");
  EXPECT_EQ(command.project, project_id{12});
  EXPECT_EQ(command.voter, profile_id{2});
  EXPECT_EQ(command.reason, "good");
}

TEST_F(Handlers, RefuseAVoteOfAnArchivedProfileWithoutAskingAnybody) {
  const auto answer = client->post("/api/v2/projects/12/votes", bullish, "3");
  EXPECT_EQ(answer.status, 403);
  EXPECT_NE(answer.body.find("PROFILE_NOT_LIVE"), std::string::npos) << answer.body;
}

TEST_F(Handlers, LookUpAVoterWhomMemoryDoesNotKnow) {
  says.cast = [](const ask<project::cast_vote>& q) { q.answer(project::vote_receipt{q->side, std::nullopt}); };
  says.live = [](const ask<people::check_live>& q) { q.answer(people::liveness{q->profile == profile_id{40}}); };
  EXPECT_EQ(client->post("/api/v2/projects/12/votes", bullish, "40").status, 200);
  EXPECT_EQ(client->post("/api/v2/projects/12/votes", bullish, "41").status, 403);
}

TEST_F(Handlers, PassRefusalsAndFailuresOn) {
  says.cast = [](const ask<project::cast_vote>& q) {
    q.answer(refusal{refusal_code::already_voted, "you have voted on this project in this period"});
  };
  const auto refused = client->post("/api/v2/projects/12/votes", bullish, "2");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body, R"({"message":"you have voted on this project in this period","code":"ALREADY_VOTED"})");
  says.cast = [](const ask<project::cast_vote>& q) { q.fail(failure::unavailable); };
  const auto failed = client->post("/api/v2/projects/12/votes", bullish, "2");
  EXPECT_EQ(failed.status, 503);
  EXPECT_TRUE(failed.headers.contains("retry-after"));
}

TEST_F(Handlers, TellEveryMistakeOfARequest) {
  const auto answer = client->get("/api/v2/projects/x/voters?limit=101&scope=period");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body,
            R"({"message":"projectId must be an integer from 1 to 2147483647, not 'x'","code":"BAD_REQUEST","issues":[)"
            R"({"message":"projectId must be an integer from 1 to 2147483647, not 'x'"},)"
            R"({"message":"year is required with scope 'period'"},)"
            R"({"message":"period is required with scope 'period'"},)"
            R"({"message":"limit must be an integer from 0 to 100, not '101'"}]})");
}

TEST_F(Handlers, FetchTheUsersOfAPageOnce) {
  says.voters = [](const ask<project::get_voters>& q) {
    project::voters_page page;
    page.entries = {{profile_id{5}, 1, 0, {}, {}, {}, {}}, {profile_id{6}, 0, 1, {}, {}, {}, {}}};
    page.total = 2;
    q.answer(std::move(page));
  };
  const auto first = client->get("/api/v2/projects/12/voters?limit=7&offset=3");
  EXPECT_EQ(first.status, 200);
  EXPECT_NE(first.body.find(R"("displayName":"user 5")"), std::string::npos) << first.body;
  EXPECT_NE(first.body.find(R"("displayName":"user 6")"), std::string::npos);
  EXPECT_NE(first.body.find(R"("total":2,"limit":7,"offset":3,"totals":{)"), std::string::npos);
  EXPECT_EQ(client->get("/api/v2/projects/12/voters?limit=7&offset=3").body, first.body);
  EXPECT_EQ(user_questions, 1);
}

TEST_F(Handlers, AnswerBalanceBulkTotalsAndChart) {
  says.balance = [](const ask<profile::get_balance>& q) {
    profile::balance_view view;
    view.balance.bullish_cast = q->profile.value;
    q.answer(view);
  };
  says.bulk = [](const ask<project::get_bulk_totals>& q) {
    std::vector<project::profile_totals> out;
    for (const auto who : q->voters)
      out.push_back({who, 1, 0, {}, {}});
    q.answer(std::move(out));
  };
  project::get_chart drawn;
  says.chart = [&](const ask<project::get_chart>& q) {
    drawn = *q;
    q.answer(std::vector<project::chart_point>{});
  };
  EXPECT_NE(client->get("/api/v2/projects/votes/balance?projectId=1", "2").body.find(R"("bullishVotesCast":2)"),
            std::string::npos);
  EXPECT_EQ(client->get("/api/v2/projects/votes/balance").status, 401);
  EXPECT_EQ(client->get("/api/v2/projects/votes/bulk-totals?projectId=1&profileIds=9").body,
            R"({"9":{"totalBullishVotes":1,"totalBearishVotes":0,"bullishReasons":[],"bearishReasons":[]}})");
  for (const auto* spelled : {"2+hours", "2%20hours"}) {
    EXPECT_EQ(client->get(std::string{"/api/v2/projects/1/chart?bucket="} + spelled).body, "[]");
    EXPECT_EQ(drawn.width, project::bucket::hours_2);
    drawn = {};
  }
}

TEST_F(Handlers, LetAdminsOnlyAdvanceThePeriodAndIgnoreTheBody) {
  says.advance = [](const ask<period::advance_period>& q) { q.answer(period::allocation{{}, 3, 12, 3}); };
  const auto done = client->post("/api/v2/projects/votes/reallocate", R"({"type":"reallocate"})", "1");
  EXPECT_EQ(done.status, 200);
  EXPECT_NE(done.body.find(R"({"allocationsCreated":3,"totalVotesAllocated":12,"usersAffected":3,"message":")"),
            std::string::npos);
  EXPECT_EQ(client->post("/api/v2/projects/votes/reallocate", "", "2").status, 403);
}

TEST_F(Handlers, ShowListingsToEverybodyAndTheCallersVotesToTheCaller) {
  says.listings = [](const ask<listing::get_listings>& q) {
    auto core = std::make_shared<listing::listing_core>();
    core->id = project_id{12};
    core->user = user_of(profile_id{50});
    listing::listings_page page;
    page.in.id = period_id{4};
    page.projects.emplace_back(core);
    page.total = 1;
    q.answer(std::move(page));
  };
  says.own_votes = [](const ask<profile::get_own_votes>& q) {
    if (q->profile == profile_id{3})
      return q.answer(refusal{refusal_code::profile_not_live, "archived"});
    q.answer(std::vector<profile::own_vote>{{project_id{12}, q->in, project::sentiment::bullish}});
  };
  const auto anonymous = client->get("/api/v2/internal/listings");
  EXPECT_EQ(anonymous.status, 200);
  EXPECT_EQ(anonymous.body.find("currentUserVoteHistory"), std::string::npos);
  const auto mine = client->get("/api/v2/internal/listings?deltaWindows[]=7&sparklineDays=3", "2");
  EXPECT_NE(mine.body.find(R"("currentUserVoteHistory":{"bullishVotesCast":1,"bearishVotesCast":0})"
                           R"(,"sparkline":[],"deltas":{}})"),
            std::string::npos)
    << mine.body;
  says.find = [](const ask<people::find_people>& q) { q.answer(people::found_people{{{user_id{7}, profile_id{7}}}}); };
  const auto of_7 =
    client->get("/api/v2/internal/listings?userkey=address%3A0x00000000000000000000000000000000000000AA");
  EXPECT_NE(of_7.body.find(R"("currentUserVoteHistory":{"bullishVotesCast":1)"), std::string::npos)
    << "of whom the key names " << of_7.body;
  EXPECT_EQ(client->get("/api/v2/internal/listings?userkey=somebody").status, 400);
  const auto archived = client->get("/api/v2/internal/listings", "3");
  EXPECT_EQ(archived.status, 200) << "the listings are public";
  EXPECT_NE(archived.body.find(R"("currentUserVoteHistory":{"bullishVotesCast":0,"bearishVotesCast":0})"),
            std::string::npos);
}

TEST_F(Handlers, ShowOneListingOrNull) {
  says.listing = [](const ask<listing::get_listing>& q) {
    if (q->in.year)
      return q.answer(refusal{refusal_code::period_not_found, "there is no such voting period"});
    if (q->username != "acmé")
      return q.answer(refusal{refusal_code::not_found, "no such listing"});
    auto core = std::make_shared<listing::listing_core>();
    core->id = project_id{12};
    core->user = user_of(profile_id{50});
    core->team = {profile_id{5}};
    q.answer(listing::listed{core});
  };
  says.balance = [](const ask<profile::get_balance>& q) {
    profile::balance_view view;
    view.vote = q->project == project_id{12} ? std::optional{project::sentiment::bearish} : std::nullopt;
    q.answer(view);
  };
  const auto none = client->get("/api/v2/internal/listings/nobody");
  EXPECT_EQ(none.status, 200);
  EXPECT_EQ(none.body, "null");
  EXPECT_EQ(client->get("/api/v2/internal/listings/nobody?year=1999").status, 404);
  const auto anonymous = client->get("/api/v2/internal/listings/acm%C3%A9");
  EXPECT_EQ(anonymous.status, 200);
  EXPECT_NE(anonymous.body.find(R"("displayName":"user 5")"), std::string::npos) << "the team is fetched";
  EXPECT_EQ(anonymous.body.find("currentUsersVotes"), std::string::npos);
  const auto mine = client->get("/api/v2/internal/listings/acm%C3%A9", "2");
  EXPECT_NE(mine.body.find(R"("projectHistory":{"bullishVotesCast":0,"bearishVotesCast":1})"), std::string::npos)
    << mine.body;
}

TEST_F(Handlers, SayThatTheServiceIsThere) { EXPECT_EQ(client->get("/api/v2/healthcheck").body, R"({"ok":true})"); }

} // namespace
} // namespace credence::http
