#include "actors/chain/chain_state.hpp"

#include "actors/chain/folding.hpp"

#include <stdexcept>

namespace credence::chain {

namespace {

/// Notes the id that a contract gave out, by its event; the number before it is the contract's first id.
struct id_noting {
  folding& to;
  void operator()(const attestation_events::attestation_created& entry) const {
    to.note_id("attestation", 1, entry.attestation.value);
  }
  void operator()(const profile_events::profile_created& entry) const { to.note_id("profile", 1, entry.profile.value); }
  void operator()(const profile_events::mock_profile_created& entry) const {
    to.note_id("profile", 1, entry.mock.value);
  }
  void operator()(const review_events::review_created& entry) const { to.note_id("review", 0, entry.review.value); }
  void operator()(const vote_events::voted& entry) const { to.note_id("vote", 1, entry.vote.value); }
  void operator()(const discussion_events::reply_added& entry) const { to.note_id("reply", 0, entry.reply.value); }
  void operator()(const vouch_events::vouched& made) const { to.note_id("vouch", 0, made.vouch.value); }
  void operator()(const vouch_events::early_vouched& made) const { to.note_id("vouch", 0, made.vouch.value); }
  void operator()(const vouch_v2_events::vouched& made) const { to.note_id("vouchV2", 1, made.vouch.value); }
  void operator()(const bond_events::bond_created& made) const { to.note_id("bond", 1, made.bond.value); }
  void operator()(const broker_events::post_created& post) const { to.note_id("post", 1, post.id.value); }
  void operator()(const slash_events::slash_created& made) const { to.note_id("slash", 1, made.id.value); }
  void operator()(const project_events::project_created& made) const { to.note_id("project", 1, made.id.value); }
  void operator()(const auto&) const {}
};

void add(fold_effects& to, const fold_effects& more) {
  to.profiles.insert(more.profiles.begin(), more.profiles.end());
  to.texts.insert(more.texts.begin(), more.texts.end());
  to.projects.insert(more.projects.begin(), more.projects.end());
}

} // namespace

event_fate fold(chain_rows& rows, const fold_settings& how, const event_place& where, const event& entry,
                fold_effects& effects) {
  if (!record_kind_of(where.contract))
    throw std::logic_error("events of the contract " + std::string{name_of(where.contract)} + " are not folded here");
  folding noted{rows, how, where, effects};
  visit(id_noting{noted}, entry);
  const auto mark = rows.mark();
  fold_effects own;
  folding one{rows, how, where, own};
  event_fate why;
  try {
    visit([&](const auto& each) { one.on(each); }, entry);
    add(effects, own);
    return {};
  } catch (const row_not_read&) {
    why = failed_missing("rows");
  } catch (not_applied& it) {
    why = std::move(it.fate);
  }
  rows.back_to(mark);
  return why;
}

void fail(event_fate why) { throw not_applied{std::move(why)}; }

void folding::on(const contract_address_manager_events::contract_address_updated&) {
  throw std::logic_error("the event belongs to a contract that is not folded here");
}
void folding::on(const any_events::paused&) { set_parameter("paused", "true"); }
void folding::on(const any_events::unpaused&) { set_parameter("paused", "false"); }
void folding::on(const any_events::upgraded& entry) {
  set_parameter("implementation", lower_text(entry.implementation));
}
void folding::on(const any_events::initialized&) {}
void folding::on(const any_events::role_granted&) {}
void folding::on(const any_events::role_revoked&) {}
void folding::on(const any_events::role_admin_changed&) {}

void folding::note_id(std::string_view of, std::int64_t first, std::int64_t id) {
  const auto* last = rows_.last_ids.find(std::string{of});
  const auto expected = last ? *last + 1 : first;
  if (id > expected)
    effects_.gaps.push_back({std::string{of}, expected, id - 1});
  if (id >= expected)
    rows_.last_ids.put(std::string{of}, id);
}

std::int32_t folding::ours_of(std::int32_t onchain) const {
  const auto number = std::int64_t{onchain} + how_.id_offset;
  if (number > limits::id_max)
    fail(failed(decode_error::id_out_of_range));
  return static_cast<std::int32_t>(number);
}

void folding::set_parameter(const std::string& name, const std::string& value) {
  rows_.parameters.put({where_.contract, name}, value);
}

} // namespace credence::chain
