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
void profile_actor::with_credentials(const ask<Q>& question, F then) {
  read(question, [&] {
    if (credentials_)
      return then();
    waiting_for_credentials_.push_back([question, then = std::move(then)](bool there) {
      if (there)
        then();
      else
        question.fail(failure::unavailable);
    });
    if (waiting_for_credentials_.size() == 1)
      load_credentials_now();
  });
}

void profile_actor::load_credentials_now() {
  storage_.read(*this, load_credentials{id_})
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
      [this](failure) {
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
    writes_.send(storage_, *this, decision, steady_clock::now() + ending_deadline, nullptr,
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
  auto slot = with_->credentials->intern(credential_kind::session, which.id, id_, which.expires_at, {}, which.signer,
                                         which.partner);
  slot->allow(credentials_->live());
  return slot;
}

/// Nobody accepts it from here on.
void profile_actor::end_slot(credential_kind of, const std::string& id, timestamp expires_at) {
  with_->credentials->intern(of, id, id_, expires_at)->end();
  std::erase_if(slots_, [&](const auto& each) { return each->id() == id; });
}

/// Decides, makes it pending, writes it; `then` answers once it is committed.
template <class Q, class Then>
void profile_actor::carry_out(const ask<Q>& question, Then then) {
  change_with(question, [&] {
    const auto again = [this, question] { ask_again(question); };
    auto decision = credentials_->decide(*question, with_->now());
    if (!decision)
      return refuse(question, decision.why(), again);
    if constexpr (requires { question->dry_run; })
      if (question->dry_run)
        return then(*decision);
    credentials_->apply(*decision);
    write(
      question, *decision,
      [this, change = *decision, then](const write_outcome&) {
        credentials_->commit(change);
        then(change);
      },
      {}, again);
  });
}

// -- API keys ------------------------------------------------------------------------------

void profile_actor::on(const ask<create_key>& question) {
  // What an operator has changed since counts: access is looked up again each time.
  with_access(question, 0s, true, [this, question] {
    carry_out(question, [this, question](const key_created& change) {
      std::erase_if(slots_, [this](const auto& each) { // of keys that expired long ago
        return each->kind() == credential_kind::api_key && !credentials_->has_key(each->id());
      });
      slots_.push_back(slot_of(change.key));
      question.answer(change.key);
    });
  });
}

void profile_actor::on(const ask<list_keys>& question) {
  with_credentials(question, [this, question] {
    auto keys = credentials_->keys();
    for (auto& each : keys)
      for (const auto& slot : slots_)
        if (slot->id() == each.id && slot->used_at() > each.last_used_at.value_or(timestamp{}))
          each.last_used_at = slot->used_at();
    question.answer(std::move(keys));
  });
}

void profile_actor::on(const ask<revoke_key>& question) {
  with_credentials(question, [this, question] {
    carry_out(question, [this, question](const key_revoked& change) {
      end_slot(credential_kind::api_key, change.id, timestamp::max());
      question.answer(done{});
    });
  });
}

void profile_actor::on(const ask<use_nonce>& question) {
  with_credentials(
    question, [this, question] { carry_out(question, [question](const nonce_used&) { question.answer(done{}); }); });
}

// -- every request with a credential that its I/O thread does not know yet -------------------

void profile_actor::on(const ask<check_credential>& question) {
  const auto believed_for =
    question->kind == credential_kind::access_token ? revocations_believed_for : access_believed_for;
  with_access(question, believed_for, false, [this, question] { answer_check(question); });
}

/// Not `needed`: without the database what is known counts.
template <class Q, class F>
void profile_actor::with_access(const ask<Q>& question, std::chrono::seconds believed_for, bool needed, F then) {
  with_credentials(question, [this, question, believed_for, needed, then = std::move(then)] {
    if (steady_clock::now() - access_read_at_ < believed_for)
      return then();
    load_for(
      question, load_credentials{id_},
      [this, question, then](const stored_credentials& stored) {
        if (failed_)
          return question.fail(failure::unavailable);
        take_access(stored);
        then();
      },
      [this, question, needed, then] {
        if (needed || failed_)
          return question.fail(failure::unavailable);
        then();
      });
  });
}

void profile_actor::answer_check(const ask<check_credential>& question) {
  std::shared_ptr<credential_slot> slot;
  if (question->kind == credential_kind::api_key) {
    if (const auto* key = question->token_hash ? credentials_->key(question->id, *question->token_hash) : nullptr)
      slot = slot_of(*key);
  } else if (question->kind == credential_kind::access_token) {
    if (std::find(revoked_tokens_.begin(), revoked_tokens_.end(), question->id) == revoked_tokens_.end())
      slot = with_->credentials->intern(credential_kind::access_token, question->id, id_, question->expires_at);
  } else if (const auto* found = credentials_->find_session(question->id, with_->now())) {
    slot = slot_of(*found);
  }
  if (!slot)
    return question.answer(not_valid());
  question.answer(std::move(slot));
}

// -- sessions ------------------------------------------------------------------------------

void profile_actor::on(const ask<open_session>& question) {
  with_credentials(question, [this, question] {
    carry_out(question, [this, question](const session_opened& change) {
      if (change.in_place_of)
        end_slot(credential_kind::session, *change.in_place_of, timestamp::max());
      auto slot = slot_of(change.opened);
      slots_.push_back(slot);
      question.answer(std::move(slot));
    });
  });
}

void profile_actor::on(const ask<refresh_session>& question) {
  // A session goes on only while its wallet is the profile's, as the database has it now.
  with_access(question, 0s, true, [this, question] { go_on_refreshing(question); });
}

void profile_actor::go_on_refreshing(const ask<refresh_session>& question) {
  change_with(question, [&] {
    const auto now = with_->now();
    switch (credentials_->judge(*question, now)) {
      case credentials::presented::unknown: return question.answer(not_valid());
      case credentials::presented::stolen: return end_stolen(question);
      case credentials::presented::just_replaced:
        return question.answer(
          refresh_session::answer_type{slot_of(*credentials_->find_session(question->id, now)), false});
      case credentials::presented::current: break;
    }
    const auto decision = credentials_->rotate(*question, now);
    credentials_->apply(decision);
    write(
      question, decision,
      [this, question, decision](const write_outcome&) {
        credentials_->commit(decision);
        question.answer(refresh_session::answer_type{slot_of(decision.now), true});
      },
      {}, [this, question] { ask_again(question); });
  });
}

/// A refresh token that was replaced has been used again: one of the two who had it is a
/// thief, so neither keeps the session.
void profile_actor::end_stolen(const ask<refresh_session>& question) {
  const sessions_ended decision{id_, {question->id}, with_->now(), end_cause::token_reused};
  ops::the_metrics().credentials.refresh_tokens_reused.add();
  ops::log(ops::level::warn, "refresh_token_reused",
           {{"profile", static_cast<std::int64_t>(id_.value)}, {"session", question->id}});
  credentials_->apply(decision);
  end_slot(credential_kind::session, question->id, timestamp::max());
  write(
    question, decision,
    [this, question, decision](const write_outcome&) {
      credentials_->commit(decision);
      question.answer(not_valid());
    },
    {}, [this, question] { ask_again(question); });
}

void profile_actor::on(const ask<end_session>& question) {
  with_credentials(question, [this, question] {
    carry_out(question, [this, question](const sessions_ended& change) { on_sessions_ended(question, change); });
  });
}

void profile_actor::on(const ask<end_other_sessions>& question) {
  with_credentials(question, [this, question] {
    if (writes_.empty() && credentials_->decide(*question, with_->now())->ids.empty())
      return question.answer(done{}); // there are none, which is nothing to write
    carry_out(question, [this, question](const sessions_ended& change) { on_sessions_ended(question, change); });
  });
}

template <class Q>
void profile_actor::on_sessions_ended(const ask<Q>& question, const sessions_ended& change) {
  for (const auto& each : change.ids)
    end_slot(credential_kind::session, each, timestamp::max());
  question.answer(done{});
}

void profile_actor::on(const ask<list_sessions>& question) {
  with_credentials(question, [this, question] { question.answer(credentials_->sessions(with_->now())); });
}

// -- partners ------------------------------------------------------------------------------

void profile_actor::on(const ask<switch_partner>& question) {
  with_credentials(question, [this, question] {
    const auto* now = credentials_->of_partners().last(question->origin);
    if (now && now->enabled == question->enabled) // nothing to write, nor to tell the audit
      return answer_after_those_before(question, *now, [this, question] { ask_again(question); });
    carry_out(question, [question](const partner_switched& change) { question.answer(change.grant); });
  });
}

void profile_actor::on(const ask<check_partner>& question) {
  with_credentials(question,
                   [this, question] { question.answer(credentials_->of_partners().check(question->origin)); });
}

void profile_actor::on(const ask<list_partners>& question) {
  with_credentials(question, [this, question] { question.answer(credentials_->of_partners().list()); });
}

void profile_actor::on(const ask<make_partner_code>& question) {
  with_credentials(question, [this, question] {
    carry_out(question, [question](const partner_code_made& change) { question.answer(change.code); });
  });
}

} // namespace credence::profile
