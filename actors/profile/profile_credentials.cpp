#include "actors/profile/credential_slot.hpp"
#include "actors/profile/profile_family.hpp"

#include <algorithm>

namespace credence::profile {

namespace {

using namespace std::chrono_literals;

/// An operator may allow or forbid API keys in the database, and another program may move a wallet to another
/// profile; who uses a credential sees it this late.
constexpr auto access_believed_for = 30s;
/// Likewise for access tokens that an operator has revoked.
constexpr auto revocations_believed_for = 2s;
constexpr auto ending_deadline = 2s;

refusal not_valid() { return {refusal_code::unauthenticated, "the credential is not valid"}; }

} // namespace

// -- loading -------------------------------------------------------------------------------

template <class Q, class F>
void profile_actor::with_credentials(const ask<Q>& asked, F then) {
  read(asked, [&] {
    if (credentials_)
      return then();
    waiting_for_credentials_.push_back([asked, then = std::move(then)](bool there) {
      if (there)
        then();
      else
        asked.fail(failure::unavailable);
    });
    if (waiting_for_credentials_.size() == 1)
      load_credentials_now();
  });
}

void profile_actor::load_credentials_now() {
  self_->request(storage_.reader, cold_patience, load_credentials{id_})
    .then(
      [this](stored_credentials& stored) {
        if (failed_)
          return leave_when_done(); // whoever waited has been told, and another actor may own them by now
        revoked_tokens_ = std::move(stored.revoked_tokens);
        credentials_.emplace(std::move(stored), with_->session_idle);
        access_read_at_ = steady_clock::now();
        for (const auto& each : credentials_->keys())
          slots_.push_back(slot_of(each));
        for (const auto& each : credentials_->sessions(with_->now()))
          slots_.push_back(slot_of(each));
        with_->credentials->end_others(id_, slots_);
        end_revoked_tokens();
        end_those_without_wallet();
        for (const auto& each : std::exchange(waiting_for_credentials_, {}))
          each(true);
        leave_when_done();
      },
      [this](const caf::error&) {
        for (const auto& each : std::exchange(waiting_for_credentials_, {}))
          each(false);
        leave_when_done();
      });
}

void profile_actor::take_access(const stored_credentials& stored) {
  access_read_at_ = steady_clock::now();
  credentials_->set_access(stored.live, stored.api_access);
  for (const auto& each : slots_)
    each->allow(stored.live && (stored.api_access || each->kind() != credential_kind::api_key));
  revoked_tokens_ = stored.revoked_tokens;
  end_revoked_tokens();
  credentials_->set_without_wallet(stored.without_wallet);
  end_those_without_wallet();
}

void profile_actor::end_revoked_tokens() {
  for (const auto& each : revoked_tokens_)
    with_->credentials->end(id_, each);
}

/// From here on nobody accepts them; that they have ended is stored as soon as it can be.
void profile_actor::end_those_without_wallet() {
  const auto keys = credentials_->keys_without_wallet();
  auto sessions = credentials_->sessions_without_wallet();
  for (const auto& each : keys)
    with_->credentials->end(id_, each);
  for (const auto& each : sessions)
    with_->credentials->end(id_, each);
  if ((keys.empty() && sessions.empty()) || failed_ || closed())
    return; // whoever reads them next ends them
  const auto end = [this](auto decision) {
    credentials_->apply(decision);
    writes_.send(storage_, self_, decision, steady_clock::now() + ending_deadline, nullptr,
                 {[this, decision](const write_outcome&) { credentials_->commit(decision); }, [](failure) {}});
  };
  for (const auto& each : keys)
    end(key_revoked{id_, each, with_->now(), end_cause::wallet_left});
  if (!sessions.empty())
    end(sessions_ended{id_, std::move(sessions), with_->now(), end_cause::wallet_left});
}

std::shared_ptr<credential_slot> profile_actor::slot_of(const api_key& key) {
  auto slot = with_->credentials->intern(credential_kind::api_key, key.id, id_, key.expires_at, key.bounds, key.signer);
  slot->allow(credentials_->api_access() && credentials_->live());
  return slot;
}

std::shared_ptr<credential_slot> profile_actor::slot_of(const session& which) {
  auto slot = with_->credentials->intern(credential_kind::session, which.id, id_, which.expires_at, {}, which.signer);
  slot->allow(credentials_->live());
  return slot;
}

/// Nobody accepts it from here on.
void profile_actor::end_slot(credential_kind what, const std::string& id, timestamp expires_at) {
  with_->credentials->intern(what, id, id_, expires_at)->end();
  std::erase_if(slots_, [&](const auto& each) { return each->id() == id; });
}

/// Decides, makes it pending, writes it; `then` answers once it is committed.
template <class Q, class Then>
void profile_actor::carry_out(const ask<Q>& asked, Then then) {
  change_with(asked, [&] {
    const auto again = [this, asked] { ask_again(asked); };
    auto decision = credentials_->decide(*asked, with_->now());
    if (!decision)
      return refuse(asked, decision.why(), again);
    credentials_->apply(*decision);
    write(
      asked, *decision,
      [this, what = *decision, then](const write_outcome&) {
        credentials_->commit(what);
        then(what);
      },
      {}, again);
  });
}

// -- API keys ------------------------------------------------------------------------------

void profile_actor::on(const ask<create_key>& asked) {
  // What an operator has changed since counts: access is looked up again each time.
  with_access(asked, 0s, true, [this, asked] {
    carry_out(asked, [this, asked](const key_created& what) {
      slots_.push_back(slot_of(what.key));
      asked.answer(what.key);
    });
  });
}

void profile_actor::on(const ask<list_keys>& asked) {
  with_credentials(asked, [this, asked] {
    auto keys = credentials_->keys();
    for (auto& each : keys)
      for (const auto& slot : slots_)
        if (slot->id() == each.id && slot->used_at() > each.last_used_at.value_or(timestamp{}))
          each.last_used_at = slot->used_at();
    asked.answer(std::move(keys));
  });
}

void profile_actor::on(const ask<revoke_key>& asked) {
  with_credentials(asked, [this, asked] {
    carry_out(asked, [this, asked](const key_revoked& what) {
      end_slot(credential_kind::api_key, what.id, timestamp::max());
      asked.answer(done{});
    });
  });
}

// -- every request with a credential that its I/O thread does not know yet -------------------

void profile_actor::on(const ask<check_credential>& asked) {
  const auto believed_for = asked->kind == credential_kind::access_token ? revocations_believed_for : access_believed_for;
  with_access(asked, believed_for, false, [this, asked] { answer_check(asked); });
}

/// Not `needed`: without the database what is known counts.
template <class Q, class F>
void profile_actor::with_access(const ask<Q>& asked, std::chrono::seconds believed_for, bool needed, F then) {
  with_credentials(asked, [this, asked, believed_for, needed, then = std::move(then)] {
    if (steady_clock::now() - access_read_at_ < believed_for)
      return then();
    load_for<stored_credentials>(
      asked, load_credentials{id_},
      [this, asked, then](const stored_credentials& stored) {
        if (failed_)
          return asked.fail(failure::unavailable);
        take_access(stored);
        then();
      },
      [this, asked, needed, then] {
        if (needed || failed_)
          return asked.fail(failure::unavailable);
        then();
      });
  });
}

void profile_actor::answer_check(const ask<check_credential>& asked) {
  std::shared_ptr<credential_slot> slot;
  if (asked->kind == credential_kind::api_key) {
    if (const auto* key = asked->token_hash ? credentials_->key(asked->id, *asked->token_hash) : nullptr)
      slot = slot_of(*key);
  } else if (asked->kind == credential_kind::access_token) {
    if (std::find(revoked_tokens_.begin(), revoked_tokens_.end(), asked->id) == revoked_tokens_.end())
      slot = with_->credentials->intern(credential_kind::access_token, asked->id, id_, asked->expires_at);
  } else if (const auto* found = credentials_->find_session(asked->id, with_->now())) {
    slot = slot_of(*found);
  }
  if (!slot)
    return asked.answer(not_valid());
  asked.answer(std::move(slot));
}

// -- sessions ------------------------------------------------------------------------------

void profile_actor::on(const ask<open_session>& asked) {
  with_credentials(asked, [this, asked] {
    carry_out(asked, [this, asked](const session_opened& what) {
      if (what.in_place_of)
        end_slot(credential_kind::session, *what.in_place_of, timestamp::max());
      auto slot = slot_of(what.opened);
      slots_.push_back(slot);
      asked.answer(std::move(slot));
    });
  });
}

void profile_actor::on(const ask<refresh_session>& asked) {
  // A session goes on only while its wallet is the profile's, as the database has it now.
  with_access(asked, 0s, true, [this, asked] { go_on_refreshing(asked); });
}

void profile_actor::go_on_refreshing(const ask<refresh_session>& asked) {
  change_with(asked, [&] {
    const auto now = with_->now();
    switch (credentials_->judge(*asked, now)) {
      case credentials::presented::unknown: return asked.answer(not_valid());
      case credentials::presented::stolen: return end_stolen(asked);
      case credentials::presented::just_replaced:
        return asked.answer(refresh_session::answer_type{slot_of(*credentials_->find_session(asked->id, now)), false});
      case credentials::presented::current: break;
    }
    const auto decision = credentials_->rotate(*asked, now);
    credentials_->apply(decision);
    write(
      asked, decision,
      [this, asked, decision](const write_outcome&) {
        credentials_->commit(decision);
        asked.answer(refresh_session::answer_type{slot_of(decision.now), true});
      },
      {}, [this, asked] { ask_again(asked); });
  });
}

/// A refresh token that was replaced has been used again: one of the two who had it is a
/// thief, so neither keeps the session.
void profile_actor::end_stolen(const ask<refresh_session>& asked) {
  const sessions_ended decision{id_, {asked->id}, with_->now(), end_cause::token_reused};
  ops::the_metrics().credentials.refresh_tokens_reused.add();
  ops::log(ops::level::warn, "refresh_token_reused", {{"profile", static_cast<std::int64_t>(id_.value)}, {"session", asked->id}});
  credentials_->apply(decision);
  end_slot(credential_kind::session, asked->id, timestamp::max());
  write(
    asked, decision,
    [this, asked, decision](const write_outcome&) {
      credentials_->commit(decision);
      asked.answer(not_valid());
    },
    {}, [this, asked] { ask_again(asked); });
}

void profile_actor::on(const ask<end_session>& asked) {
  with_credentials(asked, [this, asked] { carry_out(asked, [this, asked](const sessions_ended& what) { on_sessions_ended(asked, what); }); });
}

void profile_actor::on(const ask<end_other_sessions>& asked) {
  with_credentials(asked, [this, asked] { carry_out(asked, [this, asked](const sessions_ended& what) { on_sessions_ended(asked, what); }); });
}

template <class Q>
void profile_actor::on_sessions_ended(const ask<Q>& asked, const sessions_ended& what) {
  for (const auto& each : what.ids)
    end_slot(credential_kind::session, each, timestamp::max());
  asked.answer(done{});
}

void profile_actor::on(const ask<list_sessions>& asked) {
  with_credentials(asked, [this, asked] { asked.answer(credentials_->sessions(with_->now())); });
}

} // namespace credence::profile
