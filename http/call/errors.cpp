#include "http/call/errors.hpp"

#include <algorithm>
#include <cstdio>

namespace credence::http {

namespace {

void write_json_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      out += escaped;
    } else {
      out += c;
    }
  }
  out += '"';
}

/// What a mistake is about. A mistake is told as "limit must be …", "query is required …",
/// "author: a userkey must be …" or "each item of profileIds must be …"; of any other it is the body.
std::string_view subject_of(std::string_view mistake) {
  constexpr std::string_view of_items = "each item of ";
  if (mistake.starts_with(of_items))
    mistake.remove_prefix(of_items.size());
  const auto end = mistake.find_first_of(" :");
  if (end == std::string_view::npos)
    return {};
  const auto behind = mistake.substr(end);
  const bool named = behind.starts_with(": ") || behind.starts_with(" must ") || behind.starts_with(" is ");
  return named ? mistake.substr(0, end) : std::string_view{};
}

/// Every mistake with the path to what it is about, as the first version has them.
void write_fields(std::string& out, std::string_view message, std::span<const std::string> issues) {
  const auto count = std::max<std::size_t>(issues.size(), 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view mistake = issues.empty() ? message : issues[i];
    out += i ? R"(,{"code":"custom","message":)" : R"(,"fields":[{"code":"custom","message":)";
    write_json_text(out, mistake);
    out += R"(,"path":[)";
    if (auto subject = subject_of(mistake); !subject.empty())
      for (;;) {
        const auto dot = subject.find('.');
        write_json_text(out, subject.substr(0, dot));
        if (dot == std::string_view::npos)
          break;
        out += ',';
        subject.remove_prefix(dot + 1);
      }
    out += "]}";
  }
  out += ']';
}

/// The first version has a name of its own for the most common code.
std::string_view code_in(error_shape shape, std::string_view code) noexcept {
  if (shape == error_shape::v1 && code == "BAD_REQUEST")
    return "VALIDATION_ERROR";
  return code;
}

} // namespace

error_shape shape_for(std::string_view path) noexcept {
  const std::string_view v1 = "/api/v1";
  const bool below = path.substr(0, v1.size()) == v1 && (path.size() == v1.size() || path[v1.size()] == '/');
  return below ? error_shape::v1 : error_shape::v2;
}

