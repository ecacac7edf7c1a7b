#include "tests/simulation/repeaters.hpp"

#include "actors/idempotency/idempotency_actor.hpp"
#include "actors/profile/profile_actor.hpp"

namespace credence::test {

namespace {

digest32 digest_of(std::uint64_t number) {
  digest32 out{};
  for (std::size_t i = 0; i < 8; ++i)
    out[i] = static_cast<std::byte>(number >> (8 * i));
  return out;
}

constexpr digest32 body{std::byte{1}};

} // namespace

void repeaters::act() {
  if (!takes_stamps(world_.serving()))
    return;
  const auto open = std::find_if(requests_.begin(), requests_.end(),
                                 [](const request& each) { return each.outcome == told::unknown && !each.under_way; });
  if (open != requests_.end() && world_.chance().chance(600))
    return send(*open);
  auto& fresh = requests_.emplace_back();
  fresh.name = "k" + std::to_string(requests_.size());
  fresh.key = digest_of(requests_.size());
  fresh.tip = {profile_id{some_profile()}, profile_id{some_profile()},
               static_cast<std::int64_t>(1 + world_.chance().below(60)), fresh.name, std::nullopt};
  send(fresh);
}

void repeaters::send(request& repeated) {
  const auto& by = whoever_answers(true);
  if (!takes_stamps(by))
    return;
  repeated.under_way = true;
  auto& op = begin(repeated.name + ": profile " + std::to_string(repeated.tip.sender.value) + " tips under a key");
  op.judge = [this, &op, &repeated, &by](envelope_base& answered) {
    op.outcome = told::yes;
    const auto& result = as<idempotency::claim_key>(answered);
    if (const auto* meaning = result.answer())
      return on_claimed(repeated, by, *meaning);
    if (const auto* why = result.refused(); why && why->code != refusal_code::request_in_progress)
      world_.violation(repeated.name + ": the key is refused, " + why->detail);
    done(repeated, told::unknown);
  };
  put(by, &directory::idempotency, idempotency::claim_key{repeated.key, body, by.now()}, op);
}

void repeaters::on_claimed(request& repeated, const process& by, const idempotency::key_meaning& meaning) {
  repeated.context = meaning.context;
  if (meaning.before) {
    const auto id = std::stoll(repeated.context ? meaning.before->effect : meaning.before->body);
    return repeated.context ? record(repeated, by, id) : done(repeated, told::yes, id);
  }
  auto& op = begin(repeated.name + ": the tip");
  op.judge = [this, &op, &repeated, &by](envelope_base& answered) {
    op.outcome = told::yes;
    const auto& result = as<profile::send_tip>(answered);
    if (const auto* receipt = result.answer())
      return record(repeated, by, receipt->id);
    done(repeated, result.refused() ? told::no : told::unknown);
  };
  put(by, &directory::profiles, repeated.tip, op, repeated.context);
}

void repeaters::record(request& repeated, const process& by, std::int64_t id) {
  if (times_stored(repeated, id) != 1)
    world_.violation(repeated.name + " is said to be done as tip " + std::to_string(id) + " and is not stored so");
  auto& op = begin(repeated.name + ": its answer");
  op.judge = [this, &op, &repeated, id](envelope_base& answered) {
    op.outcome = told::yes;
    done(repeated, answer_in<idempotency::record_answer>(answered) ? told::yes : told::unknown, id);
  };
  put(by, &directory::idempotency, idempotency::record_answer{{repeated.key, body, by.now(), 200, std::to_string(id)}},
      op, repeated.context);
}

void repeaters::done(request& repeated, told outcome, std::optional<std::int64_t> id) {
  repeated.under_way = false;
  repeated.context.reset();
  world_.note(repeated.name + (outcome == told::yes ? ": answered" : outcome == told::no ? ": refused" : ": unknown"));
  if (outcome == told::yes) {
    if (repeated.id && *repeated.id != *id)
      world_.violation(repeated.name + " was answered as tip " + std::to_string(*repeated.id) + ", and then as "
                       + std::to_string(*id));
    if (!repeated.id)
      ++report_.repeated;
    repeated.id = id;
  }
  if (outcome == told::no && times_stored(repeated, 0) != 0)
    world_.violation(repeated.name + " was refused and is stored");
  repeated.outcome = outcome;
}

std::size_t repeaters::times_stored(const request& repeated, std::int64_t id) const {
  const auto& tips = world_.database().now().tips;
  return static_cast<std::size_t>(std::count_if(tips.begin(), tips.end(), [&](const auto& each) {
    return each.second.message == repeated.name && (id == 0 || each.first == id);
  }));
}

void repeaters::converge() {
  for (int round = 0; round < 20 && !world_.violated(); ++round) {
    bool open = false;
    for (auto& each : requests_)
      if (each.outcome == told::unknown && !each.under_way) {
        open = true;
        send(each);
      }
    world_.pass_time(timeout);
    if (!open)
      return;
  }
  world_.violation("requests under a key do not converge");
}

void repeaters::compare() {
  for (auto& each : requests_) {
    if (times_stored(each, 0) != (each.outcome == told::yes ? 1 : 0))
      world_.violation(each.name + " is stored " + std::to_string(times_stored(each, 0))
                       + " times, which is not what was told");
    if (each.outcome == told::yes)
      send(each);
  }
  world_.pass_time(timeout);
  for (const auto& each : requests_)
    if (each.outcome == told::unknown)
      world_.violation(each.name + " has no answer any more");
  expect_every_answer();
}

} // namespace credence::test
