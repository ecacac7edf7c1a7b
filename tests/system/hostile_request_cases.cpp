#include "tests/each_of.hpp"
#include "tests/system/hostile_cases.hpp"

namespace credence::test {

namespace {

const std::string board = "/api/v2/internal/listings";
const std::string voters = "/api/v2/projects/1/voters";
const std::string host = "Host: a\r\n";

std::string nul(std::string text) { // '@' stands for NUL
  for (auto& c : text)
    if (c == '@')
      c = '\0';
  return text;
}

std::string times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += text;
  return out;
}

std::string get(const std::string& target, const std::string& more = "") {
  return "GET " + target + " HTTP/1.1\r\n" + host + more + "\r\n";
}

using enum hostile_case::after;

void lines(hostile_cases& out) {
  const auto raw = [&](const char* name, const char* rule, std::vector<int> status, hostile_case::after then,
                       std::string bytes) {
    out.push_back({name, rule, std::move(status), then, std::move(bytes)});
  };
  const auto line = [&](const char* name, const char* rule, std::vector<int> status, const std::string& first,
                        hostile_case::after then = closes) {
    raw(name, rule, std::move(status), then, first + "\r\n" + host + "\r\n");
  };
  // Methods
  line("TRACE", "9110 9.3.8", {405, 501}, "TRACE " + board + " HTTP/1.1");
  line("TRACE through others", "9110 9.3.8", {405, 501}, "TRACE * HTTP/1.1");
  line("CONNECT", "9110 9.3.6", {405, 501}, "CONNECT a:80 HTTP/1.1");
  line("CONNECT to a path", "9110 9.3.6", {405, 501}, "CONNECT " + board + " HTTP/1.1");
  line("a method in lower case", "9110 9.1: methods have a case", {501}, "get " + board + " HTTP/1.1");
  line("an unknown method", "9110 9.1", {501}, "BREW " + board + " HTTP/1.1");
  line("a method of WebDAV", "9110 9.1", {501}, "PROPFIND " + board + " HTTP/1.1");
  line("a method of 1 kB", "9110 9.1", {501}, std::string(1024, 'M') + " " + board + " HTTP/1.1");
  line("a method of 20 kB", "6585 5; 9112 3", {400, 431, 501}, std::string(20'000, 'M') + " / HTTP/1.1");
  line("a method with a bracket", "9112 3.1", {400}, "G(T / HTTP/1.1");
  line("a method with a high byte", "9112 3.1", {400}, "G\xC3\x8BT / HTTP/1.1");
  line("no method", "9112 3.1", {400}, " / HTTP/1.1");
  line("a method that the path does not take", "9110 15.5.6", {405}, "DELETE " + board + " HTTP/1.1", stays);
  // Versions
  line("HTTP/0.9", "9112 2.3", {400, 505}, "GET / HTTP/0.9");
  raw("a request of HTTP/0.9", "9112 3", {400}, closes, "GET /\r\n\r\n");
  line("HTTP/1.2", "9110 15.6.6", {505}, "GET / HTTP/1.2");
  line("HTTP/2.0", "9110 15.6.6", {505}, "GET / HTTP/2.0");
  line("HTTP/9.9", "9110 15.6.6", {505}, "GET / HTTP/9.9");
  line("a version of one digit", "9112 2.3", {400, 505}, "GET / HTTP/1");
  line("a version of three digits", "9112 2.3", {400, 505}, "GET / HTTP/1.11");
  line("a version with a sign", "9112 2.3", {400, 505}, "GET / HTTP/+1.1");
  line("http in lower case", "9112 2.3: it has a case", {400, 505}, "GET / http/1.1");
  line("another protocol", "9112 2.3", {400, 505}, "GET / FTP/1.1");
  raw("the preface of HTTP/2", "9113 3.4; 9112 2.3", {400, 505}, closes, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  raw("a TLS greeting", "9112 3", {400}, closes, nul("\x16\x03\x01\x02@\x01@\x01\xfc\x03\x03\r\n\r\n"));
  raw("an upgrade to HTTP/2", "9110 7.8: it may be ignored", {200}, stays,
      get(board, "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAA\r\n"));
  // The request line
  line("two blanks in the line", "9112 3", {400}, "GET  / HTTP/1.1");
  line("a tab in the line", "9112 3", {400}, "GET\t/ HTTP/1.1");
  line("a blank behind the version", "9112 3", {400, 505}, "GET / HTTP/1.1 ");
  line("a blank in the target", "9112 3.2", {400, 505}, "GET /a b HTTP/1.1");
  line("a carriage return in the line", "9112 2.2", {400}, "GET /a\rb HTTP/1.1");
  line("NUL in the target", "3986 2", {400}, nul("GET /a@b HTTP/1.1"));
  line("a tab in the target", "3986 2", {400}, "GET /a\tb HTTP/1.1");
  line("DEL in the target", "3986 2", {400},
       "GET /a\x7f"
       "b HTTP/1.1");
  raw("a line that ends with a line feed", "9112 2.2", {400, 505}, closes, "GET / HTTP/1.1\n" + host + "\r\n");
  raw("empty lines before the line", "9112 2.2", {200}, stays, "\r\n\r\n" + get(board));
  raw("a line feed before the line", "9112 2.2", {400}, closes, "\n" + get(board));
  // Targets
  line("a star for GET", "9112 3.2.4", {400}, "GET * HTTP/1.1", stays);
  line("a star for OPTIONS", "9112 3.2.4", {200, 204}, "OPTIONS * HTTP/1.1", stays);
  line("an authority for GET", "9112 3.2.3", {400}, "GET a:80 HTTP/1.1", stays);
  line("a whole address", "9112 3.2.2", {200}, "GET http://a" + board + " HTTP/1.1", stays);
  line("a whole address of another host", "9112 3.2.2: Host is ignored then", {200},
       "GET http://b:1" + board + " HTTP/1.1", stays);
  line("an address without a host", "9110 4.2.1", {400}, "GET http://" + board + " HTTP/1.1", stays);
  line("an address with a user", "9110 4.2.4", {400}, "GET http://me@a" + board + " HTTP/1.1", stays);
  line("an address with a bad port", "3986 3.2.3", {400}, "GET http://a:x" + board + " HTTP/1.1", stays);
  line("an address of another scheme", "9112 3.2.2", {400}, "GET gopher://a" + board + " HTTP/1.1", stays);
  line("a target without a slash", "9112 3.2.1", {400}, "GET api/v2 HTTP/1.1", stays);
  line("a backslash for a slash", "3986 2", {400, 404}, "GET \\api\\v2 HTTP/1.1", stays);
  line("a long target", "9110 15.5.15", {414}, "GET /" + std::string(8192, 'a') + " HTTP/1.1");
  line("the longest target", "9110 15.5.15", {404}, "GET /" + std::string(8191, 'a') + " HTTP/1.1", stays);
  line("a target longer than a header", "9110 15.5.15", {414, 431}, "GET /" + std::string(50'000, 'a') + " HTTP/1.1");
  const auto path = [&](const char* name, std::vector<int> status, const std::string& target,
                        const char* rule = "3986 2.1") { raw(name, rule, std::move(status), stays, get(target)); };
  path("a fragment", {400}, board + "#x", "9112 3.2; 3986 3.5");
  path("a path that climbs", {404}, "/api/v2/../../etc/passwd", "3986 5.2.4");
  path("a path that climbs back", {404}, "/api/v2/x/../internal/listings", "3986 5.2.4");
  path("a path that climbs, encoded", {404}, "/api/v2/%2e%2e/%2e%2e/etc/passwd", "3986 6.2.2");
  path("a path that climbs by a username", {200, 404}, board + "/..%2f..%2fetc%2fpasswd", "3986 2.2");
  path("two slashes", {404}, "/" + board, "3986 3.3");
  path("a slash at the end", {200}, board + "/", "3986 3.3");
  path("an encoded slash for one", {404}, "/api%2Fv2/internal/listings", "3986 2.2");
  path("a percent sign alone", {400}, board + "/%");
  path("a percent sign and one digit", {400}, board + "/%4");
  path("a percent sign before letters", {400}, board + "/%zz");
  path("the percent form of scripts", {400}, board + "/%u0041");
  path("NUL in a path", {400}, board + "/a%00b");
  path("line ends in a path", {400}, board + "/a%0d%0aX:%20y");
  path("an overlong slash", {400}, board + "/%c0%af", "3629 3");
  path("an overlong NUL", {400}, board + "/%c0%80", "3629 3");
  path("half a surrogate pair", {400}, board + "/%ed%a0%80", "3629 3");
  path("a code point past the last", {400}, board + "/%f4%90%80%80", "3629 3");
  path("a byte of no character", {400}, board + "/%ff", "3629 3");
  path("half a character", {400}, board + "/%c3", "3629 3");
  path("raw bytes of no character", {400}, board + "/\xff\xfe", "3986 2");
  path("raw UTF-8", {200, 400}, board + "/\xC3\xA9", "3986 2: to be encoded");
  path("a character twice encoded", {200}, board + "/%2500", "3986 2.4");
  path("NUL in a query", {400}, board + "?x=%00");
  path("NUL in a parameter's name", {400}, board + "?%00=1");
  path("a byte of no character in a query", {400}, board + "?%ff=1", "3629 3");
  path("more parameters than allowed", {400}, board + "?" + times(257, "a=1&"), "9110 15.5.1");
}

void fields(hostile_cases& out) {
  const auto raw = [&](const char* name, const char* rule, std::vector<int> status, hostile_case::after then,
                       const std::string& header) {
    out.push_back({name, rule, std::move(status), then, "GET " + board + " HTTP/1.1\r\n" + header + "\r\n"});
  };
  const auto bad_host = [&](const char* name, const std::string& header) {
    raw(name, "9112 3.2; 9110 7.2", {400}, closes, header);
  };
  bad_host("no Host", "");
  bad_host("two Hosts", host + "Host: b\r\n");
  bad_host("the same Host twice", host + host);
  for (const auto* text :
       {"",       "a/b", "a b", "me@a", "a, b", ":80",  "a:65536",  "a:-1",     "a:http", "a:80:80", "[::1",
        "[::1]x", "[]",  "[g]", "a?b",  "a#b",  "a\\b", "http://a", "\xC3\xA9", "a%00",   "a\tb",    "<a>"})
    bad_host(("the Host <" + std::string{text} + ">").c_str(), "Host: " + std::string{text} + "\r\n");
  bad_host("a Host of 400 bytes", "Host: " + std::string(400, 'a') + "\r\n");
  bad_host("a blank before Host's colon", "Host : a\r\n");
  bad_host("NUL in Host", nul("Host: a@b\r\n"));
  raw("an address of IPv6 as Host", "3986 3.2.2", {200}, stays, "Host: [::1]:8080\r\n");
  raw("an address with a port as Host", "3986 3.2.2", {200}, stays, "Host: 127.0.0.1:1\r\n");
  out.push_back({"no Host in HTTP/1.0", "9112 3.2", {200}, stays, "GET " + board + " HTTP/1.0\r\n\r\n"});
  out.push_back({"an expectation in HTTP/1.0",
                 "9110 10.1.1: ignored",
                 {200},
                 stays,
                 "GET " + board + " HTTP/1.0\r\nExpect: 200-ok\r\n\r\n"});
  const auto bad = [&](const char* name, const char* rule, const std::string& header) {
    raw(name, rule, {400}, closes, host + header);
  };
  bad("a field without a colon", "9112 5", "nonsense\r\n");
  bad("a field without a name", "9112 5", ": x\r\n");
  bad("a blank in a name", "9110 5.1", "X Y: z\r\n");
  bad("a bracket in a name", "9110 5.1", "X(Y): z\r\n");
  bad("a high byte in a name", "9110 5.1", "X\xC3\xA9: z\r\n");
  bad("NUL in a name", "9110 5.1", nul("X@Y: z\r\n"));
  bad("NUL in a value", "9110 5.5", nul("X: a@b\r\n"));
  bad("a bell in a value", "9110 5.5",
      "X: a\x07"
      "b\r\n");
  bad("a bare carriage return in a value", "9112 2.2", "X: a\rY: b\r\n");
  bad("a bare line feed in a value", "9112 2.2", "X: a\nY: b\r\n");
  raw("a folded line before the first field", "9112 2.2, 5.2", {400}, closes, " X: a\r\n" + host);
  raw("a folded value", "9112 5.2: refuse, or read it as a blank", {200, 400}, stays, host + "X: a\r\n b\r\n");
  raw("high bytes in a value", "9110 5.5", {200}, stays, host + "X: \xC3\xA9\xFF\r\n");
  raw("101 fields", "6585 5", {431}, closes, host + times(100, "X: y\r\n"));
  raw("100 fields", "6585 5", {200}, stays, host + times(99, "X: y\r\n"));
  raw("a field of 20 kB", "6585 5", {431}, closes, host + "X: " + std::string(20'000, 'x') + "\r\n");
  raw("fields of 20 kB together", "6585 5", {431}, closes, host + times(20, "X: " + std::string(1000, 'x') + "\r\n"));
  raw("small fields without end", "6585 5", {431}, closes, host + times(500'000, "X: y\r\n"));
  raw("a name of 20 kB", "6585 5", {431}, closes, host + std::string(20'000, 'x') + ": x\r\n");
  raw("a header without end", "6585 5", {431}, closes, host + "X: " + std::string(200'000, 'x'));
  raw("folds of 20 kB", "6585 5", {400, 431}, closes, host + "X: a\r\n" + times(2000, " bbbbbbb\r\n"));
  raw("a bad request id", "9110 5.5: replaced", {200}, stays, host + "X-Request-Id: \"><script>\r\n");
  raw("a range that is none", "9110 14.2: ignored", {200}, stays, host + "Range: bytes=-1,9-1,x\r\n");
  raw("a date that is none", "9110 13.1.3: ignored", {200}, stays, host + "If-Modified-Since: yesterday\r\n");
  raw("addresses of others", "9110 7.6.3: not believed", {200}, stays,
      host + "X-Forwarded-For: ' OR 1=1\r\nForwarded: for=\"\r\n");

  raw("JSON refused", "9110 12.5.1", {406}, stays, host + "Accept: application/json;q=0, */*\r\n");
  raw("everything refused", "9110 12.5.1", {406}, stays, host + "Accept: */*;q=0.000\r\n");
  raw("another type wanted", "9110 12.5.1", {406}, stays, host + "Accept: text/html\r\n");
  raw("a type and the rest wanted", "9110 12.5.1", {200}, stays, host + "Accept: text/html, */*;q=0.1\r\n");
  raw("nonsense wanted", "9110 12.5.1", {406, 200}, stays, host + "Accept: ;;;,,q=,/;=\r\n");
  raw("thousands of types wanted", "9110 12.5.1", {406}, stays,
      host + "Accept: " + times(1500, "a/b;q=1,") + "c/d\r\n");
  raw("codings of answers not known", "9110 12.5.3", {200}, stays, host + "Accept-Encoding: br;q=9, nonsense\r\n");
  out.push_back(
    {"a body with GET", "9110 9.3.1: it means nothing", {200}, stays, get(board, "Content-Length: 5\r\n") + "GET /"});
  out.push_back({"a body with HEAD",
                 "9110 9.3.2",
                 {200},
                 stays,
                 "HEAD " + board + " HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\r\nGET /"});
}

void media(hostile_cases& out, hostile_material& from) {
  const std::string json = "Content-Type: application/json\r\n";
  const auto vote = [&](const char* name, const char* rule, std::vector<int> status, hostile_case::after then,
                        const std::string& more) {
    out.push_back({name, rule, std::move(status), then, from.vote(more, good_vote)});
  };
  vote("no type", "9110 8.3", {415}, stays, "");
  for (const auto* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                           "application/jsonx", "application", "application/", "/json", "", ";",
                           "application/json, text/html", "text/html;application/json", "\"application/json\"", "*/*"})
    vote(("the type <" + std::string{type} + ">").c_str(), "9110 15.5.16", {415}, stays,
         "Content-Type: " + std::string{type} + "\r\n");
  vote("JSON with a parameter", "8259 11", {200}, stays, "Content-Type: Application/JSON ; charset=utf-8\r\n");
  vote("two types, JSON first", "9110 8.3", {400, 415}, stays, json + "Content-Type: text/html\r\n");
  vote("two types, JSON last", "9110 8.3", {400, 415}, stays, "Content-Type: text/html\r\n" + json);
  for (const auto* coding : {"gzip", "deflate", "br", "x", "gzip, gzip"})
    vote(("a body in <" + std::string{coding} + ">").c_str(), "9110 8.4, 15.5.16", {415}, closes,
         json + "Content-Encoding: " + coding + "\r\n");
  vote("another expectation", "9110 10.1.1", {417}, closes, json + "Expect: 200-ok\r\n");
  vote("two expectations", "9110 10.1.1", {417}, closes, json + "Expect: 100-continue, x\r\n");
  vote("an expectation in two fields", "9110 10.1.1", {417}, closes, json + "Expect: 100-continue\r\nExpect: x\r\n");
  vote("a body that was to wait", "9110 10.1.1", {200}, stays, json + "Expect: 100-continue\r\n");
  vote("another method by a field", "9110 9: fields do not change it", {200}, stays,
       json + "X-HTTP-Method-Override: DELETE\r\n");
}

void values(hostile_cases& out) {
  const auto query = [&](const std::string& target, int status = 400) {
    out.push_back({"the query " + target.substr(0, 80), "spec, limits; 9110 15.5.1", {status}, stays, get(target)});
  };
  for (const auto* name : {"limit", "offset"})
    for (const auto* value : each_of("-1", "2147483648", "9223372036854775807", "9223372036854775808",
                                     "-9223372036854775809", "1e3", "1.0", "NaN", "Infinity", "0x10", "+1", "%2B1",
                                     "01", "%201", "1%20", "null", "true", "1%00", "\xD9\xA1", "1;2", "[1]"))
      query(voters + "?" + name + "=" + value);
  for (const auto* absent : {"limit", "offset", "scope"}) // a parameter without a value
    query(voters + "?" + absent + "=", 200);
  query(voters + "?limit=101");
  query(voters + "?limit=1&limit=2");
  query(voters + "?limit=" + std::string(5000, '9'));
  query(voters + "?offset=2147483647", 200);
  query(voters + "?scope=everything");
  query(voters + "?scope=global&scope=global");
  query(voters + "?scope=period&year=NaN&period=1");
  query(voters + "?scope=period&year=2026&period=9007199254740992");
  query(voters + "?scope=period");
  query(voters + "?scope=period&year=2026");
  query(voters + "?scope=global-dates&startDate=2026-01-01");
  query(voters + "?scope=period&year=9007199254740991&period=9007199254740991", 404);
  query(voters + "?scope=period&year=-9007199254740991&period=-1", 404);
  for (const auto* date :
       {"0", "now", "2026-13-01", "2026-02-30", "2026-1-1", "99999-01-01", "-2026-01-01", "2026-01-01T25:00:00Z",
        "2026-01-01T00:00:00", "2026-01-01T00:00:00+99:99", "2026-01-01'--", "%32%30"})
    query(voters + "?scope=global-dates&endDate=2026-02-01&startDate=" + date);
  query(voters + "?scope=global-dates&startDate=2026-02-01&endDate=2026-01-01");
  query(voters + "?scope=global-dates&startDate=0000-01-01&endDate=9999-12-31", 200);
  query(voters + "?orderBy=score;drop");
  query(voters + "?orderDirection=DESC");
  query(voters + "?sentiment=neutral");
  const std::string bulk = "/api/v2/projects/votes/bulk-totals";
  query(bulk);
  query(bulk + "?projectId=1");
  query(bulk + "?projectId=1&profileIds=");
  query(bulk + "?projectId=1&profileIds=,");
  query(bulk + "?projectId=1&profileIds=0");
  query(bulk + "?projectId=1&profileIds=1,2147483648");
  query(bulk + "?projectId=1&profileIds=" + times(100, "1,") + "1");
  query(bulk + "?projectId=0&profileIds=1");
  query(bulk + "?projectId=1&projectId=1&profileIds=1");
  const std::string chart = "/api/v2/projects/1/chart";
  query(chart + "?bucket=1");
  query(chart + "?bucket=2%20days");
  query(chart + "?scope=global&bucket=1%20minute");
  query(chart + "?bucket=1+minute&scope=global-dates&startDate=0000-01-01&endDate=9999-12-31");
  query(chart + "?scope=global-dates&startDate=0000-01-01&endDate=9999-12-31");
  query(board + "?deltaWindows=1,2,3,4,5,6");
  query(board + "?topMoversDays=0");
  query(board + "?topMoversDays=91");
  query(board + "?sparklineDays=0");
  query(board + "?sparklineDays=91");
  query(board + "?limit=1.5");
  for (const auto* id :
       {"0", "-1", "2147483648", "99999999999999999999", "1.0", "1e1", "%31%00", "NaN", "%20", "01", "+1", "1%20"})
    query("/api/v2/projects/" + std::string{id} + "/voters");
  query("/api/v2/projects//voters", 404);
  query("/api/v2/projects/2147483647/voters", 404);
}

} // namespace

hostile_cases request_cases(hostile_material& from) {
  hostile_cases out;
  lines(out);
  fields(out);
  media(out, from);
  values(out);
  return out;
}

} // namespace credence::test
