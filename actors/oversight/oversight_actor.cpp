#include "actors/oversight/oversight_actor.hpp"

#include "actors/kernel/single_actor.hpp"

namespace credence::oversight {

namespace {

class oversight_actor : public single_actor<oversight_actor, ops::actor_kind::oversight, oversight_handle, context, storage> {
public:
  static inline const char* name = "oversight";

  template <class Question>
  void on(const ask<Question>& question) {
    pass_on(question, *question);
  }
};

} // namespace

oversight_handle spawn_oversight(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_single<oversight_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::oversight
