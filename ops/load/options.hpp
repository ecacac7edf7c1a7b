#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
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
  double patience = 0;            // seconds a due request waits for a free connection; 0: for ever
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
  std::string idempotent; // votes come with an Idempotency-Key each, which begins with this; empty: without
};

inline constexpr std::string_view help_text = R"(credence_load: a load generator for one HTTP/1.1 server

  credence_load [options] constant|votes|balance|voters|listings|score|tips|trades|market

  constant   GET of one --path            votes     each (profile, project) pair at most once
  balance    each profile's vote balance  voters    a page of --limit voters of the projects
  listings   a page of --limit listings      score     by x.com account, of the first --profiles [1000] demo profiles
  tips       1 XP from one of --tokens to another
  trades     one vote bought on a market of --projects       market    one of these, as v1 shows it

  --host H --port P         where to [127.0.0.1 8080]; H is an IPv4 address
  --connections N           kept alive [64]       --threads N       of the generator [1]
  --seconds S | --requests N  length [10 s]       --warmup S        before it is measured [0]
  --rate R                  open loop: R requests a second on a fixed schedule, latency counted from the
                            moment a request was due; without it every connection asks as fast as it is answered
  --rates R:S[,R:S…]        the same at rate R for S seconds, then at the next rate; instead of --rate and --seconds.
                            What became of every phase, second by second, is told under `phases`
  --patience-ms M           a request that finds no free connection for M ms is never sent (`unsent`) [waits for ever]
  --tokens FILE             `profileId<TAB>token` lines (votes, balance, tips, trades)
  --keys FILE               the same with API keys
  --profiles N              the first N of them       --projects A-B[,C-D…]  [1]
  --project-only P          the same as --projects P  --limit N         [50]   --path P
  --start-pair K            first pair of a vote run: `next_pair` of the run before it
  --advance-file FILE       admin token: when the pairs run out, let everything be answered, open the next voting
                            period and go on from pair 0; the pause is not measured
  --idempotent PREFIX       votes come with an Idempotency-Key each: the prefix, the period's turn and the pair
  --wrap                    when the pairs run out, begin again without that (servers that do not count)

One JSON object on standard output. Exit codes: 0 done, 1 failed, 2 usage.
)";

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

/// The options as far as the command line has been read.
struct options_read {
  options out;
  bool scenario_named = false;
  double rate = 0; // of --rate; 0: not given
  bool seconds_given = false;
  std::string tokens_file;
};

/// An option that takes a value, and where its value goes; `name` is the one it was given by.
struct valued_option {
  std::string_view name;
  void (*take)(options_read& to, std::string_view name, const std::string& value);
};

inline const std::vector<valued_option>& valued_options() {
  using to = options_read&;
  using name = std::string_view;
  using value = const std::string&;
  static constexpr auto projects = [](to t, name n, value v) { t.out.projects = id_list(n, v); };
  static const std::vector<valued_option> list{
    {"--host", [](to t, name, value v) { t.out.host = v; }},
    {"--port", [](to t, name n, value v) { t.out.port = number<std::uint16_t>(n, v, 1); }},
    {"--connections", [](to t, name n, value v) { t.out.connections = number<unsigned>(n, v, 1, 60000); }},
    {"--threads", [](to t, name n, value v) { t.out.threads = number<unsigned>(n, v, 1, 64); }},
    {"--seconds",
     [](to t, name n, value v) {
       t.out.seconds = number<double>(n, v, 0.01, 1e6);
       t.seconds_given = true;
     }},
    {"--warmup", [](to t, name n, value v) { t.out.warmup = number<double>(n, v, 0, 1e6); }},
    {"--requests", [](to t, name n, value v) { t.out.requests_most = number<std::int64_t>(n, v, 1); }},
    {"--rate", [](to t, name n, value v) { t.rate = number<double>(n, v, 0.01, 1e8); }},
    {"--rates", [](to t, name n, value v) { t.out.phases = phase_list(n, v); }},
    {"--patience-ms", [](to t, name n, value v) { t.out.patience = number<double>(n, v, 0, 1e6) / 1000; }},
    {"--path", [](to t, name, value v) { t.out.path = v; }},
    {"--tokens",
     [](to t, name, value v) {
       t.out.keys = false;
       t.tokens_file = v;
     }},
    {"--keys",
     [](to t, name, value v) {
       t.out.keys = true;
       t.tokens_file = v;
     }},
    {"--profiles", [](to t, name n, value v) { t.out.profiles_most = number<std::int64_t>(n, v, 1); }},
    {"--projects", projects},
    {"--project-only", projects},
    {"--project", projects},
    {"--limit", [](to t, name n, value v) { t.out.limit = number<std::int32_t>(n, v, 0); }},
    {"--start-pair", [](to t, name n, value v) { t.out.start_pair = number<std::uint64_t>(n, v, 0); }},
    {"--idempotent", [](to t, name, value v) { t.out.idempotent = v; }},
    {"--advance-file", [](to t, name, value v) { t.out.advance_token = first_line(v); }},
  };
  return list;
}

