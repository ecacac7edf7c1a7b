// Sign-in messages (EIP-4361), signatures and addresses as a stranger sends them: what is
// read must be what was written, to the last byte, and only what a second look allows.
#include "actors/domain/hash.hpp"
#include "auth/rfc3339.hpp"
#include "auth/signature.hpp"
#include "auth/uri.hpp"
#include "tests/auth/siwe_text.hpp"
#include "tests/fuzz/claim.hpp"

#include <algorithm>

namespace {

using credence::fuzz::claim;
using namespace credence;
using namespace credence::auth;

const timestamp now{std::chrono::seconds{1772366400}}; // 2026-03-01T12:00:00Z

const siwe_expectation& expected() {
  static const siwe_expectation one{.domains = {"example.com"}, .origins = {"https://example.com"}};
  return one;
}

/// What holds of a message that counts now, worked out from its text.
void check_counts(const siwe_message& m, std::string_view text) {
  claim(text.starts_with("example.com wants ") || text.starts_with("https://example.com wants "), "the domain is ours");
  claim(text.find("\nURI: https://example.com\n") != text.npos
          || text.find("\nURI: https://example.com/\n") != text.npos,
        "the URI is the origin");
  claim(text.find("\nChain ID: 8453\n") != text.npos, "the chain is Base");
  claim(m.expiration_time && m.expiration_time->at > now, "it expires, and has not");
  claim(m.expiration_time->at <= now + std::chrono::seconds{660},
        "it lives ten minutes from an issue at most a minute ahead");
}

void check_message(std::string_view text) {
  const auto read = parse_siwe_message(text);
  if (!read) {
    claim(fuzz::is_utf8(explain(read.why())) && !read.why().field.empty(), "a refusal names its field and can be told");
    return;
  }
  claim(text.size() <= siwe_message_bytes_max, "a message is bounded");
  claim(siwe_text(*read) == text, "one text for one message");
  claim(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }),
        "a message is printable ASCII");
  claim(text.back() != '\n', "nothing follows the last line");
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const auto optional = (read->statement ? 1 : 0) + (read->expiration_time ? 1 : 0) + (read->not_before ? 1 : 0)
                        + (read->request_id ? 1 : 0)
                        + (read->resources ? 1 + static_cast<std::ptrdiff_t>(read->resources->size()) : 0);
  claim(lines == 8 + optional, "every line is a field");
  claim(is_authority_with_host(read->domain) && is_uri(read->uri), "a domain and a URI are what they are called");
  claim(read->nonce.size() >= 8 && read->nonce.size() <= 128, "a nonce is bounded");
  if (const auto why = check(*read, expected(), now))
    claim(fuzz::is_utf8(explain(*why, expected())), "a refusal can be told");
  else
    check_counts(*read, text);
}

/// A text as signed by whoever; a signature that is read has one other form, which is not.
void check_signature(std::string_view text) {
  const auto read = parse_signature(text);
  if (!read) {
    claim(fuzz::is_utf8(explain(read.why())), "a refusal can be told");
    claim(read.why() != signature_error::wrong_length || text.size() != 132, "132 characters are the right length");
    return;
  }
  claim(text.size() == 132 && read->recovery_id <= 1, "a signature is 0x and 65 bytes");
  std::string again = "0x";
  append_hex(again, read->r);
  append_hex(again, read->s);
  std::string lower{text.substr(0, 130)};
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  claim(again == lower, "r and s are read as they are written");
  const auto hash = personal_message_hash(text);
  const auto signer = recover_signer(hash, *read);
  claim(signer || signer.why() == signature_error::no_signer, "there is one reason to name no signer");
  auto flipped = *read;
  flipped.recovery_id ^= 1;
  const auto other = recover_signer(hash, flipped);
  claim(!signer || !other || *signer != *other, "each v names another signer");
}

void check_address(std::string_view text) {
  const auto read = parse_address(text);
  const auto strict = parse_checksummed_address(text);
  claim(!strict || read == strict, "a checksummed address is an address");
  if (!read)
    return;
  claim(text.size() == 42 && parse_address(lower_text(*read)) == read, "an address is read back");
  claim(parse_checksummed_address(checksummed_text(*read)) == read, "with its checksum, too");
  claim(static_cast<bool>(strict) == (checksummed_text(*read) == text), "one text has the checksum");
}

void check_time(std::string_view text) {
  const auto read = parse_rfc3339(text);
  if (!read)
    return;
  claim(read > timestamp{std::chrono::seconds{-62'300'000'000}}
          && read < timestamp{std::chrono::seconds{253'500'000'000}},
        "a time is within the years that four digits write");
  const bool leap = text.substr(17, 2) == "60";
  if (text.back() == 'Z' && text[10] == 'T' && !leap)
    claim(iso_text(*read).substr(0, 19) == text.substr(0, 19), "a time in UTC is written as it was read");
}

void check_uri(std::string_view text) {
  if (!is_uri(text))
    return;
  claim(std::all_of(text.begin(), text.end(), [](char c) { return is_uri_character(c) || c == '%'; }),
        "a URI has its characters");
  claim(is_scheme(text.substr(0, text.find(':'))), "a URI begins with a scheme");
  claim(std::count(text.begin(), text.end(), '#') <= 1, "a URI has one fragment");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  check_message(text);
  check_signature(text);
  check_address(text);
  check_time(text);
  check_uri(text);
  if (size < 65)
    return 0;
  std::string made = "0x"; // so that digits need not be guessed
  append_hex(made, std::as_bytes(std::span{data, 64}));
  append_hex(made, std::array{std::byte{static_cast<std::uint8_t>(27 + data[64] % 2)}});
  check_signature(made);
  return 0;
}