error_kind kind_of(refusal_code why) noexcept {
  switch (why) {
    case refusal_code::invalid_input: return {400, "BAD_REQUEST"};
    case refusal_code::already_voted: return {400, "ALREADY_VOTED"};
    case refusal_code::invalid_amount: return {400, "INVALID_AMOUNT"};
    case refusal_code::cannot_tip_self: return {400, "CANNOT_TIP_SELF"};
    case refusal_code::insufficient_xp: return {400, "INSUFFICIENT_XP"};
    case refusal_code::invalid_message: return {400, "INVALID_MESSAGE"};
    case refusal_code::invalid_signature: return {400, "INVALID_SIGNATURE"};
    case refusal_code::nonce_reused: return {400, "NONCE_REUSED"};
    case refusal_code::message_expired: return {400, "MESSAGE_EXPIRED"};
    case refusal_code::key_limit_reached: return {400, "KEY_LIMIT_REACHED"};
    case refusal_code::insufficient_funds: return {400, "INSUFFICIENT_FUNDS"};
    case refusal_code::insufficient_votes: return {400, "INSUFFICIENT_VOTES"};
    case refusal_code::slippage_exceeded: return {400, "SLIPPAGE_LIMIT_EXCEEDED"};
    case refusal_code::trade_too_small: return {400, "TRADE_TOO_SMALL"};
    case refusal_code::market_limit_reached: return {400, "MARKET_LIMIT_REACHED"};
    case refusal_code::deadline_passed: return {400, "DEADLINE_PASSED"};
    case refusal_code::project_archived: return {400, "PROJECT_ARCHIVED"};
    case refusal_code::period_closed: return {400, "PERIOD_CLOSED"};
    case refusal_code::slash_open_already: return {400, "SLASH_ALREADY_OPEN"};
    case refusal_code::slash_cooldown: return {400, "SLASH_COOLDOWN"};
    case refusal_code::slash_closed: return {400, "SLASH_CLOSED"};
    case refusal_code::score_too_low: return {400, "SCORE_TOO_LOW"};
    case refusal_code::cannot_slash_self: return {400, "CANNOT_SLASH_SELF"};
    case refusal_code::cannot_vote_own_slash: return {400, "CANNOT_VOTE_OWN_SLASH"};
    case refusal_code::vote_limit_reached: return {400, "VOTE_LIMIT_REACHED"};
    case refusal_code::cannot_review_self: return {400, "CANNOT_REVIEW_SELF"};
    case refusal_code::cannot_vouch_self: return {400, "CANNOT_VOUCH_SELF"};
    case refusal_code::vouch_limit_reached: return {400, "VOUCH_LIMIT_REACHED"};
    case refusal_code::unhealthy_too_late: return {400, "UNHEALTHY_TOO_LATE"};
    case refusal_code::last_address: return {400, "LAST_ADDRESS"};
    case refusal_code::address_limit_reached: return {400, "ADDRESS_LIMIT_REACHED"};
    case refusal_code::no_invites_left: return {400, "NO_INVITES_LEFT"};
    case refusal_code::unauthenticated: return {401, "UNAUTHORIZED"};
    case refusal_code::forbidden: return {403, "FORBIDDEN"};
    case refusal_code::scope_missing: return {403, "INSUFFICIENT_SCOPE"};
    case refusal_code::network_not_allowed: return {403, "NETWORK_NOT_ALLOWED"};
    case refusal_code::profile_not_live: return {403, "PROFILE_NOT_LIVE"};
    case refusal_code::not_invited: return {403, "NOT_INVITED"};
    case refusal_code::not_found: return {404, "NOT_FOUND"};
    case refusal_code::project_not_found: return {404, "PROJECT_NOT_FOUND"};
    case refusal_code::period_not_found: return {404, "PERIOD_NOT_FOUND"};
    case refusal_code::receiver_not_found: return {404, "RECEIVER_NOT_FOUND"};
    case refusal_code::key_not_found: return {404, "KEY_NOT_FOUND"};
    case refusal_code::session_not_found: return {404, "SESSION_NOT_FOUND"};
    case refusal_code::market_exists: return {409, "MARKET_EXISTS"};
    case refusal_code::market_frozen: return {409, "MARKET_FROZEN"};
    case refusal_code::sequence_mismatch: return {409, "SEQUENCE_MISMATCH"};
    case refusal_code::request_in_progress: return {409, "IDEMPOTENCY_IN_PROGRESS"};
    case refusal_code::answer_not_kept: return {409, "ANSWER_NOT_KEPT"};
    case refusal_code::record_archived: return {409, "RECORD_ARCHIVED"};
    case refusal_code::already_vouched: return {409, "ALREADY_VOUCHED"};
    case refusal_code::vouch_active: return {409, "VOUCH_ACTIVE"};
    case refusal_code::address_taken: return {409, "ADDRESS_TAKEN"};
    case refusal_code::username_taken: return {409, "USERNAME_TAKEN"};
    case refusal_code::account_taken: return {409, "ACCOUNT_TAKEN"};
    case refusal_code::not_verified: return {409, "NOT_VERIFIED"};
    case refusal_code::project_exists: return {409, "PROJECT_EXISTS"};
    case refusal_code::name_taken: return {409, "NAME_TAKEN"};
    case refusal_code::followed_from_chain: return {409, "FOLLOWED_FROM_CHAIN"};
    case refusal_code::not_yet_settled: return {409, "NOT_YET_SETTLED"};
    case refusal_code::already_invited: return {409, "ALREADY_INVITED"};
    case refusal_code::slash_is_open: return {409, "SLASH_OPEN"};
    case refusal_code::own_records: return {409, "OWN_RECORDS"};
    case refusal_code::invitation_closed: return {409, "INVITATION_CLOSED"};
    case refusal_code::key_reused: return {422, "IDEMPOTENCY_KEY_REUSED"};
    case refusal_code::too_many_keys: return {429, "TOO_MANY_IDEMPOTENCY_KEYS"};
    case refusal_code::too_many_records: return {429, "TOO_MANY_RECORDS"};
    case refusal_code::contract_revert: return {400, "CONTRACT_REVERT"};
    case refusal_code::wallet_not_found: return {404, "WALLET_NOT_FOUND"};
    case refusal_code::embedded_wallet_not_found: return {404, "EMBEDDED_WALLET_NOT_FOUND"};
    case refusal_code::endpoint_disabled: return {404, "ENDPOINT_DISABLED"};
    case refusal_code::nonce_conflict: return {409, "NONCE_CONFLICT"};
    case refusal_code::rate_limited: return {429, "RATE_LIMITED"};
    case refusal_code::blockchain_unavailable: return {503, "BLOCKCHAIN_UNAVAILABLE"};
    case refusal_code::not_signed_in: return {401, "UNAUTHENTICATED"};
    case refusal_code::code_not_valid: return {400, "INVALID_CODE"};
  }
  return {500, "INTERNAL_SERVER_ERROR"};
}

