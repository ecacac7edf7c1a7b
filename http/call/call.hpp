#pragma once

#include "actors/directory.hpp"
#include "actors/domain/daily_act.hpp"
#include "actors/kernel/actor.hpp"
#include "actors/kernel/ask.hpp"
#include "config/settings.hpp"
#include "http/call/caller_gate.hpp"
#include "http/call/console_caller.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/call/principal.hpp"
#include "http/call/target.hpp"

#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {

class call;

/// An answer that has come back to the thread of the call that asked.
class arrival {
public:
  explicit arrival(std::uint64_t turn) noexcept : turn_(turn) {}
  /// Which of the call's questions is answered: the call hears the answer to its latest one alone.
  std::uint64_t turn() const noexcept { return turn_; }
  /// What the database has done for it.
  virtual std::chrono::nanoseconds database_time() const noexcept = 0;
  /// Has the call go on with the answer.
  virtual void hear() = 0;

protected:
  ~arrival() = default;

private:
  std::uint64_t turn_;
};

/// Who serves a call, and sends its answer once the handler has given one: the connection that it came on.
class call_server {
public:
  /// Takes back an envelope of the call, and has the call hear the answer unless that is too late. The call may
  /// be gone afterwards.
  virtual void take_back(arrival& came) = 0;

protected:
  ~call_server() = default;
};

/// The handlers of a call that wait for an answer in a `co_await` (http/call/coroutine.hpp). A handler that
/// comes to its end leaves the list by itself; the others are destroyed with the list, and never go on.
class frame_list {
public:
  /// Links a handler into the list, for as long as the handler lives.
  class link {
  public:
    link(frame_list& of, std::coroutine_handle<> frame) noexcept : list_(of), frame_(frame), next_(of.first_) {
      if (next_)
        next_->before_ = this;
      list_.first_ = this;
    }
    ~link() {
      (before_ ? before_->next_ : list_.first_) = next_;
      if (next_)
        next_->before_ = before_;
    }
    link(const link&) = delete;
    link& operator=(const link&) = delete;

  private:
    friend class frame_list;
    frame_list& list_;
    std::coroutine_handle<> frame_;
    link* before_ = nullptr;
    link* next_;
  };

  frame_list() = default;
  ~frame_list() { destroy_all(); }
  frame_list(const frame_list&) = delete;
  frame_list& operator=(const frame_list&) = delete;

  /// Destroys whoever waits. None of them may be running.
  void destroy_all() noexcept {
    while (first_)
      first_->frame_.destroy(); // unlinks itself
  }

private:
  link* first_ = nullptr;
};

/// Takes what a stream of events sends: a connection, which calls and is called on its own thread alone.
class event_sink {
public:
  /// Bytes that a client may have waiting for it; one that reads more slowly is cut off.
  static constexpr std::size_t waiting_bytes_max = 256 * 1024;
  /// False when the client is cut off: it has too much waiting for it. Nothing is to be sent afterwards.
  virtual bool send(std::string_view bytes) = 0;
  /// Ends the stream once everything has been sent.
  virtual void end() = 0;

protected:
  ~event_sink() = default;
};

/// What feeds a stream, from the head of the answer on.
class event_source {
public:
  virtual ~event_source() = default;
  /// The head is on its way. `to` lasts until `closed`.
  virtual void opened(event_sink& to) = 0;
  /// The client is gone, or is cut off.
  virtual void closed() noexcept = 0;
};

class known_keys;
class user_cards;
struct route;
struct identity;

namespace admin {

class admin_context;

} // namespace admin

struct request_head;
template <class Q, class Then, class Otherwise>
class called;
template <class Q, class Door>
class answer_to;
template <class Q, class Door>
class outcome_of;
template <class Q, class Door>
class outcome_if_any;

/// Sends a refusal to the client.
struct refuse_client {
  void operator()(call& c, const refusal& why) const;
};

/// One request on its way through a handler, on the I/O thread of its connection.
/// A handler reads from it and gives exactly one answer: `refuse`, `fail`,
/// `reply`, or the answer of a question it `ask`s. It never blocks.
class call {
public:
  // -- the request --------------------------------------------------------------

