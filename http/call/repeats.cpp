#include "http/call/repeats.hpp"

#include "auth/digest.hpp"
#include "config/limits.hpp"
#include "http/call/request_head.hpp"
#include "http/call/target.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace credence::http {

namespace {

constexpr std::uint32_t too_many_keys_retry_s = 3600;

/// The key as the client means it: the draft writes it as a quoted string, most clients
/// write it bare. Nothing when it is neither.
std::optional<std::string_view> key_in(std::string_view field) {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
    field = field.substr(1, field.size() - 2);
  const bool good = !field.empty() && field.size() <= limits::idempotency_key_length_max
                    && std::all_of(field.begin(), field.end(), [](char c) { return c > ' ' && c < 0x7F && c != '"'; });
  return good ? std::optional{field} : std::nullopt;
}

/// The path, however its segments are written: who repeats a request may encode it otherwise.
/// The query does not belong to it.
std::string path_of(std::string_view target) {
  const auto parts = split_target(target);
  auto path = parts ? parts->path : target;
  std::string out;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const auto segment = percent_decode(path.substr(0, end), false);
    out.append(segment ? *segment : std::string{path.substr(0, end)}).append("\n"); // no segment holds one
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

void on_claimed(call& c, idempotency::key_meaning& meaning) {
  c.carry(std::move(meaning.note)); // it holds what a note before it said of the request's origin
  if (!meaning.before)
    return c.go_on();
  if (c.note()) // done, and nobody has been told so
    return c.go_on_again(*meaning.before);
  c.add_header("Idempotency-Replayed: true");
  c.out() = std::move(meaning.before->body);
  c.reply(static_cast<unsigned>(meaning.before->status));
}

void on_refused(call& c, const refusal& why) {
  if (why.code == refusal_code::request_in_progress)
    c.retry_after(1);
  if (why.code == refusal_code::too_many_keys)
    c.retry_after(too_many_keys_retry_s);
  c.refuse(why);
}

} // namespace

void claim_repeatable(call& c, std::string_view whose, void (*run)(call&),
                      void (*again)(call&, const idempotency::found_record&)) {
  const auto& head = c.head();
  if (head.idempotency_key_count == 0)
    return run(c);
  const auto key = head.idempotency_key_count == 1 ? key_in(head.idempotency_key) : std::nullopt;
  if (!key)
    return c.error(400, "BAD_REQUEST", "Idempotency-Key must be one field with 1 to "
                                         + std::to_string(limits::idempotency_key_length_max)
                                         + " visible ASCII characters");
  std::string scope{whose};
  scope.append("\n").append(head.method_name).append(" ").append(path_of(head.target)).append(*key);
  c.then_go_on(run, again);
  c.ask(c.to().idempotency, idempotency::claim_key{auth::sha256(scope), auth::sha256(c.body()), c.now(),
                                                    c.note() ? c.note()->from() : nullptr, std::string{whose}},
        &on_claimed,
        &on_refused);
}

} // namespace credence::http
