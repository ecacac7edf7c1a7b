#include "actors/reputation/record_actor.hpp"

#include "actors/directory.hpp"
#include "actors/kernel/may_be_behind.hpp"
#include "actors/kernel/single_actor.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/reputation/attestation_state.hpp"
#include "actors/reputation/bond_state.hpp"
#include "actors/reputation/catalogue_state.hpp"
#include "actors/reputation/join_state.hpp"
#include "actors/reputation/notice_state.hpp"
#include "actors/reputation/project_record_state.hpp"
#include "actors/reputation/reply_state.hpp"
#include "actors/reputation/review_state.hpp"
#include "actors/reputation/verification_state.hpp"
#include "actors/reputation/vouch_state.hpp"
#include "config/limits.hpp"

#include <deque>
#include <optional>
#include <variant>
#include <vector>

namespace credence::reputation {

namespace {

/// Who is told at most so long after the commit, before whoever asked is answered.
constexpr std::chrono::seconds telling_patience{2};

template <class... Q>
struct requests_of {
  using type = std::variant<ask<Q>...>;
};
template <class... Q>
using any_of = typename requests_of<Q...>::type;
/// A request that waits for its round.
using request = made_of<any_of, record_requests>;

/// Whose standing, wallets or accounts a change touches, if anybody's: caches look at those profiles again.
template <class Change>
std::vector<profile_id> touched_by(const Change& what) {
  if constexpr (std::is_same_v<Change, profile_created> || std::is_same_v<Change, profile_archived> || std::is_same_v<Change, profile_edited>)
    return {what.id};
  else if constexpr (std::is_same_v<Change,
                                    address_linked> || std::is_same_v<Change, address_unlinked> || std::is_same_v<Change, attestation_archived>)
    return {what.profile};
  else if constexpr (std::is_same_v<Change, verification_decided>)
    return {what.what.profile};
  else if constexpr (std::is_same_v<Change, bond_created>)
    return {what.what.subject_profile};
  else if constexpr (std::is_same_v<Change, bond_archived> || std::is_same_v<Change, bond_expiration_set>)
    return {what.subject};
  else if constexpr (std::is_same_v<Change, account_attested>) {
    std::vector<profile_id> out{what.what.profile};
    if (what.profile_before)
      out.push_back(*what.profile_before);
    return out;
  } else
    return {};
}

/// The kind of records that a request makes or changes; nothing for what a chain does not tell.
template <class Request>
constexpr std::optional<chain::record_kind> kind_of() {
  if constexpr (among<Request, types<create_profile, archive_profile, link_address, unlink_address, send_invitation, cancel_invitation,
                                     attest_account, archive_attestation>>)
    return chain::record_kind::identity;
  else if constexpr (among<Request, types<create_review, edit_review, archive_review>>)
    return chain::record_kind::review;
  else if constexpr (std::is_same_v<Request, put_vote>)
    return chain::record_kind::vote;
  else if constexpr (among<Request, types<create_reply, edit_reply>>)
    return chain::record_kind::reply;
  else
    return std::nullopt;
}

/// The project whose listing a change is about, if any: the board shows it, and votes go by it, before the answer is given.
template <class Change>
std::optional<project_id> listed_by(const Change& what) {
  if constexpr (std::is_same_v<Change, project_created> || std::is_same_v<Change, project_edited>)
    return what.what.id;
  else if constexpr (std::is_same_v<Change, project_archived>)
    return what.id;
  else
    return std::nullopt;
}

class record_actor : public writing<single_actor<record_actor, ops::actor_kind::record, record_handle, context, storage, write_outcome>> {
public:
  static inline const char* name = "records";
  using single_actor::on;

  template <class Q>
  requires among<Q, record_requests>
  void on(const ask<Q>& asked) {
    if constexpr (kind_of<Q>().has_value())
      if (constexpr auto of = kind_of<Q>().value(); with_->followed.contains(of))
        return asked.answer(refusal{refusal_code::followed_from_chain, "records of the kind " + std::string{chain::name_of(of)}
                                                                         + " are made of a chain's events here: send a transaction to its contract"});
    change_with(asked, [&] {
      waiting_.push_back(asked);
      begin_round();
    });
  }

  void on(const ask<get_review>& asked) { show<found_review>(asked, load_review{asked->id}, "review"); }
  void on(const ask<get_invitation>& asked) { show<found_invitation>(asked, load_invitation{asked->id}, "invitation"); }
  void on(const ask<get_vouch>& asked) { show<found_vouch>(asked, load_vouch{asked->id}, "vouch"); }
  void on(const ask<get_reply>& asked) { show<found_reply>(asked, load_reply{asked->id}, "reply"); }
  void on(const ask<get_attestation>& asked) { show<found_attestation>(asked, load_attestation{asked->id}, "attestation"); }
  void on(const ask<get_bond>& asked) { show<found_bond>(asked, load_bond{asked->id}, "bond"); }
  void on(const ask<get_verification>& asked) {
    read(asked, [&] {
      load_for<verification_standing>(asked, load_verification{asked->user},
                                      [asked](verification_standing& found) { asked.answer(std::move(found)); });
    });
  }
  void on(const ask<get_vote>& asked) { show<found_vote>(asked, load_vote{asked->on, asked->voter}, "vote"); }