  /// A `{name}` of the route, percent-decoded. Present whenever the route has it.
  std::string_view path_part(std::string_view name) const;
  const query_map& query() const noexcept { return query_; }
  /// The whole body; its media type has been checked.
  std::string_view body() const noexcept { return body_; }
  /// Who calls. Always set on routes that need a caller, set on public ones when
  /// a valid credential came along.
  const std::optional<principal>& caller() const noexcept { return caller_; }
  /// The caller's profile; nothing for who shows no credential.
  std::optional<profile_id> viewer() const { return caller_ ? std::optional{caller_->profile} : std::nullopt; }
  std::string_view request_id() const noexcept { return request_id_; }
  /// What the header held besides; its views last until the answer is given.
  const request_head& head() const noexcept { return *head_; }
  /// Whether a page of an origin in `http.allowed_origins` has made the request. What is
  /// changed on the strength of a cookie needs that; a request without Origin has it not.
  bool origin_allowed() const noexcept { return origin_allowed_; }
  /// Whether a page of a partner (`wallets.partner_origins`) has made the request.
  bool by_partner_page() const noexcept { return partner_page_; }
  timestamp now() const { return system_now(); }
  /// When the request began, on the clock for what waits.
  steady_time started() const noexcept { return started_; }

  /// Gives the answer so much more time than others have, for something outside that is waited for. The request counts
  /// no more among the writes under way. False, and nothing is given, where too many wait so, of all or of this caller.
  bool wait_longer(std::chrono::milliseconds more) {
    timeout_ = caller_place{patients_, asker_};
    if (timeout_)
      deadline_ += more;
    return static_cast<bool>(timeout_);
  }

  /// Who calls the admin listener; set there wherever somebody has to be signed in.
  const std::optional<admin::caller>& operated_by() const noexcept { return operated_by_; }
  /// What the admin listener is about; there only.
  admin::admin_context& admin_context() const noexcept { return *admin_context_; }

  // -- what it is read by: the mistakes are gathered, and told in place of whatever the handler asks or answers --

  /// What the query says; also takes what is wrong with the path.
  parameters& given() noexcept { return given_; }
  /// The id in the place `name` of the path, 1..2147483647. 0 when it is wrong.
  template <class Id>
  Id path_id(std::string_view name) {
    return given_.path_id<Id>(name, path_part(name));
  }
  /// The body, parsed by this call of it; `without_body` stands for one that is left out. One that cannot be parsed is
  /// read as an empty object, as is one behind mistakes that were found before, which are told alone.
  json_body& json(std::string_view without_body = {}) { return read_body(&json_body::parse, without_body); }
  /// The body of a question for a list, which ends with `refuse_others`.
  json_body& json_question() { return read_body(&json_body::parse_question, {}); }
  /// What was read, or a default where it was refused: the refusal is told as mistakes are, unless there were some
  /// before it.
  template <class T>
  T value_of(outcome<T> read) {
    if (read)
      return *std::move(read);
    if (!has_mistakes())
      unreadable_ = read.why();
    return {};
  }
  /// Whether there are mistakes, which have been told then.
  bool refuse_mistakes() { return told_mistakes_ || (has_mistakes() && tell_mistakes()); }

  // -- whom to ask --------------------------------------------------------------

  const directory& to() const noexcept { return *directory_; }
  const settings::http& settings() const noexcept { return *settings_; }
  /// What credentials are made by.
  const credence::http::identity& identity() const noexcept { return *identity_; }
  /// Encoded users, kept per I/O thread.
  user_cards& cards() const noexcept { return *cards_; }
  /// Whom keys lead to, kept per I/O thread.
  known_keys& keys() const noexcept { return *keys_; }

  /// Asks an actor; `then` runs on this thread with the answer (which it may move from). A refusal goes to
  /// `otherwise`, without one to the client; failures go to the client, unless `otherwise` takes them as well. Both are
  /// functions, or objects that hold what is needed then. They go with the question, perhaps on an actor's thread and
  /// after the call, so they hold plain values and nothing of this thread. The answer to the latest question counts,
  /// and no other one.
  template <class Q, class Door, std::invocable<call&, typename Q::answer_type&> Then,
            std::invocable<call&, const refusal&> Otherwise = refuse_client>
  void ask(const Door& whom, Q question, Then then, Otherwise otherwise = {}) {
    if (refuse_mistakes())
      return;
    auto* const fresh = new called<Q, Then, Otherwise>(std::move(question), *sink_, deadline_, *this, ++turn_,
                                                       std::move(then), std::move(otherwise));
    std::unique_ptr<envelope_base> held{fresh};
    bool has_place = admit(*fresh);
    if constexpr (!straight<Q, Door>) // else it waits in a lane of the readers, which has bounds of its own
      has_place = has_place && whom.admit(*fresh);
    if (!has_place)
      return fresh->go_without(failure::overloaded);
    ++questions_out_;
    const turns_scope here{is_brief<Q> ? turns_ : nullptr};
    held.release(); // by the question from here on
    if constexpr (straight<Q, Door>)
      credence::send(directory_->readers, read_straight(credence::ask<Q>{fresh}));
    else
      credence::post(whom.to(), credence::ask<Q>{fresh});
  }

