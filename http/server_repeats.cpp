// Requests with an Idempotency-Key: one effect and one answer, however often they come.
#include "http/server_connection.hpp"

#include "auth/digest.hpp"
#include "config/limits.hpp"

#include <algorithm>

namespace credence::http {

namespace {

/// What a repeated request keeps while its answer is being recorded.
struct recorded_later {
  unsigned status = 0;
  std::string body;
};

/// The key as the client means it: the draft writes it as a quoted string, most clients
/// write it bare. Nothing when it is neither.
std::optional<std::string_view> key_in(std::string_view field) {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
    field = field.substr(1, field.size() - 2);
  const bool good = !field.empty() && field.size() <= limits::idempotency_key_length_max
                    && std::all_of(field.begin(), field.end(), [](char c) { return c > ' ' && c < 0x7F && c != '"'; });
  return good ? std::optional{field} : std::nullopt;
}

std::string_view name_of(method verb) { return verb == method::del ? "DELETE" : "POST"; }

} // namespace

void connection::claim_key() {
  const auto& head = reader_.head();
  const auto key = head.idempotency_key_count == 1 ? key_in(head.idempotency_key) : std::nullopt;
  if (!key)
    return call_.error(400, "BAD_REQUEST", "Idempotency-Key must be one field with 1 to "
                                             + std::to_string(limits::idempotency_key_length_max)
                                             + " visible ASCII characters");
  std::string whose = std::to_string(call_.caller_->profile.value) + '\n';
  whose.append(name_of(route_->verb)).append(" ").append(head.target).append("\n").append(*key);
  call_.ask<idempotency::claim_key>(
    call_.to().idempotency, {auth::sha256(whose), auth::sha256(call_.body_), call_.now()},
    [](call& c, idempotency::key_meaning& meaning) { static_cast<connection*>(c.asker_)->key_claimed(meaning); },
    [](call& c, const refusal& why) {
      if (why.code == refusal_code::request_in_progress)
        c.retry_after_s_ = 1;
      c.refuse(why);
    });
}

void connection::key_claimed(idempotency::key_meaning& meaning) {
  call_.note_ = std::move(meaning.note);
  if (!meaning.before)
    return route_->run(call_);
  if (call_.note_) // done, and nobody has been told so
    return route_->again(call_, *meaning.before);
  call_.add_header("Idempotency-Replayed: true");
  call_.out_ = std::move(meaning.before->body);
  call_.reply(static_cast<unsigned>(meaning.before->status));
}

bool connection::has_to_record() const noexcept {
  return call_.note_ && !answer_recorded_ && call_.status_ >= 200 && call_.status_ < 300;
}

/// The answer is kept before the client gets it, so that it will never get another one.
void connection::record_answer() {
  answer_recorded_ = true;
  const auto& note = *call_.note_;
  idempotency::record_answer question{
    {note.id(), note.fingerprint(), note.at(), static_cast<std::int32_t>(call_.status_), call_.out_}};
  call_.kept_ = recorded_later{std::exchange(call_.status_, 0u), std::exchange(call_.out_, {})};
  const auto out_before = call_.questions_out_;
  guarded([&] { // the note stays: nobody else goes on with this key meanwhile
    call_.ask<idempotency::record_answer>(call_.to().idempotency, std::move(question),
                                          [](call& c, idempotency::recorded&) {
                                            auto kept = std::any_cast<recorded_later>(std::move(c.kept_));
                                            c.out_ = std::move(kept.body);
                                            c.reply(kept.status);
                                          });
  });
  after_handler(out_before);
}

} // namespace credence::http
