#include "tests/each_of.hpp"
#include "tests/system/hostile_cases.hpp"

namespace credence::test {

hostile_material::pair hostile_material::next() {
  const auto at = next_++;
  return {voters_.at(at / static_cast<std::size_t>(projects_)),
          1 + static_cast<int>(at % static_cast<std::size_t>(projects_))};
}

std::string hostile_material::vote_head(std::string_view version) {
  const auto who = next();
  std::string out = "POST /api/v2/projects/" + std::to_string(who.project) + "/votes ";
  return out.append(version).append("\r\nHost: a\r\nAuthorization: Bearer ").append(who.token).append("\r\n");
}

std::string hostile_material::vote(std::string_view more, std::string_view body) {
  auto out = vote_head();
  return out.append(more)
    .append("Content-Length: ")
    .append(std::to_string(body.size()))
    .append("\r\n\r\n")
    .append(body);
}

namespace {

const std::string json = "Content-Type: application/json\r\n";
const std::string te = "Transfer-Encoding: ";
const std::string chunks = "16\r\n" + good_vote + "\r\n0\r\n\r\n"; // 0x16 bytes
const std::string length = "Content-Length: 22\r\n";

} // namespace

hostile_cases framing_cases(hostile_material& from) {
  using enum hostile_case::after;
  hostile_cases out;
  const auto row = [&](const char* name, const char* rule, std::vector<int> status, hostile_case::after then,
                       const std::string& fields_and_body) {
    out.push_back({name, rule, std::move(status), then, from.vote_head() + json + fields_and_body});
  };
  const auto bad = [&](const char* name, const char* rule, const std::string& rest) {
    row(name, rule, {400}, closes, rest);
  };
  const auto good = [&](const char* name, const char* rule, const std::string& rest) {
    row(name, rule, {200}, stays, rest);
  };

  good("a vote with a length", "9112 6.3", length + "\r\n" + good_vote);
  good("a vote in a chunk", "9112 7.1", te + "chunked\r\n\r\n" + chunks);

  // Transfer-Encoding
  good("chunked in capitals", "9112 7", te + "CHUNKED\r\n\r\n" + chunks);
  good("blanks around chunked", "9110 5.5", te + " \t chunked \t \r\n\r\n" + chunks);
  for (const auto* coding : each_of("blegh", "gzip", "identity", "xchunked", "chunkedx", "chunked, gzip",
                                    "gzip, chunked", "chunked, chunked", "chunked, identity", "identity, chunked",
                                    "chunked;q=1", "\"chunked\"", "'chunked'", "chunked,", ",chunked", "",
                                    "\xA0"
                                    "chunked",
                                    "chunked\xA0", "chu nked", "cow")) {
    const std::string text = coding;
    bad(("the coding <" + text + "> alone").c_str(), "9112 6.1, 6.3", te + text + "\r\n\r\n" + chunks);
    bad(("the coding <" + text + "> beside a length").c_str(), "9112 6.1, 6.3",
        te + text + "\r\n" + length + "\r\n" + good_vote);
  }
  bad("chunked behind a vertical tab", "9110 5.5",
      te
        + "\x0b"
          "chunked\r\n\r\n"
        + chunks);
  bad("chunked behind a form feed", "9110 5.5",
      te
        + "\x0c"
          "chunked\r\n\r\n"
        + chunks);
  bad("chunked twice, in two fields", "9112 6.1, 7", te + "chunked\r\n" + te + "chunked\r\n\r\n" + chunks);
  bad("chunked, then identity", "9112 6.3", te + "chunked\r\n" + te + "identity\r\n\r\n" + chunks);
  bad("identity, then chunked", "9112 6.3", te + "identity\r\n" + te + "chunked\r\n\r\n" + chunks);
  bad("an unknown coding, then chunked", "9112 6.1", te + "cow\r\n" + te + "chunked\r\n\r\n" + chunks);
  bad("chunked before a length", "9112 6.1, 11.2", te + "chunked\r\n" + length + "\r\n" + chunks);
  bad("a length before chunked", "9112 6.1, 11.2", length + te + "chunked\r\n\r\n" + chunks);
  bad("chunked and a length of 0", "9112 6.1, 11.2", te + "chunked\r\nContent-Length: 0\r\n\r\n" + chunks);
  bad("a blank before the colon of the coding", "9112 5.1", "Transfer-Encoding : chunked\r\n\r\n" + chunks);
  bad("a tab before the colon of the coding", "9112 5.1", "Transfer-Encoding\t: chunked\r\n\r\n" + chunks);
  bad("a blank before the coding's name", "9112 5.2", length + " Transfer-Encoding: chunked\r\nX : y\r\n\r\n" + chunks);
  bad("NUL in the coding's name", "9110 5.1",
      std::string("Transfer\0-Encoding: chunked\r\n", 29) + length + "\r\n" + good_vote);
  bad("the coding behind a bare line feed", "9112 2.2", "X: y\n" + te + "chunked\r\n\r\n" + chunks);
  bad("the coding behind a bare carriage return", "9112 2.2", "X: y\r" + te + "chunked\r\n\r\n" + chunks);
  bad("the coding folded into two words", "9112 5.2", te + "chunked\r\n x\r\n\r\n" + chunks);
  bad("the coding on a folded line", "9112 5.2", te + "\r\n chunked\r\n\r\n" + chunks);
  bad("the length on a folded line", "9112 5.2", "Content-Length:\r\n 22\r\n\r\n" + good_vote);
  bad("a length behind a folded field", "9112 5.2", "X: y\r\n z\r\n" + length + "\r\n" + good_vote);
  out.push_back({"chunked in HTTP/1.0",
                 "9112 6.1",
                 {400},
                 closes,
                 from.vote_head("HTTP/1.0") + json + te + "chunked\r\n\r\n" + chunks});
  out.push_back({"chunked and kept alive in HTTP/1.0",
                 "9112 6.1",
                 {400},
                 closes,
                 from.vote_head("HTTP/1.0") + json + "Connection: keep-alive\r\n" + te + "chunked\r\n\r\n" + chunks});

  // Content-Length
  for (const auto* text : each_of("-1", "-22", "+22", "0x16", "22.0", "2e1", "22 22", "22,22", "22, 22", "22;22",
                                  "22, 0", ",22", "22,", "\"22\"", "", "abc", "22a", "2 2", "0o26", "\xC2\xB2\xC2\xB2",
                                  "18446744073709551616", "18446744073709551638", "9223372036854775808000000"))
    bad(("the length <" + std::string{text} + ">").c_str(), "9110 8.6",
        "Content-Length: " + std::string{text} + "\r\n\r\n" + good_vote);
  bad("two lengths, the smaller first", "9110 8.6; 9112 6.3", "Content-Length: 0\r\n" + length + "\r\n" + good_vote);
  bad("two lengths, the smaller last", "9110 8.6; 9112 6.3", length + "Content-Length: 0\r\n\r\n" + good_vote);
  bad("the same length twice", "9112 6.3", length + length + "\r\n" + good_vote);
  bad("a blank before the length's colon", "9112 5.1", "Content-Length : 22\r\n\r\n" + good_vote);
  bad("a length behind a bare line feed", "9112 2.2", "X: y\nContent-Length: 22\r\n\r\n" + good_vote);
  bad("a length behind a bare carriage return", "9112 2.2", "X: y\rContent-Length: 22\r\n\r\n" + good_vote);
  bad("a length over two lines", "9112 5.2", "Content-Length: 2\r\n 2\r\n\r\n" + good_vote);
  good("zeros before the length", "9110 8.6", "Content-Length: 0022\r\n\r\n" + good_vote);
  row("a length of 2^63", "9110 15.5.14", {413, 400}, closes,
      "Content-Length: 9223372036854775808\r\n\r\n" + good_vote);
  row("one byte more than a body may have", "9110 15.5.14", {413}, closes,
      "Content-Length: 65537\r\n\r\n" + std::string(65537, ' '));
  row("a body of the largest size", "9110 15.5.14", {200}, stays,
      "Content-Length: 65536\r\n\r\n" + good_vote + std::string(65536 - good_vote.size(), ' '));
  row("no length", "9112 6.3: then there is no body", {400}, stays, "\r\n");

  // Chunks
  const auto chunked = [&](const char* name, const char* rule, std::vector<int> status, hostile_case::after then,
                           const std::string& body) {
    row(name, rule, std::move(status), then, te + "chunked\r\n\r\n" + body);
  };
  const auto bad_chunk = [&](const char* name, const char* rule, const std::string& body) {
    chunked(name, rule, {400}, closes, body);
  };
  const auto data = good_vote + "\r\n0\r\n\r\n";
  for (const auto* size : {"", "g", "xyz", "-1", "+16", "0x16", "16h", "1 6", "16,", " 16", "\t16", "\"16\"", "16\n",
                           "16\r", "16.0", "10000000000000016", "fffffffffffffffff", "16\xA0"})
    bad_chunk(("the chunk size <" + std::string{size} + ">").c_str(), "9112 7.1", std::string{size} + "\r\n" + data);
  bad_chunk("NUL behind the chunk size", "9112 7.1", std::string("16\0\r\n", 5) + data);
  chunked("a chunk size of 2^64 - 1", "9112 7.1", {400, 413}, closes, "ffffffffffffffff\r\n" + data);
  chunked("a chunk size of 2^32 + 22", "9112 7.1", {400, 413}, closes, "100000016\r\n" + data);
  chunked("zeros before the chunk size", "9112 7.1", {200}, stays, "0000000000000016\r\n" + data);
  chunked("letters of both cases in sizes", "9112 7.1", {200}, stays,
          "A\r\n" + good_vote.substr(0, 10) + "\r\nc\r\n" + good_vote.substr(10) + "\r\n00\r\n\r\n");
  bad_chunk("a chunk longer than its size", "9112 7.1", "15\r\n" + data);
  bad_chunk("a chunk shorter than its size", "9112 7.1", "17\r\n" + data);
  bad_chunk("a chunk that ends with a line feed", "9112 7.1", "16\r\n" + good_vote + "\n0\r\n\r\n");
  bad_chunk("a chunk that ends with a carriage return", "9112 7.1", "16\r\n" + good_vote + "\r0\r\n\r\n");
  bad_chunk("a chunk without a line end", "9112 7.1", "16\r\n" + good_vote + "0\r\n\r\n");
  bad_chunk("a size that ends with a line feed", "9112 7.1", "16\n" + data);
  bad_chunk("two bytes in place of a chunk's line end", "9112 7.1", "16\r\n" + good_vote + "xx0\r\n\r\n");
  chunked("an extension", "9112 7.1.1", {200}, stays, "16;a=b;c=\"d e\te\";f\r\n" + data);
  for (const auto* extension : {";", ";=", ";a=", ";a b", "a", " a", ";a=\"b\"c", ";a=b c", ";a\r=b", ";\n", ";a\nb",
                                ";a=\"\n\"", ";a=\"\\\n\"", ";a=\"\x01\"", ";a=\"\x7f\""})
    bad_chunk(("the extension <" + std::string{extension} + ">").c_str(), "9112 7.1.1; 9110 5.6.4",
              "16" + std::string{extension} + "\r\n" + data);
  bad_chunk("NUL in a quoted extension", "9110 5.6.4", "16;a=\"" + std::string(1, '\0') + "\"\r\n" + data);
  bad_chunk("a line feed in the last chunk's extension", "9110 5.6.4", "16\r\n" + good_vote + "\r\n0;a=\"\n\"\r\n\r\n");
  bad_chunk("an extension of more than 4096 bytes", "9112 7.1.1", "16;a=" + std::string(4096, 'x') + "\r\n" + data);
  bad_chunk("an extension without end", "9112 7.1.1", "16;a=" + std::string(200'000, 'x'));
  bad_chunk("extensions that are short and many", "9112 7.1.1", [] {
    std::string text;
    for (int i = 0; i < 200; ++i)
      text += "1;a=" + std::string(50, 'x') + "\r\n \r\n";
    return text;
  }() + "16\r\n" + data);
  chunked("trailers", "9112 7.1.2", {200}, stays, "16\r\n" + good_vote + "\r\n0\r\nX-A: b\r\nX-C: d\r\n\r\n");
  chunked("trailers that would be another caller's fields", "9110 6.5.1", {200}, stays,
          "16\r\n" + good_vote + "\r\n0\r\nAuthorization: Basic x\r\nHost: b\r\nContent-Type: text/html\r\n\r\n");
  bad_chunk("a length in the trailers", "9110 6.5.1", "16\r\n" + good_vote + "\r\n0\r\nContent-Length: 5\r\n\r\n");
  bad_chunk("a coding in the trailers", "9110 6.5.1",
            "16\r\n" + good_vote + "\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n");
  bad_chunk("a trailer without a colon", "9112 5", "16\r\n" + good_vote + "\r\n0\r\nnonsense\r\n\r\n");
  bad_chunk("a blank before a trailer's colon", "9112 5.1", "16\r\n" + good_vote + "\r\n0\r\nX : y\r\n\r\n");
  bad_chunk("a bare line feed in a trailer", "9112 2.2", "16\r\n" + good_vote + "\r\n0\r\nX: y\nZ: a\r\n\r\n");
  bad_chunk("NUL in a trailer", "9110 5.5", "16\r\n" + good_vote + "\r\n0\r\nX: " + std::string(1, '\0') + "\r\n\r\n");
  chunked("trailers without end", "6585 5", {400, 413, 431}, closes,
          "16\r\n" + good_vote + "\r\n0\r\nX: " + std::string(200'000, 'x'));
  chunked("chunks past the bound of a body", "9110 15.5.14", {413}, closes,
          "10001\r\n" + std::string(65537, ' ') + "\r\n0\r\n\r\n");
  chunked("small chunks past the bound of a body", "9110 15.5.14", {413}, closes, [] {
    std::string text;
    for (int i = 0; i < 20; ++i)
      text += "1000\r\n" + std::string(4096, ' ') + "\r\n";
    return text + "0\r\n\r\n";
  }());
  chunked("a vote in chunks of one byte", "9112 7.1", {200}, stays, [] {
    std::string text;
    for (const char c : good_vote)
      text += "1\r\n" + std::string(1, c) + "\r\n";
    return text + "0\r\n\r\n";
  }());
  chunked("an empty chunked body", "9112 7.1", {400}, stays, "0\r\n\r\n");
  return out;
}

} // namespace credence::test