  /// The same of a question that may have been refused when it was read.
  template <class Q, class Door, class Then>
  void ask(const Door& whom, outcome<Q> question, Then then) {
    if (!question)
      return refuse(question.why());
    ask(whom, *std::move(question), std::move(then));
  }

  /// `co_await`ed, gives the answer; a refusal goes to the client (http/call/coroutine.hpp).
  template <class Q, class Door>
  answer_to<Q, Door> ask(const Door& whom, Q&& question) noexcept {
    return {*this, whom, std::forward<Q>(question)};
  }
  /// `co_await`ed, gives the answer or the refusal.
  template <class Q, class Door>
  http::outcome_of<Q, Door> outcome_of(const Door& whom, Q&& question) noexcept {
    return {*this, whom, std::forward<Q>(question)};
  }

  /// `co_await`ed, gives the answer where one comes: neither a refusal nor a failure keeps the handler from going on.
  template <class Q, class Door>
  outcome_if_any<Q, Door> try_ask(const Door& whom, Q&& question) noexcept {
    return {*this, whom, std::forward<Q>(question)};
  }

  /// Sends something that is not answered.
  template <class Door, class Message>
  void tell(const Door& whom, Message message) {
    credence::send(whom.to(), std::move(message));
  }

  /// What is written along with whatever this request changes: that its client may repeat it, for
  /// the audit where it comes from; null when there is neither to write.
  const std::shared_ptr<const write_context>& context() const noexcept { return context_; }
  void carry(std::shared_ptr<const write_context> context) noexcept { context_ = std::move(context); }
  /// Whether it is below /api/v1.
  bool in_v1() const noexcept { return v1_; }
  /// Where the request leads to.
  const route& of_route() const noexcept { return *route_; }
  /// One of the acts that a profile has a day was taken for this request: it is given back where the request is
  /// refused.
  void took(profile_id whose, daily_act act) noexcept { taken_ = {whose, act}; }

  /// The answer is not to be kept.
  void drop_context() noexcept { context_.reset(); }

  // -- the answer -----------------------------------------------------------------

  void refuse(const refusal& why);
  void fail(failure why);
  /// Where a handler writes the body of its answer; finish with `reply`.
  std::string& out() noexcept { return out_; }
  /// When the client may come again, in seconds.
  void retry_after(std::uint32_t seconds) noexcept { retry_after_s_ = seconds; }
  /// Adds a header field to the answer, as `Name: value`.
  void add_header(std::string_view field) { extra_head_.append(field).append("\r\n"); }
  /// No cache may keep the answer. Answers to a caller say so anyway.
  void no_store() noexcept { no_store_ = true; }
  /// Sends what `out()` holds as `application/json`.
  void reply(unsigned status = 200);
  /// Sends what `out()` holds as that media type, whose text stays.
  void reply_as(std::string_view content_type, unsigned status = 200) {
    content_type_ = content_type;
    reply(status);
  }
  /// Sends what `out()` holds as a page.
  void reply_page() { reply_as("text/html; charset=utf-8"); }
  /// Answers with what `out()` holds and then with what `from` sends, until either side ends it. On the admin listener
  /// alone.
  void stream(std::shared_ptr<event_source> from) {
    events_ = std::move(from);
    reply_as("text/event-stream");
  }
  /// Answers with an error of the front itself, such as 406.
  void error(unsigned status, std::string_view code, std::string_view message);

private:
  template <class Q, class Door>
  static constexpr bool straight = false;
  template <class Q, class Of>
  static constexpr bool straight<Q, door<Of>> = goes_straight<Q, Of>;

