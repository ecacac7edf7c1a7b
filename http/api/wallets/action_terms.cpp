#include "http/api/wallets/action_terms.hpp"

#include "actors/domain/hash.hpp"
#include "auth/keccak.hpp"
#include "config/limits.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>

namespace credence::http {

namespace {

constexpr std::int64_t wait_seconds_max = 30;
constexpr std::size_t slug_length_max = 80;

bool is_there(const json_body& body, std::string_view name) {
  const auto kind = body.kind_of(name);
  return kind != json_body::kind::absent && kind != json_body::kind::null;
}

std::optional<std::int64_t> read_wait(json_body& body, std::string_view name) {
  const auto seconds = body.integer(name);
  if (seconds && *seconds < 0)
    body.issue(std::string{name} + " must be 0 seconds or more, not " + std::to_string(*seconds));
  return seconds ? std::optional{std::min(*seconds, wait_seconds_max)} : std::nullopt;
}

/// What stands between the braces of an object.
std::string_view members_in(std::string_view object) { return object.substr(1, object.size() - 2); }

bool is_object(std::string_view json) { return json.size() > 1 && json.front() == '{'; }

} // namespace

action_terms read_terms(parameters& given, json_body& body) {
  const auto for_review = read_wait(body, "waitForReviewTimeoutSeconds");
  const auto for_transaction = read_wait(body, "waitForTxTimeoutSeconds");
  return {read_dry_run(given), std::chrono::seconds{for_transaction.value_or(for_review.value_or(0))}};
}

outcome<json_body> parse_body_if_any(const call& c) {
  return json_body::parse(c.body().empty() ? std::string_view{"{}"} : c.body());
}

address read_required_address(json_body& body, std::string_view name) {
  const auto text = body.text(name);
  if (!text) {
    if (body.good())
      body.issue(std::string{name} + " is required: an address");
    return {};
  }
  const auto found = parse_address(*text);
  if (!found || *found == address{})
    body.issue(std::string{name} + " must be an address, 0x and 40 hexadecimal digits, not " + shown(*text));
  else if (const auto flaw = checksum_flaw(*text, *found))
    body.issue(std::string{name} + " must " + *flaw);
  return found.value_or(address{});
}

std::optional<std::string> read_metadata(json_body& body) {
  const bool described = is_there(body, "content");
  const auto content = body.text("content").value_or("");
  const auto given = body.json("metadata");
  if (!described && !given)
    return std::nullopt;
  if (!described && body.kind_of("metadata") == json_body::kind::text) // JSON text already, or what the client likes
    return read_words(body, "metadata", 0, limits::record_metadata_length_max);
  std::string out;
  json_writer to{out};
  to.begin_object();
  if (described)
    to.field("description", content);
  if (given && !is_object(*given)) {
    to.key("metadata");
    to.raw(*given);
  }
  to.end_object();
  if (given && is_object(*given) && !members_in(*given).empty()) {
    if (described && is_there(body, "metadata.description"))
      body.issue("metadata must have no description where there is content, which is the description");
    out.pop_back();
    out.append(out.size() > 1 ? "," : "").append(members_in(*given)).append("}");
  }
  if (const auto length = characters(out); length > limits::record_metadata_length_max)
    body.issue("content and metadata must have at most " + std::to_string(limits::record_metadata_length_max)
               + " characters together, as JSON, not " + std::to_string(length));
  return out;
}

digest32 event_hash(const std::string& event) { return event.empty() ? digest32{} : auth::keccak256(event); }

std::string hash_text(const digest32& hash) {
  std::string out = "0x";
  append_hex(out, hash);
  return out;
}

std::string slug_of(std::string_view title) {
  std::string out;
  for (const char c : title) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += upper ? static_cast<char>(c + 32) : c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
    if (out.size() == slug_length_max)
      break;
  }
  while (!out.empty() && out.back() == '-')
    out.pop_back();
  return out.empty() ? "review" : out;
}

std::string review_slug(std::int32_t id, std::string_view title) {
  return (id > 0 ? std::to_string(id) + "/" : "") + slug_of(title);
}

const wallet_rules* on_chain(const call& c, chain::record_kind kind) {
  const auto* rules = c.identity().partners.on_chain;
  return rules && rules->kinds.contains(kind) ? rules : nullptr;
}

std::int64_t number_of(const idempotency::found_record& done) { return parse_integer(done.effect).value_or(0); }

refusal partners_switched_off() {
  return {refusal_code::endpoint_disabled, "this service lets no partner act at the moment"};
}

} // namespace credence::http
