#pragma once

// Private to http/server/: sees Asio.

#include "http/call/call.hpp"
#include "http/call/request_head.hpp"
#include "http/server/io_thread.hpp"
#include "http/server/operator_side.hpp"

namespace credence::http {

/// Runs the handler of a GET without a client, so that the event stream can send what the resource answers.
class inner_reader final : public io_guest {
public:
  inner_reader(io_thread& home, inner_request what);
  ~inner_reader() override;
  /// Runs the handler. The object lives until its questions have come back.
  void run();

  void take_back(arrival& came) override;
  std::int32_t questions_out() const noexcept override { return call_.questions_out_; }
  void hear_no_more() noexcept override { call_.hear_no_more(); }
  steady_time answer_due() const noexcept override { return call_.deadline_; }
  void answer_overdue() override;
  void answer_lost() override;
  void check_deadlines(steady_time) override {}
  void resume() override {}
  void close_when_idle() override {}

private:
  template <class Work>
  void guarded(Work work);
  void after_handler();
  void finish();

  io_thread& home_;
  inner_request what_;
  request_head head_;
  call call_;
};

/// How the admin listener reads its own resources on this thread.
inner_reader_function inner_reads_of(io_thread& home);

} // namespace credence::http
