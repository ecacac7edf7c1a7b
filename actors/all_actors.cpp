#include "actors/all_actors.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

namespace credence {

namespace {

/// Questions that wait for one of the actors of which there is one. Routers bound those of each entity.
constexpr std::int32_t questions_waiting_max = 2048;

std::shared_ptr<gate> single(ops::actor_kind kind) {
  return std::make_shared<gate>(questions_waiting_max, &ops::the_metrics().of(kind).waiting);
}

} // namespace

void spawn_all(caf::actor_system& sys, const std::shared_ptr<context>& with, published_state& known, directory& all,
               const std::vector<news::post_reader_handle>& sources) {
  with->people = &known.people;
  with->credentials = &known.credentials;
  with->projects = &known.projects;
  with->calendar = &known.calendar;
  with->others = &all;
  all.people_known = &known.people;
  all.projects_known = &known.projects;
  all.calendar = &known.calendar;
  all.trading = &with->trading;
  all.storage = with->storage.status;
  all.for_people = single(ops::actor_kind::people);
  all.for_periods = single(ops::actor_kind::period);
  all.for_listings = single(ops::actor_kind::listing);
  all.for_market_lists = single(ops::actor_kind::market_board);
  all.for_news = single(ops::actor_kind::news);
  all.for_idempotency = single(ops::actor_kind::idempotency);
  all.for_slashes = single(ops::actor_kind::slash);
  all.people = people::spawn_people(sys, with, known.people);
  all.periods = period::spawn_period(sys, with, known.calendar);
  all.profiles = profile::spawn_profile_router(sys, with);
  all.wallets = wallet::spawn_wallet_router(sys, with);
  all.markets = market::spawn_market_router(sys, with);
  all.market_lists = market::spawn_market_board(sys, with);
  all.news = news::spawn_news(sys, with, sources);
  all.projects = project::spawn_project_router(sys, with);
  all.listings = listing::spawn_listings(sys, with, known.projects);
  all.key_usage = profile::spawn_key_usage(sys, with);
  all.idempotency = idempotency::spawn_idempotency(sys, with);
  all.slashes = slash::spawn_slashes(sys, with);
}

std::vector<named_actor> actors_of(const directory& all) {
  std::vector<named_actor> out;
  const auto add = [&](const char* name, const auto& who) {
    if (who)
      out.push_back({name, caf::actor_cast<caf::actor>(who)});
  };
  add("people", all.people);
  add("period", all.periods);
  add("profiles", all.profiles);
  add("wallets", all.wallets);
  add("markets", all.markets);
  add("market lists", all.market_lists);
  add("news", all.news);
  add("projects", all.projects);
  add("listing", all.listings);
  add("key usage", all.key_usage);
  add("signatures", all.signatures);
  add("idempotency", all.idempotency);
  add("slash", all.slashes);
  return out;
}

void stop_all(const directory& all) {
  const auto actors = actors_of(all);
  for (auto each = actors.rbegin(); each != actors.rend(); ++each)
    caf::anon_send_exit(each->who, caf::exit_reason::user_shutdown);
}

} // namespace credence
