#include "actors/news/post_reader_actor.hpp"

#include "actors/kernel/handling.hpp"

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

class post_reader : public actor {
public:
  static inline const char* name = "post reader";
  using takes = post_reader_handle::takes;

  void start(std::shared_ptr<post_source> from) { from_ = std::move(from); }
  void on(const ask<look_up>& question) {
    const handling here{ops::actor_kind::post_reader, {}};
    question.answer(answer_of(*from_, question->whose));
  }

private:
  std::shared_ptr<post_source> from_;
};

} // namespace

post_reader_handle spawn_post_reader(caf::actor_system& sys, std::shared_ptr<post_source> from) {
  return post_reader_handle{spawn_on_own_thread<post_reader>(sys, std::move(from))};
}

} // namespace credence::news