error_kind kind_of(failure why) noexcept {
  switch (why) {
    case failure::too_many: return {429, "RATE_LIMITED"};
    case failure::refused: return {409, "CHANGE_NOT_WRITTEN"};
    default: return {503, "SERVICE_UNAVAILABLE"};
  }
}

std::string_view fault_code(error_shape shape) noexcept {
  return shape == error_shape::v1 ? "PROCESSING_ERROR" : "INTERNAL_SERVER_ERROR";
}

std::string_view message_of(failure why, bool only_read) noexcept {
  switch (why) {
    case failure::unavailable: return "the database is not available; try again shortly";
    case failure::timed_out:
      return only_read ? "no answer in time; try again shortly"
                       : "no answer in time; the outcome is unknown, try again shortly";
    case failure::overloaded: return "the service has too much to do; try again shortly";
    case failure::too_many: return "too many requests of this caller are waiting; try again shortly";
    case failure::stranded:
      return only_read ? "the request was interrupted; try again shortly"
                       : "the request was interrupted; the outcome is unknown, try again shortly";
    case failure::not_owner: return "this server does not know whether its data is still its own; try again shortly";
    case failure::clock_wrong: return "the clock of this server is wrong, so nothing is written; try again shortly";
    case failure::refused:
      return "the database refused this change, or it took too long to be written; nothing of it was done, and the "
             "same is likely to fail again";
  }
  return "try again shortly";
}

void write_error(std::string& out, error_shape shape, std::string_view code, std::string_view message,
                 std::span<const std::string> issues) {
  if (shape == error_shape::v1) {
    out += R"({"ok":false,"error":{"code":)";
    write_json_text(out, code_in(shape, code));
    out += R"(,"message":)";
    write_json_text(out, message);
    if (code == "BAD_REQUEST")
      write_fields(out, message, issues);
    out += "}}";
    return;
  }
  out += R"({"message":)";
  write_json_text(out, message);
  out += R"(,"code":)";
  write_json_text(out, code);
  if (!issues.empty()) {
    out += R"(,"issues":[)";
    for (std::size_t i = 0; i < issues.size(); ++i) {
      out += i ? R"(,{"message":)" : R"({"message":)";
      write_json_text(out, issues[i]);
      out += '}';
    }
    out += ']';
  }
  out += '}';
}

std::string_view reason_phrase(unsigned status) noexcept {
  switch (status) {
    case 200: return "OK";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 410: return "Gone";
    case 418: return "I'm a Teapot";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
  }
}

} // namespace credence::http
