#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::load {

enum class scenario : std::uint8_t { constant, votes, balance, voters, listings, score, tips, trades, market };

/// A stretch of the open loop.
struct phase {
  double rate = 0; // requests per second
  double seconds = 0;
};

struct options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;
  unsigned connections = 64;
  unsigned threads = 1;
  double seconds = 10;
  double warmup = 0;              // seconds, before those that are measured
  std::int64_t requests_most = 0; // 0: no bound
  std::vector<phase> phases;      // of the open loop, one after another; none: closed loop
  double timeout = 0;             // seconds a due request waits for a free connection; 0: for ever
  scenario kind = scenario::constant;
  std::string path = "/api/v2/healthcheck"; // of constant
  std::vector<std::int32_t> projects{1};
  std::int64_t profiles_most = 0; // of the tokens file; 0: all
  std::int32_t limit = 50;
  std::uint64_t start_pair = 0;
  bool wrap = false; // begin again when every pair was used
  std::string advance_token;
  std::vector<std::pair<std::int32_t, std::string>> tokens;
  bool keys = false;      // the tokens are API keys
  bool gzip = false;      // answers may be packed
  std::string idempotent; // votes come with an Idempotency-Key each, which begins with this; empty: without
};

inline constexpr std::string_view scenarios_text = R"(what is asked:
constant   GET of one --path            votes     each (profile, project) pair at most once
balance    each profile's vote balance  voters    a page of --limit voters of the projects
listings   a page of --limit listings   score     by x.com account, of the first --profiles [1000] demo profiles
tips       1 XP from one of --tokens to another
trades     one vote bought on a market of --projects       market    one of these, as v1 shows it)";

[[noreturn]] inline void give_up(const std::string& why, int code = 2) {
  std::cerr << "credence_load: " << why << "\n";
  std::exit(code);
}

template <class T>
T number(std::string_view name, const std::string& text, T low, T high = std::numeric_limits<T>::max()) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    give_up(std::string{name} + ": '" + text + "' is not a number in its range");
  return value;
}

/// `1-12,14,20-30`
inline std::vector<std::int32_t> id_list(std::string_view name, const std::string& text) {
  std::vector<std::int32_t> out;
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    const auto part = text.substr(from, comma - from);
    const auto dash = part.find('-');
    const auto first = number<std::int32_t>(name, part.substr(0, dash), 1);
    const auto last = dash == std::string::npos ? first : number<std::int32_t>(name, part.substr(dash + 1), first);
    for (std::int64_t id = first; id <= last; ++id)
      out.push_back(static_cast<std::int32_t>(id));
    from = comma + 1;
  }
  return out;
}

/// `5000:10,2500:3`
inline std::vector<phase> phase_list(std::string_view name, const std::string& text) {
  constexpr double seconds_most = 3600; // each has its tally
  std::vector<phase> out;
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    const auto part = text.substr(from, comma - from);
    const auto colon = part.find(':');
    if (colon == std::string::npos)
      give_up(std::string{name} + ": '" + part + "' is not RATE:SECONDS");
    out.push_back({number<double>(name, part.substr(0, colon), 0.01, 1e8),
                   number<double>(name, part.substr(colon + 1), 0.01, seconds_most)});
    from = comma + 1;
  }
  return out;
}

inline void read_tokens(const std::string& file, std::vector<std::pair<std::int32_t, std::string>>& to) {
  std::ifstream in{file};
  if (!in)
    give_up("cannot read " + file);
  for (std::string line; std::getline(in, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos)
      give_up(file + ": a line is not `profileId<TAB>token`");
    to.emplace_back(number<std::int32_t>(file, line.substr(0, tab), 1), line.substr(tab + 1));
  }
}

inline std::string first_line(const std::string& file) {
  std::ifstream in{file};
  std::string line;
  if (!std::getline(in, line))
    give_up("cannot read " + file);
  return line;
}

inline const std::map<std::string, scenario> scenarios{
  {"constant", scenario::constant}, {"votes", scenario::votes},   {"balance", scenario::balance},
  {"voters", scenario::voters},     {"score", scenario::score},   {"tips", scenario::tips},
  {"trades", scenario::trades},     {"market", scenario::market}, {"listings", scenario::listings},
};

/// Whether a scenario acts for profiles.
inline bool needs_tokens(scenario kind) {
  return kind == scenario::votes || kind == scenario::balance || kind == scenario::tips || kind == scenario::trades;
}

