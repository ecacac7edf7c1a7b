#include "actors/news/post_reader_actor.hpp"

#include "actors/kernel/handling.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <exception>
#include <utility>

namespace credence::news {

namespace {

looked_up answer_of(post_source& from, const account& whose) {
  try {
    return from.newest_of(whose);
  } catch (const std::exception& error) { // an errand without an outcome would hold a reader for ever
    return {.outcome = looked_up::result::failed, .why = error.what()};
  }
}

post_reader_handle::behavior_type behave(post_reader_handle::pointer, const std::shared_ptr<post_source>& from) {
  return {[from](const look_up& query) {
    const handling here{ops::actor_kind::post_reader, {}};
    return answer_of(*from, query.whose);
  }};
}

} // namespace

post_reader_handle spawn_post_reader(caf::actor_system& sys, std::shared_ptr<post_source> from) {
  return sys.spawn<caf::detached>(behave, std::move(from));
}

} // namespace credence::news
