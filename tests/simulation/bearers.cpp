#include "tests/simulation/bearers.hpp"

#include "actors/profile/profile_actor.hpp"

namespace credence::test {

using namespace std::chrono_literals;
using profile::credential_kind;

namespace {

digest32 digest_of(std::size_t number, std::uint8_t more) {
  digest32 out{std::byte{more}};
  for (std::size_t i = 0; i < 8; ++i)
    out[i + 1] = static_cast<std::byte>(number >> (8 * i));
  return out;
}

} // namespace

void bearers::act() {
  if (!takes_stamps(world_.serving()))
    return; // nobody knows what is over
  const auto choice = world_.chance().below(10);
  if (choice < 3 || held_.empty())
    return make();
  auto& which = held_[world_.chance().below(static_cast<std::uint32_t>(held_.size()))];
  if (choice < 4)
    return end(which);
  if (choice < 5 && which.kind == credential_kind::session)
    return renew(which);
  use(which);
}

// -- making and ending -----------------------------------------------------------------------

void bearers::made(credential& which, bool yes, bool no) {
  which.made = yes ? told::yes : no ? told::no : told::unknown;
  world_.note(which.id + (yes ? ": made" : no ? ": refused" : ": unknown"));
  if (yes && !stored(which) && which.ended == told::nothing)
    world_.violation(which.id + " was made and is not stored");
  if (no && stored(which))
    world_.violation(which.id + " was refused and is stored");
  report_.credentials += yes;
}

/// A nonce is used a second time now and then, which must be refused once the first has counted.
void bearers::make() {
  const auto owner = profile_id{some_profile()};
  auto& which = held_.emplace_back();
  which.owner = owner;
  which.kind = world_.chance().chance(500) ? credential_kind::api_key : credential_kind::session;
  which.id = (which.kind == credential_kind::api_key ? "key" : "session") + std::to_string(held_.size());
  which.hash = digest_of(held_.size(), 0);
  const bool again = nonces_ > 0 && world_.chance().chance(200);
  const auto name = std::to_string(owner.value) + "-" + std::to_string(again ? nonces_ : ++nonces_);
  const auto now = world_.wall_now();
  const profile::signed_nonce by{{}, name, now + 10min};
  auto& op = begin(which.id + " of profile " + std::to_string(owner.value) + " is made with nonce " + name);
  const bool counted = used_.contains(name);
  const auto judge = [this, &op, &which, name, counted](const auto& result, bool yes) {
    op.outcome = told::yes;
    if (yes && counted)
      world_.violation(which.id + " was made with a nonce that had been used");
    if (yes)
      used_.insert(name);
    made(which, yes, result.refused());
  };
  if (which.kind == credential_kind::api_key) {
    op.judge = [judge](envelope_base& answered) {
      judge(as<profile::create_key>(answered), answer_in<profile::create_key>(answered) != nullptr);
    };
    return put(&directory::profiles,
               profile::create_key{{which.id, owner, {}, which.id, now, now + 24h * 30, std::nullopt}, which.hash, by},
               op);
  }
  op.judge = [judge](envelope_base& answered) {
    judge(as<profile::open_session>(answered), answer_in<profile::open_session>(answered) != nullptr);
  };
  put(&directory::profiles,
      profile::open_session{{which.id, owner, which.hash, std::nullopt, now, now, now + 24h * 30}, by}, op);
}

void bearers::end(credential& which) {
  if (which.made != told::yes || which.ended == told::yes)
    return;
  if (which.ended == told::nothing)
    which.ended = told::unknown;
  auto& op = begin(which.id + " is ended");
  const auto judge = [this, &op, &which](const auto& result) {
    op.outcome = told::yes;
    // A refusal says that it is not there: an end that was unknown has come about.
    if (!result.failed()) {
      which.ended = told::yes;
      world_.note(which.id + ": ended");
      if (stored(which))
        world_.violation(which.id + " was ended and is stored");
    }
  };
  if (which.kind == credential_kind::api_key) {
    op.judge = [judge](envelope_base& answered) { judge(as<profile::revoke_key>(answered)); };
    return put(&directory::profiles, profile::revoke_key{which.owner, which.id}, op);
  }
  op.judge = [judge](envelope_base& answered) { judge(as<profile::end_session>(answered)); };
  put(&directory::profiles, profile::end_session{which.owner, which.id}, op);
}

/// A session's token is replaced. Where nothing is known of it the bearer lets the session be: a token
/// that was replaced ends it when it is shown.
void bearers::renew(credential& which) {
  if (which.made != told::yes || which.ended != told::nothing || which.renewing)
    return;
  which.renewing = true;
  const auto fresh = digest_of(held_.size(), static_cast<std::uint8_t>(1 + world_.chance().below(250)));
  auto& op = begin(which.id + " is renewed");
  op.judge = [this, &op, &which, fresh](envelope_base& answered) {
    op.outcome = told::yes;
    const auto& result = as<profile::refresh_session>(answered);
    if (const auto* done = result.answer()) {
      which.renewing = false;
      if (done->rotated)
        which.hash = fresh;
    } else if (result.refused() && which.ended == told::nothing
               && !world_.database().now().archived.contains(which.owner)) {
      world_.violation(which.id + " is good and was not renewed");
    }
  };
  put(&directory::profiles, profile::refresh_session{which.owner, which.id, which.hash, fresh}, op);
}

// -- using ------------------------------------------------------------------------------------

/// As the front does it: by the slot it has, or else by asking for one.
void bearers::use(credential& which) {
  if (which.made != told::yes)
    return;
  if (which.slot && which.shown_to == &world_.serving() && which.slot->holds(world_.wall_now())) {
    if (which.ended == told::yes)
      world_.violation(which.id + " is taken after its end was answered");
    return;
  }
  auto& op = begin(which.id + " is shown");
  op.judge = [this, &op, &which, over = which.ended == told::yes](envelope_base& answered) {
    op.outcome = told::yes;
    const auto& result = as<profile::check_credential>(answered);
    const auto* slot = answer_in<profile::check_credential>(answered);
    if (slot) {
      if (over && (*slot)->holds(world_.wall_now()))
        world_.violation(which.id + " is taken after its end was answered");
      which.slot = *slot;
      which.shown_to = op.whom;
    } else if (result.refused() && which.ended == told::nothing && !which.renewing) {
      world_.violation(which.id + " is good and was refused");
    }
  };
  put(&directory::profiles, profile::check_credential{which.owner, which.kind, which.id, which.hash}, op);
}

// -- the end ----------------------------------------------------------------------------------

profile::stored_credentials bearers::in_store(profile_id owner) const {
  const auto& all = world_.database().now().credentials;
  const auto found = all.find(owner);
  return found == all.end() ? profile::stored_credentials{} : found->second;
}

bool bearers::stored(const credential& which) const {
  const auto there = in_store(which.owner);
  return std::any_of(there.keys.begin(), there.keys.end(), [&](const auto& each) { return each.first.id == which.id; })
         || std::any_of(there.sessions.begin(), there.sessions.end(),
                        [&](const auto& each) { return each.id == which.id; });
}

void bearers::compare() {
  for (const auto& each : held_) {
    if (each.made == told::yes && each.ended == told::nothing && !each.renewing && !stored(each))
      world_.violation(each.id + " was made and never ended, and is not stored");
    if ((each.made == told::no || each.ended == told::yes) && stored(each))
      world_.violation(each.id + " was refused or ended, and is stored");
  }
  for (auto& each : held_) {
    auto& op = begin(each.id + " is shown at last");
    op.judge = [this, &op, &each, there = stored(each)](envelope_base& answered) {
      op.outcome = told::yes;
      const auto* slot = answer_in<profile::check_credential>(answered);
      if (there != (slot && (*slot)->holds(world_.wall_now())))
        world_.violation(each.id + (there ? " is stored and refused" : " is not stored and taken"));
    };
    put(&directory::profiles, profile::check_credential{each.owner, each.kind, each.id, each.hash}, op);
    world_.pass_time(20ms);
  }
  world_.pass_time(timeout);
  expect_every_answer();
}

} // namespace credence::test
