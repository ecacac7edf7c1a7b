#include "actors/all_actors.hpp"

#include "actors/chain/chain_actor.hpp"
#include "actors/console/admin_database.hpp"
#include "actors/funds/funds_actor.hpp"
#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/integrity/integrity_actor.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/market/market_actor.hpp"
#include "actors/market/market_board_actor.hpp"
#include "actors/news/news_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/period/period_actor.hpp"
#include "actors/profile/key_usage_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/project/project_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "actors/score/score_actor.hpp"
#include "actors/slash/slash_actor.hpp"
#include "actors/store.hpp"
#include "actors/wallet_signatures.hpp"
#include "actors/wallets/signer_actor.hpp"
#ifdef CREDENCE_EXAMPLE
#include "tests/example/note_actor.hpp"
#endif

namespace credence {

namespace {

/// Questions that wait for one of the actors of which there is one. Routers bound those of each entity.
constexpr std::int32_t questions_waiting_max = 2048;

/// Makes a door of an actor, whatever the directory calls it.
template <class Handle>
struct opened {
  Handle who;
  ops::gauge* waiting = nullptr; // null: it bounds by itself

  template <class Of>
  operator door<Of>() const {
    return waiting ? door<Of>{who, questions_waiting_max, waiting} : door<Of>{who, bounds_by_itself{}};
  }
};
template <class Handle>
opened<Handle> single(ops::actor_kind kind, Handle who) {
  return {std::move(who), &ops::the_metrics().of(kind).waiting};
}
template <class Handle>
opened<Handle> router(Handle of_all) {
  return {std::move(of_all)};
}

} // namespace

void spawn_all(caf::actor_system& sys, const std::shared_ptr<context>& with, const store& stored, const store& scored,
               published_state& known, directory& all, const std::vector<news::post_reader_handle>& sources,
               score::score_options scoring) {
  with->people = &known.people;
  with->credentials = &known.credentials;
  with->projects = &known.projects;
  with->calendar = &known.calendar;
  with->others = &all;
  all.people_known = &known.people;
  all.calendar = &known.calendar;
  const bool mirrored = with->followed.contains(chain::record_kind::market);
  all.trading = mirrored ? nullptr : &with->trading; // the terms of new markets
  all.storage = stored.status;
  all.readers = stored.reader;
  all.people = single(ops::actor_kind::people, people::spawn_people(sys, with, stored, known.people));
  all.periods = single(ops::actor_kind::period, period::spawn_period(sys, with, stored, known.calendar));
  all.profiles = router(profile::spawn_profiles(sys, with, stored));
  all.funds = router(funds::spawn_funds(sys, with, stored));
  if (mirrored)
    all.markets = single(ops::actor_kind::market, market::spawn_mirrored_markets(sys, with, stored));
  else
    all.markets = router(market::spawn_markets(sys, with, stored));
  all.market_lists = single(ops::actor_kind::market_board, market::spawn_market_board(sys, with, stored));
  all.news = single(ops::actor_kind::news, news::spawn_news(sys, with, stored, sources));
  all.projects = router(project::spawn_projects(sys, with, stored));
  all.listings = single(ops::actor_kind::listing, listing::spawn_listings(sys, with, stored, known.projects));
  all.key_usage = single(ops::actor_kind::key_usage, profile::spawn_key_usage(sys, with, stored));
  all.idempotency = single(ops::actor_kind::idempotency, idempotency::spawn_idempotency(sys, with, stored));
#ifdef CREDENCE_EXAMPLE
  all.notes = router(note::spawn_notes(sys, with, stored));
#endif
  all.slashes = single(ops::actor_kind::slash, slash::spawn_slashes(sys, with, stored));
  all.records = single(ops::actor_kind::record, reputation::spawn_records(sys, with, stored));
  all.scores = single(ops::actor_kind::score, score::spawn_scores(sys, with, scored, scoring));
  all.integrity = single(ops::actor_kind::integrity, integrity::spawn_integrity(sys, with, stored));
}

std::vector<named_actor> actors_of(const directory& all) {
  std::vector<named_actor> out;
  const auto add = [&](const char* name, const auto& who) {
    if (who)
      out.push_back({name, who.who()});
  };
  add("people", all.people);
  add("period", all.periods);
  add("profiles", all.profiles);
  add("funds_router", all.funds);
  add("markets", all.markets);
  add("market lists", all.market_lists);
  add("news", all.news);
  add("projects", all.projects);
  add("listing", all.listings);
  add("key usage", all.key_usage);
  add("signatures", all.signatures);
  add("idempotency", all.idempotency);
  add("slash", all.slashes);
  add("records", all.records);
  add("scores", all.scores);
  add("integrity", all.integrity);
  add("chain", all.chain);
  add("wallets", all.wallets);
  add("console", all.admin_database);
#ifdef CREDENCE_EXAMPLE
  add("notes", all.notes);
#endif
  return out;
}

void stop_all(const directory& all) {
  const auto actors = actors_of(all);
  for (auto each = actors.rbegin(); each != actors.rend(); ++each)
    tell_to_end(each->who);
}

} // namespace credence