inline constexpr std::pair<std::string_view, scenario> scenarios[] = {
  {"constant", scenario::constant}, {"votes", scenario::votes},   {"balance", scenario::balance},
  {"voters", scenario::voters},     {"score", scenario::score},   {"tips", scenario::tips},
  {"trades", scenario::trades},     {"market", scenario::market}, {"listings", scenario::listings},
};

/// Takes a word that stands alone: a scenario, or an option without a value. False when it is neither.
inline bool take_alone(options_read& to, const std::string& word) {
  if (word == "--help" || word == "-h") {
    std::cout << help_text;
    std::exit(0);
  }
  if (word == "--wrap")
    return to.out.wrap = true;
  const auto* const named =
    std::find_if(std::begin(scenarios), std::end(scenarios), [&](const auto& each) { return each.first == word; });
  if (named == std::end(scenarios))
    return false;
  to.out.kind = named->second;
  return to.scenario_named = true;
}

/// How long the run is, and at which rate.
inline void settle_length(options_read& to) {
  auto& out = to.out;
  if (out.requests_most > 0 && !to.seconds_given)
    out.seconds = 1e6;
  if (!out.phases.empty() && (to.rate > 0 || to.seconds_given || out.requests_most > 0))
    give_up("--rates says how long: neither --rate nor --seconds nor --requests go with it");
  if (!out.phases.empty()) {
    out.seconds = 0;
    for (const auto& each : out.phases)
      out.seconds += each.seconds;
  } else if (to.rate > 0) {
    out.phases.push_back({to.rate, out.seconds});
  }
  if (out.requests_most > 0 && out.warmup > 0)
    give_up("--requests and --warmup exclude each other");
}

/// Reads the tokens of a scenario that acts for profiles.
inline void settle_tokens(options_read& to) {
  auto& out = to.out;
  if (out.kind != scenario::votes && out.kind != scenario::balance && out.kind != scenario::tips
      && out.kind != scenario::trades)
    return;
  if (to.tokens_file.empty())
    give_up("this scenario needs --tokens FILE");
  read_tokens(to.tokens_file, out.tokens);
  if (out.profiles_most > 0 && static_cast<std::size_t>(out.profiles_most) < out.tokens.size())
    out.tokens.resize(static_cast<std::size_t>(out.profiles_most));
  if (out.tokens.empty())
    give_up(to.tokens_file + " holds no token");
}

/// The options that the words of a command line give. Ends the program with a message where they are wrong, and after
/// --help.
inline options read_options(const std::vector<std::string>& words) {
  options_read to;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (take_alone(to, word))
      continue;
    const auto& known = valued_options();
    const auto found =
      std::find_if(known.begin(), known.end(), [&](const valued_option& each) { return each.name == word; });
    if (found == known.end())
      give_up("'" + word + "' is not an option; see --help");
    if (i + 1 == words.size())
      give_up(word + " needs a value");
    found->take(to, word, words[++i]);
  }
  if (!to.scenario_named)
    give_up("name a scenario: constant, votes, balance, voters, listings, score, tips, trades or market");
  settle_length(to);
  if (to.out.threads > to.out.connections)
    give_up("more threads than connections");
  settle_tokens(to);
  return to.out;
}

} // namespace credence::load