  void on(const ask<get_team>& asked) {
    read(asked, [&] {
      load_for<found_team>(asked, load_team{asked->id}, [asked](found_team& found) {
        if (found.what)
          asked.answer(*std::move(found.what));
        else
          asked.answer(no_project(asked->id));
      });
    });
  }
  void on(const ask<get_categories>& asked) { pass_on(asked, *asked); }
  void on(const ask<get_chains>& asked) { pass_on(asked, *asked); }
  void on(const ask<get_category_users>& asked) { pass_on(asked, *asked); }
  void on(const ask<get_user_categories>& asked) { pass_on(asked, *asked); }
  template <class Q>
  requires among<Q, list_questions>
  void on(const ask<Q>& asked) { pass_on(asked, *asked); }

  void on(const write_outcome& what) {
    switch (writes_.on_outcome(what)) {
      case pending_writes::verdict::goes_on: break;
      case pending_writes::verdict::taken_back: writes_.ask_all_again(failure::unavailable); break;
      case pending_writes::verdict::refused: writes_.lose_oldest(failure::unavailable); break;
    }
    put_back();
    begin_round();
  }

private:
  /// Answers with a committed record.
  template <class Found, class Q, class Load>
  void show(const ask<Q>& asked, Load what, const char* record) {
    read(asked, [&] {
      load_for<Found>(asked, what, [asked, record](Found& found) {
        if (found.what)
          asked.answer(*std::move(found.what));
        else
          asked.answer(refusal{refusal_code::not_found, std::string{"there is no such "} + record});
      });
    });
  }

  /// Reads what the requests need that wait, unless a round is under way.
  void begin_round() {
    if (reading_ || !writes_.empty() || waiting_.empty())
      return;
    record_keys keys;
    for (; !waiting_.empty() && round_.size() < limits::records_decided_together; waiting_.pop_front()) {
      std::visit([&](const auto& asked) { add_keys(*asked, keys); }, waiting_.front());
      round_.push_back(std::move(waiting_.front()));
    }
    reading_ = true;
    self_->request(storage_.reader, with_->load_timeout, load_records{std::move(keys)})
      .then(
        [this](stored_records& stored) {
          reading_ = false;
          record_rows rows{std::move(stored)};
          for (const auto& each : std::exchange(round_, {}))
            std::visit([&](const auto& asked) { decide_in(rows, asked); }, each);
          begin_round(); // where nothing had to be written
        },
        [this](const caf::error&) {
          reading_ = false;
          for (const auto& each : std::exchange(round_, {}))
            std::visit([](const auto& asked) { asked.fail(failure::unavailable); }, each);
          begin_round();
        });
  }

  template <class Q>
  void decide_in(record_rows& rows, const ask<Q>& asked) {
    if (asked.get()->expired(steady_clock::now()))
      return asked.fail(failure::timed_out);
    if (!can_write(asked))
      return;
    const auto again = [this, asked] { again_.push_back(asked); };
    auto decision = decide(rows, *asked, with_->joining, with_->now());
    if (!decision)
      return refuse(asked, decision.why(), again);
    if (asked->dry_run || !decision->change)
      return answer_after_those_before(asked, std::move(decision->answer), again);
    rows.apply(*decision->change);
    const auto touched = touched_by(*decision->change);
    const auto listed = listed_by(*decision->change);
    write(
      asked, *std::move(decision->change),
      [this, asked, touched, listed, answer = std::move(decision->answer)](const write_outcome&) {
        if (listed)
          answer_once_shown(asked, *listed, answer);
        else if (touched.empty())
          asked.answer(answer);
        else
          answer_once_told(asked, touched, answer);
      },
      {}, again);
  }

  /// Whoever hears the answer may ask at once for what it changed: those who remember it have looked again by then.
  template <class Q>
  void answer_once_told(const ask<Q>& asked, const std::vector<profile_id>& touched, typename Q::answer_type what) {
    for (const auto each : touched)
      caf::anon_send(with_->others->profiles.to(), may_be_behind<profile_id>{each});
    self_->request(with_->others->people.to(), telling_patience, people::look_again{touched})
      .then([asked, what](const people::looked_again&) { asked.answer(what); }, [asked, what](const caf::error&) { asked.answer(what); });
  }

  /// The same of a project: the board lists it as it is now, and it takes votes or none.
  template <class Q>
  void answer_once_shown(const ask<Q>& asked, project_id listed, typename Q::answer_type what) {
    self_->request(with_->others->listings.to(), telling_patience, listing::look_again{{listed}})
      .then([asked, what](const listing::looked_again&) { asked.answer(what); }, [asked, what](const caf::error&) { asked.answer(what); });
  }

  /// What is said may rest on changes of this round: it is told when they are in.
  template <class Q>
  void answer_after_those_before(const ask<Q>& asked, typename Q::answer_type what, std::function<void()> again) {
    if (writes_.empty())
      return asked.answer(std::move(what));
    writes_.after(
      {[asked, what = std::move(what)](const write_outcome&) { asked.answer(what); }, [asked](failure why) { asked.fail(why); }, std::move(again)});
  }

  /// Those to be decided again come first, in their order.
  void put_back() {
    waiting_.insert(waiting_.begin(), again_.begin(), again_.end());
    again_.clear();
  }

  std::deque<request> waiting_; // as many as are let in
  std::vector<request> round_;  // their rows are being read
  std::vector<request> again_;  // a change before theirs came to nothing
  bool reading_ = false;
};

} // namespace

record_handle spawn_records(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_single<record_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::reputation
