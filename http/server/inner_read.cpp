#include "http/server/inner_read.hpp"

#include "ops/log.hpp"

#include <exception>
#include <utility>

namespace credence::http {

inner_reader::inner_reader(io_thread& home, inner_request what) : home_(home), what_(std::move(what)) {
  home_.add(*this);
  call_.directory_ = home_.shared.with.actors;
  call_.settings_ = &home_.shared.with.settings;
  call_.patients_ = home_.shared.patients;
  call_.identity_ = home_.shared.with.identity;
  call_.cards_ = home_.caches().cards.get();
  call_.keys_ = home_.caches().keys.get();
  call_.sink_ = &home_;
  call_.turns_ = home_.own();
  call_.server_ = this;
  call_.head_ = &head_;
  call_.only_reads_ = only_reads(*what_.which);
  call_.admin_context_ = &home_.operators()->for_handlers();
  call_.path_parts_ = std::move(what_.path_parts);
  call_.query_ = std::move(what_.query);
  call_.started_ = steady_clock::now();
  call_.deadline_ = call_.started_ + home_.shared.with.settings.answer_timeout;
  call_.asker_ = {asker_rank::console, 0};
  call_.operated_by_.emplace();
  call_.operated_by_->may = admin::role::viewer;
  call_.operated_by_->name = "the console's event stream";
}

inner_reader::~inner_reader() { home_.remove(*this); }

template <class Work>
void inner_reader::guarded(Work work) {
  try {
    work();
    if (!call_.thrown_)
      return;
    std::rethrow_exception(std::exchange(call_.thrown_, nullptr));
  } catch (const std::exception& error) {
    ops::log(ops::level::error, "handler_exception", {{"route", what_.which->path}, {"error", error.what()}});
    call_.status_ = 500;
  } catch (...) {
    ops::log(ops::level::error, "handler_exception", {{"route", what_.which->path}, {"error", "not a std::exception"}});
    call_.status_ = 500;
  }
}

void inner_reader::run() {
  const auto self = shared_from_this();
  guarded([this] { what_.which->run(call_); });
  after_handler();
}

void inner_reader::after_handler() {
  if (call_.questions_out_ > 0)
    alive_ = shared_from_this();
  if (call_.status_ == 0 && call_.questions_out_ > 0)
    return home_.await_answer(*this);
  finish();
}

void inner_reader::take_back(arrival& came) {
  --call_.questions_out_;
  const auto self = call_.questions_out_ == 0 ? std::move(alive_) : alive_;
  if (came.turn() != call_.turn_ || call_.status_ != 0)
    return;
  guarded([&] { came.hear(); });
  after_handler();
}

void inner_reader::answer_overdue() {
  call_.fail(failure::timed_out);
  finish();
}

void inner_reader::answer_lost() {
  call_.fail(failure::stranded);
  finish();
}

void inner_reader::finish() {
  const auto self = shared_from_this();
  home_.has_answer(*this);
  call_.hear_no_more();
  if (call_.status_ == 0)
    call_.status_ = 500; // a handler without an answer
  if (const auto done = std::exchange(what_.done, nullptr))
    done(call_.status_, call_.out_);
}

inner_reader_function inner_reads_of(io_thread& home) {
  return [&home](inner_request what) { std::make_shared<inner_reader>(home, std::move(what))->run(); };
}

} // namespace credence::http
