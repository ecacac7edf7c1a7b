#include "tests/system/hostile_cases.hpp"

namespace credence::test {

namespace {

std::string times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += text;
  return out;
}

/// A vote with this text between the quotes of its reason.
std::string reason(const std::string& text) { return R"({"voteType":"BULLISH","voteReason":")" + text + "\"}"; }

/// A vote with one member more.
std::string with(const std::string& member) { return R"({"voteType":"BULLISH",)" + member + "}"; }

} // namespace

hostile_cases body_cases(hostile_material& from) {
  using enum hostile_case::after;
  hostile_cases out;
  const auto body = [&](int status, const char* name, const char* rule, const std::string& text) {
    out.push_back({name, rule, {status}, stays, from.vote_body(text)});
  };
  const auto bad = [&](const char* name, const char* rule, const std::string& text) { body(400, name, rule, text); };

  // What is no JSON text
  bad("nothing", "8259 2", "");
  bad("a blank", "8259 2", " ");
  bad("NUL", "8259 2", std::string(1, '\0'));
  bad("NUL behind the text", "8259 2", good_vote + std::string(1, '\0'));
  bad("a byte order mark", "8259 8.1", "\xEF\xBB\xBF" + good_vote);
  bad("UTF-16", "8259 8.1", std::string("{\0}\0", 4));
  bad("UTF-16 with its mark", "8259 8.1", std::string("\xFF\xFE{\0}\0", 6));
  bad("two texts", "8259 2", good_vote + good_vote);
  bad("a byte behind the text", "8259 2", good_vote + "x");
  bad("a brace behind the text", "8259 2", good_vote + "}");
  bad("a text that ends early", "8259 4", good_vote.substr(0, good_vote.size() - 1));
  bad("a comment", "8259 2", good_vote + "/* */");
  bad("a comma too many", "8259 4", R"({"voteType":"BULLISH",})");
  bad("single quotes", "8259 7", "{'voteType':'BULLISH'}");
  bad("a name without quotes", "8259 4", R"({voteType:"BULLISH"})");
  bad("NaN", "8259 6", with(R"("x":NaN)"));
  bad("Infinity", "8259 6", with(R"("x":-Infinity)"));
  bad("a hexadecimal number", "8259 6", with(R"("x":0x1)"));
  bad("a number with a zero before it", "8259 6", with(R"("x":01)"));
  bad("a number with a plus", "8259 6", with(R"("x":+1)"));
  bad("an integer of 400 digits", "8259 6: a bound", with("\"x\":" + std::string(400, '9')));
  bad("a number past all doubles", "8259 6: a bound", with(R"("x":1e400)"));
  bad("an exponent of 400 digits", "8259 6: a bound", with("\"x\":1e" + std::string(400, '9')));
  body(200, "a number of 400 digits behind the point", "8259 6", with("\"x\":0." + std::string(400, '9')));

  // Depth and size
  bad("60,000 brackets", "8259 9", std::string(60'000, '['));
  bad("10,000 objects inside each other", "8259 9", times(10'000, R"({"a":)"));
  bad("33 levels", "8259 9: a bound", with("\"x\":" + std::string(32, '[') + std::string(32, ']')));
  body(200, "32 levels", "8259 9: a bound", with("\"x\":" + std::string(31, '[') + std::string(31, ']')));
  body(200, "thousands of members", "8259 4", [] {
    std::string text = R"({"voteType":"BULLISH")";
    for (int i = 0; i < 5000; ++i)
      text += ",\"" + std::to_string(i) + "\":0";
    return text + "}";
  }());
  bad("thousands of members of one name", "8259 4", with(times(5000, R"("a":0,)") + R"("a":0)"));

  // Members
  bad("a member twice", "8259 4", with(R"("voteType":"BEARISH")"));
  bad("a member twice, once in escapes", "8259 4, 8.3", with(R"("\u0076oteType":"BEARISH")"));
  bad("an unknown member twice", "8259 4", with(R"("x":1,"x":1)"));
  bad("a member twice below", "8259 4", with(R"("x":[{"y":1,"y":2}])"));
  bad("an array", "spec, votes", "[" + good_vote + "]");
  bad("null", "spec, votes", "null");
  bad("a text", "spec, votes", R"("BULLISH")");
  bad("no members", "spec, votes", "{}");
  for (const auto* value : {"null", "true", "0", "[]", "{}", R"("")", R"("bullish")", R"(" BULLISH")",
                            R"("BULLISH\u0000")", R"(["BULLISH"])", R"("BULLISH\n")"})
    bad(("the voteType " + std::string{value}).c_str(), "spec, votes", R"({"voteType":)" + std::string{value} + "}");
  bad("a name in another case", "8259 8.3", R"({"VoteType":"BULLISH"})");
  body(200, "a member that would be a prototype", "spec: others are ignored",
       with(R"("__proto__":{"admin":true},"constructor":1)"));
  for (const auto* value : {"7", "true", "[]", "{}", R"("")"})
    bad(("the voteReason " + std::string{value}).c_str(), "spec, votes", with("\"voteReason\":" + std::string{value}));

  // Text
  bad("51 characters", "spec, limits", reason(std::string(51, 'x')));
  bad("51 characters of two bytes", "spec, limits", reason(times(51, "\xC3\xA9")));
  bad("51 characters in escapes", "spec, limits", reason(times(51, R"(\u00e9)")));
  body(200, "50 characters of four bytes", "spec, limits", reason(times(50, "\xF0\x9F\x98\x80")));
  body(200, "50 characters in pairs of escapes", "8259 7", reason(times(50, R"(\ud83d\ude00)")));
  bad("60,000 characters", "spec, limits", reason(std::string(60'000, 'x')));
  bad("NUL in escapes", "spec: text holds none", reason(R"(a\u0000b)"));
  bad("NUL in a name", "spec: text holds none", with(R"("\u0000":1)"));
  bad("NUL in text that is ignored", "spec: text holds none", with(R"("x":[{"y":"\u0000"}])"));
  bad("NUL as a byte", "8259 7", reason(std::string(1, '\0')));
  bad("a line end as a byte", "8259 7", reason("a\nb"));
  bad("a high surrogate alone", "8259 8.2", reason(R"(\ud800)"));
  bad("a low surrogate alone", "8259 8.2", reason(R"(\udc00)"));
  bad("surrogates the wrong way round", "8259 8.2", reason(R"(\udc00\ud800)"));
  bad("two high surrogates", "8259 8.2", reason(R"(\ud800\ud800)"));
  bad("a high surrogate before a letter", "8259 8.2", reason(R"(\ud800\u0041)"));
  bad("a low surrogate in a name", "8259 8.2", with(R"("\udc00":1)"));
  bad("a low surrogate in text that is ignored", "8259 8.2", with(R"("x":["\udfff"])"));
  bad("a byte of no character", "8259 8.1", reason("\xff"));
  bad("half a character", "8259 8.1", reason("\xC3"));
  bad("an overlong slash", "3629 3", reason("\xC0\xAF"));
  bad("a surrogate in UTF-8", "3629 3", reason("\xED\xA0\x80"));
  bad("a code point past the last", "3629 3", reason("\xF4\x90\x80\x80"));
  bad("a byte of no character in a name", "8259 8.1", with("\"\xff\":1"));
  bad("an unknown escape", "8259 7", reason(R"(\x41)"));
  bad("an escape of three digits", "8259 7", reason(R"(\u041)"));
  body(200, "control characters in escapes", "8259 7", reason(R"(\u0001\u001f\u007f\u0085\u2028)"));
  body(200, "code points that are no characters", "8259 8.1", reason(R"(\ufffe\uffff)"));
  body(200, "text that would be SQL", "8259 7", reason("'); DROP TABLE votes; --"));
  body(200, "text that would be markup", "8259 7", reason("<script>alert(1)</script>&#0;"));
  body(200, "text that runs right to left", "8259 7",
       reason("\xE2\x80\xAE"
              "abc\xE2\x80\xAC"));
  body(200, "marks on marks", "8259 7", reason("a" + times(49, "\xCC\x81")));
  body(200, "a backslash for a pattern of SQL", "8259 7", reason(R"(\\N\\.\t%s%n{}$1)"));
  return out;
}

} // namespace credence::test
