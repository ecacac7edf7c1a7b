// Raw bytes of a connection as requests: what is read as a request must be one that no
// other reader could end elsewhere, and must be read the same however the bytes are cut.
#include "http/server/request.hpp"
#include "tests/fuzz/claim.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace {

using credence::fuzz::claim;
using credence::http::request_reader;

constexpr std::size_t header_bytes_max = 16 * 1024;
constexpr std::size_t body_bytes_max = 4 * 1024;
constexpr int requests_max = 4;

/// How far a reader came with one request.
struct reading {
  std::size_t head_bytes = 0; // 0 while the header is not complete
  std::size_t bytes = 0;
};

/// Feeds `bytes` in pieces of `piece` until the request ends, is refused or wants more.
reading read_one(request_reader& reader, std::string_view bytes, std::size_t piece) {
  reading out;
  reader.begin();
  std::size_t shown = 0; // bytes the reader has been offered
  while (!reader.done() && !reader.error()) {
    const auto used = reader.put(bytes.substr(out.bytes, shown - out.bytes));
    claim(used <= shown - out.bytes, "no byte is used that was not there");
    out.bytes += used;
    if (out.head_bytes == 0 && reader.header_done())
      out.head_bytes = out.bytes;
    if (used > 0)
      continue;
    if (shown == bytes.size())
      break;
    shown = std::min(bytes.size(), shown + piece);
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && blank(text.back()))
    text.remove_suffix(1);
  return text;
}

/// A second, simple reader of a header's fields.
struct second_look {
  std::vector<std::pair<std::string, std::string>> fields; // names in lower case

  std::vector<std::string> all(std::string_view name) const {
    std::vector<std::string> out;
    for (const auto& [each, value] : fields)
      if (each == name)
        out.push_back(value);
    return out;
  }
};

