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
  static constexpr error_kind kinds[]{
#define CREDENCE_REFUSAL(name, status, code) {status, code},
#include "actors/domain/refusals.inc"
#undef CREDENCE_REFUSAL
  };
  return kinds[static_cast<std::size_t>(why)];
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
