#include "actors/reputation/record_actor.hpp"

#include "actors/chain/record_kinds.hpp"
#include "actors/directory.hpp"
#include "actors/kernel/mark_stale.hpp"
#include "actors/kernel/single_actor.hpp"
#include "actors/listing/listing_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/profile/profile_actor.hpp"
#include "actors/reputation/record_rules.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace credence::reputation {

namespace {

/// Who is told at most so long after the commit, before whoever asked is answered.
constexpr std::chrono::seconds telling_timeout{2};

/// Records of a chain, and what other programs write, are told in notifications this late.
constexpr std::chrono::seconds polled_for{5};
/// Pages of notifications that are kept, of a hundred rows at most each.
constexpr std::size_t polled_max = 512;

class record_actor;

/// A request that waits for its round.
class request_in_round {
public:
  request_in_round() = default;
  request_in_round(const request_in_round&) = delete;
  request_in_round& operator=(const request_in_round&) = delete;
  virtual ~request_in_round() = default;
  /// Adds what it needs to see to what its round reads.
  virtual void add_needs(record_keys& keys) const = 0;
  /// Decides it on the rows of its round; `again` has it decided once more, in another one.
  virtual void decide(record_actor& by, record_rows& rows, const std::function<void()>& again) const = 0;
  virtual void fail(failure why) const = 0;
};

/// Whose standing, wallets or accounts a change touches, if anybody's: caches look at those profiles again.
template <class Change>
std::vector<profile_id> touched_by(const Change& change) {
  if constexpr (
    std::is_same_v<
      Change, profile_created> || std::is_same_v<Change, profile_archived> || std::is_same_v<Change, profile_edited>)
    return {change.id};
  else if constexpr (
    std::is_same_v<
      Change,
      address_linked> || std::is_same_v<Change, address_unlinked> || std::is_same_v<Change, attestation_archived>)
    return {change.profile};
  else if constexpr (std::is_same_v<Change, verification_decided>)
    return {change.record.profile};
  else if constexpr (std::is_same_v<Change, bond_created>)
    return {change.record.subject_profile};
  else if constexpr (std::is_same_v<Change, bond_archived> || std::is_same_v<Change, bond_expiration_set>)
    return {change.subject};
  else if constexpr (std::is_same_v<Change, account_attested>) {
    std::vector<profile_id> out{change.record.profile};
    if (change.profile_before)
      out.push_back(*change.profile_before);
    return out;
  } else
    return {};
}

/// The kind of records that a request makes or changes; nothing for what a chain does not tell.
template <class Request>
constexpr std::optional<chain::record_kind> kind_of() {
  if constexpr (among<Request, types<create_profile, archive_profile, link_address, unlink_address, send_invitation,
                                     cancel_invitation, attest_account, archive_attestation>>)
    return chain::record_kind::identity;
  else if constexpr (among<Request, types<create_review, edit_review, archive_review>>)
    return chain::record_kind::review;
  else if constexpr (std::is_same_v<Request, put_vote>)
    return chain::record_kind::vote;
  else if constexpr (among<Request, types<create_reply, edit_reply>>)
    return chain::record_kind::reply;
  else if constexpr (among<Request, types<create_vouch, move_vouch, mark_unhealthy>>)
    return chain::record_kind::vouch;
  else if constexpr (among<Request, types<create_bond, archive_bond, set_bond_expiration>>)
    return chain::record_kind::bond;
  else if constexpr (among<Request, types<create_project, archive_project>>)
    return chain::record_kind::project;
  else
    return std::nullopt;
}

/// Why a request may not write what a chain tells of such a record, if so.
template <class Request>
std::optional<refusal> told_by_chain([[maybe_unused]] const Request& question,
                                     [[maybe_unused]] const chain::record_kinds& followed) {
  if constexpr (kind_of<Request>().has_value())
    if (constexpr auto of = kind_of<Request>().value(); followed.contains(of))
      return chain::made_of_events(of);
  if constexpr (std::is_same_v<Request, edit_project>)
    if (followed.contains(chain::record_kind::project)
        && (question.names.any() || question.description || question.banner_image_url || question.team))
      return refusal{refusal_code::followed_from_chain,
                     "the names, the description, the banner and the team of a project are made of a chain's events"
                     " here: send a transaction to its contract, and change other things without them"};
  return std::nullopt;
}

/// The project whose listing a change is about, if any: the board shows it, and votes go by it, before the answer is
/// given.
template <class Change>
std::optional<project_id> listed_by(const Change& change) {
  if constexpr (std::is_same_v<Change, project_created> || std::is_same_v<Change, project_edited>)
    return change.record.id;
  else if constexpr (std::is_same_v<Change, project_archived>)
    return change.id;
  else
    return std::nullopt;
}

auto no_such(const char* record) {
  return [record] { return refusal{refusal_code::not_found, std::string{"there is no such "} + record}; };
}

class record_actor
  : public writing<
      single_actor<record_actor, ops::actor_kind::record, record_handle, context, storage, write_outcome>> {
public:
  static inline const char* name = "records";
  using single_actor::on;

  template <class Q>
  requires among<Q, record_requests>
  void on(const ask<Q>& question) {
    if (auto why = told_by_chain(*question, with_->followed))
      return question.answer(*std::move(why));
    change_with(question, [&] {
      waiting_.push_back(std::make_shared<request_of<Q>>(question));
      begin_round();
    });
  }

  void on(const ask<get_review>& question) { look_up(question, no_such("review")); }
  void on(const ask<get_invitation>& question) { look_up(question, no_such("invitation")); }
  void on(const ask<get_vouch>& question) { look_up(question, no_such("vouch")); }
  void on(const ask<get_reply>& question) { look_up(question, no_such("reply")); }
  void on(const ask<get_attestation>& question) { look_up(question, no_such("attestation")); }
  void on(const ask<get_bond>& question) { look_up(question, no_such("bond")); }
  void on(const ask<get_vote>& question) { look_up(question, no_such("vote")); }
  void on(const ask<get_team>& question) {
    look_up(question, [which = question->id] { return no_project(which); });
  }
  void on(const ask<get_verification>& question) { pass_on(question, *question); }

  /// Whoever polls is answered from memory while no record was written here since, for a while.
  void on(const ask<list_notices>& question) {
    read(question, [&] {
      const std::tuple key{question->whose, question->slice.limit, question->slice.offset};
      const auto now = steady_clock::now();
      if (const auto found = polled_.find(key);
          found != polled_.end() && found->second.written == written_ && now < found->second.until)
        return question.answer(found->second.answer);
      load_for(question, *question,
               [this, question, key, written = written_, until = now + polled_for](const notice_list& found) {
                 if (polled_.size() >= polled_max && !polled_.contains(key))
                   polled_.erase(std::min_element(polled_.begin(), polled_.end(), [](const auto& a, const auto& b) {
                     return a.second.until < b.second.until;
                   }));
                 polled_[key] = {written, until, found};
                 question.answer(found);
               });
    });
  }

  void on(const write_outcome& outcome) {
    switch (writes_.on_outcome(outcome)) {
      case pending_writes::verdict::goes_on: break;
      case pending_writes::verdict::taken_back: writes_.ask_all_again(failure::unavailable); break;
      case pending_writes::verdict::refused: writes_.lose_oldest(); break;
    }
    put_back();
    begin_round();
  }

private:
  /// Reads what the requests need that wait, unless a round is under way.
  void begin_round() {
    if (reading_ || !writes_.empty() || waiting_.empty())
      return;
    record_keys keys;
    for (; !waiting_.empty() && round_.size() < limits::records_decided_together; waiting_.pop_front()) {
      waiting_.front()->add_needs(keys);
      round_.push_back(std::move(waiting_.front()));
    }
    reading_ = true;
    storage_.read(*this, with_->load_timeout, load_records{std::move(keys)})
      .then(
        [this](stored_records& stored) {
          reading_ = false;
          record_rows rows{std::move(stored)};
          for (const auto& each : std::exchange(round_, {}))
            each->decide(*this, rows, [this, each] { again_.push_back(each); });
          begin_round(); // where nothing had to be written
        },
        [this](failure) {
          reading_ = false;
          for (const auto& each : std::exchange(round_, {}))
            each->fail(failure::unavailable);
          begin_round();
        });
  }

  template <class Q>
  class request_of final : public request_in_round {
  public:
    explicit request_of(ask<Q> question) : question_(std::move(question)) {}
    void add_needs(record_keys& keys) const override { add_keys(*question_, keys); }
    void decide(record_actor& by, record_rows& rows, const std::function<void()>& again) const override {
      by.decide_in(rows, question_, again);
    }
    void fail(failure why) const override { question_.fail(why); }

  private:
    ask<Q> question_;
  };

  template <class Q>
  void decide_in(record_rows& rows, const ask<Q>& question, const std::function<void()>& again) {
    if (question.get()->expired(steady_clock::now()))
      return question.fail(failure::timed_out);
    if (!can_write(question))
      return;
    auto decision = decide(rows, *question, with_->joining, with_->now());
    if (!decision)
      return refuse(question, decision.why(), again);
    const std::function<void()> answer = [question, answer = std::move(decision->answer)] { question.answer(answer); };
    if (question->dry_run || !decision->change)
      return once_those_before_are_in(question, answer, again);
    rows.apply(*decision->change);
    concerned whom{listed_by(*decision->change), touched_by(*decision->change)};
    write_and_tell(question, *std::move(decision->change), std::move(whom), answer, again);
  }

  /// The answer may rest on changes under way.
  void once_those_before_are_in(const question_ref& question, const std::function<void()>& answer,
                                const std::function<void()>& again) {
    if (writes_.empty())
      return answer();
    writes_.after(
      {[answer](const write_outcome&) { answer(); }, [question](failure lost) { question.fail(lost); }, again});
  }

  /// Whom a change concerns beside the records.
  struct concerned {
    std::optional<project_id> listed;
    std::vector<profile_id> touched;
  };

  /// Answers when the change is committed and those have heard of it whom it concerns.
  void write_and_tell(const question_ref& question, change_type change, concerned whom, std::function<void()> answer,
                      std::function<void()> again) {
    write(
      question, std::move(change),
      [this, whom = std::move(whom), answer = std::move(answer)](const write_outcome&) {
        ++written_;
        if (whom.listed)
          once_shown(*whom.listed, answer);
        else if (whom.touched.empty())
          answer();
        else
          once_told(whom.touched, answer);
      },
      {}, std::move(again));
  }

  /// Whoever hears the answer may ask at once for what it changed: those who remember it have looked again by then.
  void once_told(const std::vector<profile_id>& touched, const std::function<void()>& answer) {
    for (const auto each : touched)
      send(with_->others->profiles.to(), mark_stale<profile_id>{each});
    request(with_->others->people.to(), telling_timeout, people::invalidate{touched})
      .then([answer](const people::looked_again&) { answer(); }, [answer](failure) { answer(); });
  }

  /// The same of a project: the board lists it as it is now, and it takes votes or none.
  void once_shown(project_id listed, const std::function<void()>& answer) {
    request(with_->others->listings.to(), telling_timeout, listing::invalidate{{listed}})
      .then([answer](const listing::looked_again&) { answer(); }, [answer](failure) { answer(); });
  }

  /// Those to be decided again come first, in their order.
  void put_back() {
    waiting_.insert(waiting_.begin(), again_.begin(), again_.end());
    again_.clear();
  }

  /// A page of notifications, as it was when so many records were written.
  struct polled {
    std::uint64_t written = 0;
    steady_time until{};
    notice_list answer;
  };

  std::map<std::tuple<profile_id, std::int32_t, std::int32_t>, polled> polled_;
  std::uint64_t written_ = 0;                                   // records, by this process
  std::deque<std::shared_ptr<const request_in_round>> waiting_; // as many as are let in
  std::vector<std::shared_ptr<const request_in_round>> round_;  // their rows are being read
  std::vector<std::shared_ptr<const request_in_round>> again_;  // a change before theirs came to nothing
  bool reading_ = false;
};

} // namespace

record_handle spawn_records(caf::actor_system& sys, std::shared_ptr<const context> with, port<storage> storage) {
  return spawn_single<record_actor>(sys, std::move(with), std::move(storage));
}

} // namespace credence::reputation
