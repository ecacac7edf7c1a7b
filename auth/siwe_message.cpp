#include "auth/siwe_message.hpp"

#include "auth/address.hpp"
#include "auth/rfc3339.hpp"
#include "auth/uri.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace credence::auth {

namespace {

constexpr std::string_view invitation = " wants you to sign in with your Ethereum account:";
constexpr std::string_view time_wanted = "an RFC 3339 time such as 2026-03-01T12:00:00Z";
static_assert(siwe_message_bytes_max == 4096 && siwe_nonce_length_max == 128, "said in the texts below");

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_nonce(std::string_view text) {
  return text.size() >= siwe_nonce_length_min && text.size() <= siwe_nonce_length_max
         && std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

bool is_statement(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c == ' ' || is_uri_character(c); });
}

std::optional<std::uint64_t> parse_chain_id(std::string_view text) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || (text.size() > 1 && text.front() == '0'))
    return std::nullopt;
  return out;
}

/// Takes a message line by line. Each part returns whether all is well so far.
class reader {
public:
  explicit reader(std::string_view text) : rest_(text) {}

  outcome<siwe_message, siwe_error> run() {
    if (read_first_line() && read_address() && read_statement() && read_required() && read_optional() && read_end())
      return std::move(message_);
    return why_;
  }

private:
  /// The rest of the next line when it begins with `tag`; the line is then behind us.
  std::optional<std::string_view> take(std::string_view tag) {
    if (!rest_ || !rest_->starts_with(tag))
      return std::nullopt;
    const auto end = rest_->find('\n');
    const auto line = rest_->substr(0, end);
    if (end == std::string_view::npos)
      rest_.reset();
    else
      rest_->remove_prefix(end + 1);
    return line.substr(tag.size());
  }

  bool fail(std::string_view field, std::string_view expected) {
    why_ = {field, expected};
    return false;
  }

  bool take_empty(std::string_view after) {
    const auto line = take("");
    return (line && line->empty()) || fail(after, "followed by an empty line");
  }

  bool read_first_line() {
    auto line = take("");
    if (!line || !line->ends_with(invitation))
      return fail("first line", "a domain and \" wants you to sign in with your Ethereum account:\"");
    line->remove_suffix(invitation.size());
    if (const auto mark = line->find("://"); mark != std::string_view::npos) {
      message_.scheme = line->substr(0, mark);
      line->remove_prefix(mark + 3);
      if (!is_scheme(*message_.scheme))
        return fail("scheme", "a URI scheme such as https");
    }
    message_.domain = *line;
    return is_authority_with_host(*line) || fail("domain", "an RFC 3986 authority such as example.com");
  }

  bool read_address() {
    const auto line = take("");
    const auto parsed = line ? parse_checksummed_address(*line) : std::nullopt;
    if (!parsed)
      return fail("address", "0x and 40 hexadecimal digits with the checksum of EIP-55, on the second line");
    message_.account = *parsed;
    return take_empty("address");
  }

  /// A statement with an empty line after it, or the empty line alone.
  bool read_statement() {
    const auto line = take("");
    if (line && line->empty())
      return true;
    if (!line || !is_statement(*line))
      return fail("statement", "one line of letters, digits, spaces and -._~:/?#[]@!$&'()*+,;=, or an empty line");
    message_.statement = *line;
    return take_empty("statement");
  }

  bool read_required() {
    const auto uri = take("URI: ");
    if (!uri || !is_uri(*uri))
      return fail("URI", "an RFC 3986 URI, after the statement");
    message_.uri = *uri;
    if (const auto version = take("Version: "); !version || *version != "1")
      return fail("Version", "1, after URI");
    const auto chain = take("Chain ID: ");
    const auto chain_id = chain ? parse_chain_id(*chain) : std::nullopt;
    if (!chain_id)
      return fail("Chain ID", "a decimal number without leading zeros, after Version");
    message_.chain_id = *chain_id;
    const auto nonce = take("Nonce: ");
    if (!nonce || !is_nonce(*nonce))
      return fail("Nonce", "8 to 128 letters and digits, after Chain ID");
    message_.nonce = *nonce;
    const auto issued = take("Issued At: ");
    return issued ? read_time("Issued At", *issued, message_.issued_at)
                  : fail("Issued At", "given after Nonce, as an RFC 3339 time");
  }

  bool read_optional() {
    if (const auto text = take("Expiration Time: ");
        text && !read_time("Expiration Time", *text, message_.expiration_time.emplace()))
      return false;
    if (const auto text = take("Not Before: "); text && !read_time("Not Before", *text, message_.not_before.emplace()))
      return false;
    if (const auto text = take("Request ID: ")) {
      message_.request_id = *text;
      if (!is_segment(*text))
        return fail("Request ID", "characters that a segment of a URI's path may have");
    }
    return read_resources();
  }