second_look look_again(std::string_view head) {
  second_look out;
  claim(head.ends_with("\r\n\r\n"), "a header ends with an empty line");
  head.remove_suffix(2);
  for (bool first = true; !head.empty(); first = false) {
    const auto end = head.find("\r\n");
    claim(end != std::string_view::npos, "every line ends with CR LF");
    const auto line = head.substr(0, end);
    head.remove_prefix(end + 2);
    claim(line.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos,
          "no CR, LF or NUL inside a line");
    if (first)
      continue;
    if (line.starts_with(' ') || line.starts_with('\t')) { // folded (RFC 9112, 5.2)
      claim(!out.fields.empty(), "the first field is not folded");
      auto& value = out.fields.back().second;
      value = trimmed(value + ' ' + std::string{trimmed(line)});
      continue;
    }
    const auto colon = line.find(':');
    claim(colon != std::string_view::npos && colon > 0, "every field has a name");
    claim(line.substr(0, colon).find_first_of(" \t") == std::string_view::npos, "no blank inside a field's name");
    out.fields.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return out;
}

/// A second, strict reader of a chunked body (RFC 9112, 7.1): the bytes it takes and
/// what it carries; nothing when it is not one.
struct chunked_body {
  std::size_t bytes = 0;
  std::string body;
};

std::optional<chunked_body> read_chunks(std::string_view from) {
  chunked_body out;
  const auto line = [&]() -> std::optional<std::string_view> {
    const auto end = from.find("\r\n", out.bytes);
    if (end == std::string_view::npos)
      return std::nullopt;
    const auto text = from.substr(out.bytes, end - out.bytes);
    out.bytes = end + 2;
    return text.find_first_of("\r\n") == std::string_view::npos ? std::optional{text} : std::nullopt;
  };
  for (;;) {
    const auto head = line();
    if (!head)
      return std::nullopt;
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(head->data(), head->data() + head->size(), size, 16);
    const auto rest = trimmed(head->substr(static_cast<std::size_t>(end - head->data())));
    if (error != std::errc{} || (!rest.empty() && rest.front() != ';') || size > from.size() - out.bytes)
      return std::nullopt;
    if (size == 0)
      break;
    out.body += from.substr(out.bytes, size);
    out.bytes += size;
    if (from.substr(out.bytes, 2) != "\r\n")
      return std::nullopt;
    out.bytes += 2;
  }
  for (;;) { // trailers
    const auto trailer = line();
    if (!trailer)
      return std::nullopt;
    if (trailer->empty())
      return out;
  }
}

/// The header leaves one way only to tell where the body ends, and it is within bounds.
void check_head(const request_reader& reader, const second_look& fields) {
  const auto& head = reader.head();
  const auto encodings = fields.all("transfer-encoding");
  const auto lengths = fields.all("content-length");
  const auto hosts = fields.all("host");
  claim(encodings.empty() || lengths.empty(), "never both Transfer-Encoding and Content-Length");
  claim(encodings.size() <= 1 && lengths.size() <= 1, "neither is given twice");
  claim(encodings.empty() || lower(encodings.front()) == "chunked", "the only encoding is chunked");
  claim(encodings.empty() || head.version == 11, "no Transfer-Encoding in HTTP/1.0");
  claim(hosts.size() == 1 || (hosts.empty() && head.version == 10), "one Host");
  claim(hosts.empty() || hosts.front().find_first_of(" \t,/@\\?#") == std::string::npos, "Host is one host");
  claim(fields.all("content-encoding").empty(), "no Content-Encoding");
  claim(fields.fields.size() <= 100, "the number of fields is bounded");
  claim(head.version == 10 || head.version == 11, "HTTP/1.0 or 1.1");
  claim(head.method_name != "CONNECT" && head.method_name != "TRACE", "no tunnel, no trace");
  claim(!head.target.empty() && head.target.size() <= credence::http::target_length_max, "the target is bounded");
  for (const unsigned char c : head.target)
    claim(c > 0x20 && c != 0x7F, "no blank or control character in the target");
}

/// A request that was read to its end ends where its header says.
void check_body(const request_reader& reader, const second_look& fields, std::string_view behind_head,
                std::size_t used) {
  claim(reader.body().size() <= body_bytes_max, "the body is bounded");
  if (!fields.all("transfer-encoding").empty()) {
    const auto chunks = read_chunks(behind_head);
    claim(chunks.has_value(), "a chunked body is well formed");
    claim(chunks->bytes == used && chunks->body == reader.body(), "a chunked body ends where it says");
    return;
  }
  std::size_t length = 0;
  if (const auto lengths = fields.all("content-length"); !lengths.empty()) {
    const auto& text = lengths.front();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    claim(error == std::errc{} && end == text.data() + text.size(), "Content-Length is a number");
  }
  claim(used == length && reader.body() == behind_head.substr(0, length), "the body ends where its length says");
}

/// Cut in two ways, the same bytes are the same request.
void check_same(const request_reader& a, const request_reader& b, const reading& of_a, const reading& of_b) {
  const auto accepted = [](const request_reader& r) { return r.done() && !r.error(); };
  claim(accepted(a) == accepted(b), "accepted however it is cut");
  if (!accepted(a))
    return;
  claim(of_a.bytes == of_b.bytes && of_a.head_bytes == of_b.head_bytes, "as long however it is cut");
  claim(a.body() == b.body() && a.head().target == b.head().target && a.head().authorization == b.head().authorization
          && a.head().keep_alive == b.head().keep_alive,
        "the same request however it is cut");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto bytes = credence::fuzz::text_of(data, size);
  request_reader whole{header_bytes_max, body_bytes_max};
  request_reader cut{header_bytes_max, body_bytes_max};
  const std::size_t piece = 1 + size % 13;
  for (int i = 0; i < requests_max && !bytes.empty(); ++i) {
    const auto at_once = read_one(whole, bytes, bytes.size());
    check_same(whole, cut, at_once, read_one(cut, bytes, piece));
    if (whole.error()) {
      claim(whole.error()->status >= 400 && whole.error()->status < 600, "a refusal is an error");
      claim(credence::fuzz::is_utf8(whole.error()->message), "a refusal can be told");
      return 0;
    }
    if (at_once.head_bytes == 0)
      return 0;
    claim(at_once.head_bytes <= header_bytes_max, "the header is bounded");
    const auto fields = look_again(bytes.substr(0, at_once.head_bytes));
    check_head(whole, fields);
    if (!whole.done())
      return 0;
    check_body(whole, fields, bytes.substr(at_once.head_bytes), at_once.bytes - at_once.head_bytes);
    bytes.remove_prefix(at_once.bytes);
  }
  return 0;
}