  friend class connection;   // the server's side (http/server/)
  friend class inner_reader; // likewise, without a connection
  friend class handler_promise;
  template <class Q, class Then, class Otherwise>
  friend class called;
  call() = default;
  /// Hears no answer any more; handlers that wait for one are destroyed.
  void hear_no_more() noexcept {
    ++turn_;
    frames_.destroy_all();
    thrown_ = nullptr;
  }
  json_body& read_body(outcome<json_body> (*parse)(std::string_view), std::string_view without_body);
  /// Tells the mistakes that nobody has been told of; false where there are none.
  bool tell_mistakes();
  bool has_mistakes() const noexcept { return !given_.good() || unreadable_ || (json_ && !json_->good()); }
  void forget_mistakes() noexcept {
    given_.forget_issues();
    json_.reset();
    unreadable_.reset();
    only_given_ = told_mistakes_ = false;
  }
  /// Says of a question for whom it is asked, and finds a place for it among all that are under way; false when there
  /// is none.
  bool admit(envelope_base& envelope) const;

  // filled in by the server
  std::vector<std::pair<std::string_view, std::string>> path_parts_;
  query_map query_;
  parameters given_{query_};
  std::string_view body_;
  std::optional<json_body> json_;
  std::optional<refusal> unreadable_; // why nothing else that was read counts
  std::optional<principal> caller_;
  std::string request_id_;
  const directory* directory_ = nullptr;
  const settings::http* settings_ = nullptr;
  user_cards* cards_ = nullptr;
  known_keys* keys_ = nullptr;
  call_server* server_ = nullptr;
  answer_sink* sink_ = nullptr;
  inline_executor* turns_ = nullptr; // of this thread
  steady_time started_{};
  steady_time deadline_{};
  std::uint64_t turn_ = 0; // grows with every question and every request; late answers do not match
  frame_list frames_;
  std::exception_ptr thrown_; // by a handler that is a coroutine
  std::string out_;
  std::string extra_head_; // further fields of the answer
  std::shared_ptr<const write_context> context_;
  const credence::http::identity* identity_ = nullptr;
  std::int32_t questions_out_ = 0;  // envelopes that have not come back
  unsigned status_ = 0;             // of the answer given; 0 while there is none
  std::uint32_t retry_after_s_ = 0; // 0: not told
  const route* route_ = nullptr;
  std::optional<std::pair<profile_id, daily_act>> taken_;
  asker asker_;                               // on whose behalf questions are asked
  std::chrono::nanoseconds database_time_{0}; // for the answers to them
  std::shared_ptr<caller_gate> patients_;
  caller_place timeout_; // while it waits longer than others
  bool no_store_ = false;
  bool origin_allowed_ = false;
  bool partner_page_ = false;
  const request_head* head_ = nullptr;
  bool only_given_ = false; // what is wrong with the body does not count
  bool told_mistakes_ = false;
  bool v1_ = false;         // shape of errors, and of answers that both versions have
  bool only_reads_ = false; // whether its route does; false without a route
  std::string_view content_type_ = "application/json";
  admin::admin_context* admin_context_ = nullptr; // of the admin listener
  std::optional<admin::caller> operated_by_;
  std::shared_ptr<event_source> events_; // the answer goes on with them
};

inline void refuse_client::operator()(call& c, const refusal& why) const { c.refuse(why); }

/// A question of a call in its envelope, with what the call does about the answer.
template <class Q, class Then, class Otherwise>
class called final : public envelope<Q>, public arrival {
public:
  called(Q&& content, answer_sink& sink, steady_time deadline, call& by, std::uint64_t turn, Then then,
         Otherwise otherwise)
    : envelope<Q>(std::move(content), sink, deadline), arrival(turn), by_(by), then_(std::move(then)),
      otherwise_(std::move(otherwise)) {}

  void arrive() override {
    by_.server_->take_back(*this);
    this->forget_answer(); // whoever bounds the wait may keep the envelope until its time
  }
  std::chrono::nanoseconds database_time() const noexcept override { return envelope_base::database_time(); }
  void hear() override {
    if (auto* answer = this->answer())
      then_(by_, *answer);
    else if (const auto* why = this->refused())
      otherwise_(by_, *why);
    else
      go_without(*this->failed());
  }
  /// There is no answer. That goes to the client, unless `Otherwise` takes failures, too.
  void go_without(failure why) {
    if constexpr (std::invocable<Otherwise&, call&, failure>)
      otherwise_(by_, why);
    else
      by_.fail(why);
  }

private:
  call& by_;
  Then then_;
  [[no_unique_address]] Otherwise otherwise_; // mostly empty
};

} // namespace credence::http