  bool read_resources() {
    const auto title = take("Resources:");
    if (!title)
      return true;
    message_.resources.emplace();
    while (const auto uri = take("- ")) {
      if (!is_uri(*uri))
        return fail("Resources", "RFC 3986 URIs, one a line after \"- \"");
      message_.resources->emplace_back(*uri);
    }
    return title->empty() || fail("Resources", "a line of its own");
  }

  bool read_end() {
    return !rest_
           || fail("Issued At", "followed by nothing but Expiration Time, Not Before, Request ID and Resources,"
                                " each once at most, in this order, and no line end after the last");
  }

  bool read_time(std::string_view field, std::string_view text, siwe_time& out) {
    const auto at = parse_rfc3339(text);
    if (!at)
      return fail(field, time_wanted);
    out.at = *at;
    out.text = text;
    return true;
  }

  std::optional<std::string_view> rest_; // nothing once the last line is taken
  siwe_message message_;
  siwe_error why_;
};

bool is_any_of(std::string_view text, const std::vector<std::string>& allowed) {
  return std::find(allowed.begin(), allowed.end(), text) != allowed.end();
}

bool is_origin(std::string_view uri, const std::vector<std::string>& allowed) {
  return is_any_of(uri, allowed) || (uri.ends_with('/') && is_any_of(uri.substr(0, uri.size() - 1), allowed));
}

bool has_scheme_of(std::string_view scheme, const std::vector<std::string>& origins) {
  return std::any_of(origins.begin(), origins.end(), [scheme](std::string_view each) {
    return each.starts_with(scheme) && each.substr(scheme.size()).starts_with("://");
  });
}

std::string list(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& each : texts)
    out += (out.empty() ? "" : " or ") + each;
  return out;
}

/// A text for how long something may take: `10 minutes`, `90 seconds`.
std::string span_text(std::chrono::seconds span) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(span);
  return minutes == span ? std::to_string(minutes.count()) + " minutes" : std::to_string(span.count()) + " seconds";
}

} // namespace

std::string explain(const siwe_error& why) { return std::string{why.field} + " must be " + std::string{why.expected}; }

outcome<siwe_message, siwe_error> parse_siwe_message(std::string_view text) {
  if (text.size() > siwe_message_bytes_max)
    return siwe_error{"message", "at most 4096 bytes long"};
  return reader{text}.run();
}

std::string explain(siwe_refusal why, const siwe_expectation& expected) {
  switch (why) {
    case siwe_refusal::wrong_domain: return "the domain must be " + list(expected.domains);
    case siwe_refusal::wrong_scheme:
      return "the scheme before the domain must be left out or be that of " + list(expected.origins);
    case siwe_refusal::wrong_uri: return "URI must be " + list(expected.origins);
    case siwe_refusal::wrong_chain: return "Chain ID must be " + std::to_string(expected.chain_id);
    case siwe_refusal::issued_in_future: return "Issued At must not be in the future";
    case siwe_refusal::no_expiration: return "Expiration Time must be given";
    case siwe_refusal::lifetime_too_long:
      return "Expiration Time must be within " + span_text(expected.lifetime_max) + " of Issued At";
    case siwe_refusal::expired: return "Expiration Time must be in the future";
    case siwe_refusal::not_yet_valid: return "Not Before must not be in the future";
  }
  return "the message is not valid";
}

std::optional<siwe_refusal> check(const siwe_message& message, const siwe_expectation& expected, timestamp now) {
  const auto latest = now + expected.clock_skew;
  if (!is_any_of(message.domain, expected.domains))
    return siwe_refusal::wrong_domain;
  if (message.scheme && !has_scheme_of(*message.scheme, expected.origins))
    return siwe_refusal::wrong_scheme;
  if (!is_origin(message.uri, expected.origins))
    return siwe_refusal::wrong_uri;
  if (message.chain_id != expected.chain_id)
    return siwe_refusal::wrong_chain;
  if (message.issued_at.at > latest)
    return siwe_refusal::issued_in_future;
  if (!message.expiration_time && expected.expiration_required)
    return siwe_refusal::no_expiration;
  if (message.expiration_time) {
    if (message.expiration_time->at - message.issued_at.at > expected.lifetime_max)
      return siwe_refusal::lifetime_too_long;
    if (now >= message.expiration_time->at)
      return siwe_refusal::expired;
  }
  if (message.not_before && message.not_before->at > latest)
    return siwe_refusal::not_yet_valid;
  return std::nullopt;
}

} // namespace credence::auth