/// The options that a command line gives. Ends the program with a message where they are wrong, and after --help.
inline options read_options(int argc, char** argv) {
  options out;
  double rate = 0, timeout_ms = 0;
  std::string projects, rates, tokens_file, keys_file, advance_file;
  CLI::App app{"credence_load: a load generator for one HTTP/1.1 server"};
  app.add_option("scenario", out.kind, std::string{scenarios_text})
    ->required()
    ->transform(CLI::CheckedTransformer(scenarios).description(""));
  app.add_option("--host", out.host, "where to, an IPv4 address [127.0.0.1]");
  app.add_option("--port", out.port, "and its port [8080]")->check(CLI::Range(1, 65535));
  app.add_option("--connections", out.connections, "kept alive [64]")->check(CLI::Range(1, 60000));
  app.add_option("--threads", out.threads, "of the generator [1]")->check(CLI::Range(1, 64));
  auto* seconds = app.add_option("--seconds", out.seconds, "length [10]")->check(CLI::Range(0.01, 1e6));
  auto* requests = app.add_option("--requests", out.requests_most, "so many instead")->check(CLI::PositiveNumber);
  app.add_option("--warmup", out.warmup, "seconds before it is measured [0]")->check(CLI::Range(0.0, 1e6));
  auto* steady =
    app
      .add_option("--rate", rate,
                  "open loop: so many requests a second on a fixed schedule, latency counted from the moment a request "
                  "was due; without it every connection asks as fast as it is answered")
      ->check(CLI::Range(0.01, 1e8));
  app
    .add_option("--rates", rates,
                "R:S[,R:S…]: the same at rate R for S seconds, then at the next rate. What became of every phase, "
                "second by second, is told under `phases`")
    ->excludes(steady)
    ->excludes(seconds)
    ->excludes(requests);
  app
    .add_option("--patience-ms", timeout_ms,
                "a request that finds no free connection for so long is never sent (`unsent`) [waits for ever]")
    ->check(CLI::Range(0.0, 1e6));
  app.add_option("--tokens", tokens_file, "`profileId<TAB>token` lines (votes, balance, tips, trades)");
  app.add_option("--keys", keys_file, "the same with API keys");
  app.add_option("--profiles", out.profiles_most, "the first so many of them")->check(CLI::PositiveNumber);
  app.add_option("--projects,--project,--project-only", projects, "A-B[,C-D…] [1]");
  app.add_option("--limit", out.limit, "of pages [50]")->check(CLI::NonNegativeNumber);
  app.add_option("--path", out.path, "of constant [/api/v2/healthcheck]");
  app.add_option("--start-pair", out.start_pair, "first pair of a vote run: `next_pair` of the run before it");
  app.add_option("--advance-file", advance_file,
                 "admin token: when the pairs run out, let everything be answered, open the next voting period and go "
                 "on from pair 0; the pause is not measured");
  app.add_option("--idempotent", out.idempotent,
                 "votes come with an Idempotency-Key each: this, the period's turn and the pair");
  app.add_flag("--gzip", out.gzip, "ask for packed answers (Accept-Encoding: gzip)");
  app.add_flag("--wrap", out.wrap, "when the pairs run out, begin again without that (servers that do not count)");
  app.footer("One JSON object on standard output. Exit codes: 0 done, 1 failed, 2 usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  if (!projects.empty())
    out.projects = id_list("--projects", projects);
  if (!rates.empty())
    out.phases = phase_list("--rates", rates);
  if (out.requests_most > 0 && seconds->count() == 0)
    out.seconds = 1e6;
  if (!out.phases.empty()) {
    out.seconds = 0;
    for (const auto& each : out.phases)
      out.seconds += each.seconds;
  } else if (rate > 0) {
    out.phases.push_back({rate, out.seconds});
  }
  if (out.requests_most > 0 && out.warmup > 0)
    give_up("--requests and --warmup exclude each other");
  if (out.threads > out.connections)
    give_up("more threads than connections");
  out.timeout = timeout_ms / 1000;
  if (!advance_file.empty())
    out.advance_token = first_line(advance_file);
  out.keys = !keys_file.empty();
  const auto& acting = out.keys ? keys_file : tokens_file;
  if (!needs_tokens(out.kind))
    return out;
  if (acting.empty())
    give_up("this scenario needs --tokens FILE");
  read_tokens(acting, out.tokens);
  if (out.profiles_most > 0 && static_cast<std::size_t>(out.profiles_most) < out.tokens.size())
    out.tokens.resize(static_cast<std::size_t>(out.profiles_most));
  if (out.tokens.empty())
    give_up(acting + " holds no token");
  return out;
}

} // namespace credence::load
