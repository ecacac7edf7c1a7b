#include "tests/example/note_actor.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/entity_router.hpp"
#include "tests/example/note_state.hpp"

namespace credence::note {

namespace {

struct notes {
  static constexpr auto kind = ops::actor_kind::note;
  using storage = credence::note::storage;
  using id = profile_id;
  static auto whose(const auto& question) -> decltype(question.author) { return question.author; }
  using handle = note_handle;
  using questions = note_handle;
  using to_one = types<>;
  using to_router = types<>;
};

class note_actor : public writing_entity_actor<note_actor, notes, context> {
public:
  static inline const char* name = "note";
  using writing_entity_actor::on;

  void load() {
    storage_.read(*this, load_notes{id_})
      .await([this](stored_notes& stored) { rules_.emplace(std::move(stored)); }, [this](failure) { start_afresh(); });
  }

  void on(const ask<create_note>& question) {
    change_with(question, [&] { carry_out(question, rules_->decide(*question, with_->now())); });
  }
  void on(const ask<edit_note>& question) {
    change_with(question, [&] { carry_out(question, rules_->decide(*question)); });
  }
  void on(const ask<archive_note>& question) {
    change_with(question, [&] { carry_out(question, rules_->decide(*question)); });
  }
  void on(const ask<get_note>& question) {
    read(question, [&] { question.answer(rules_->get(*question)); });
  }
  void on(const ask<list_notes>& question) {
    read(question, [&] { question.answer(rules_->list()); });
  }

  void take_back() {
    if (rules_)
      rules_->take_back();
  }
  bool at_rest() const noexcept { return true; }

private:
  template <class Q, class Change>
  void carry_out(const ask<Q>& question, outcome<Change> decision) {
    const auto again = [this, question] { send(with_->others->notes.to(), question); };
    if (!decision)
      return refuse(question, decision.why(), again);
    rules_->apply(*decision);
    write(
      question, *decision,
      [this, question, change = *decision](const write_outcome&) { question.answer(rules_->commit(change)); }, {},
      again);
  }

  std::optional<note_state> rules_;
};

struct note_router : entity_router<note_router, notes, context> {
  static inline const char* name = "notes";

  static family_bounds bounds(const settings::actors& limits) {
    return {limits.live_profiles_max, limits.waiting_per_profile_max, failure::too_many};
  }
  auto spawn(birth<notes, context> born) { return spawn_entity<note_actor>(system(), std::move(born)); }
};

} // namespace

note_handle spawn_notes(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_router<note_router>(sys, std::move(with), std::move(storage));
}

} // namespace credence::note
