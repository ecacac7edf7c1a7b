// A request target: taken apart, decoded, and read by every reader of parameters.
#include "http/api/people/questions.hpp"
#include "http/api/projects/questions.hpp"
#include "http/call/userkey.hpp"
#include "http/server/route_table.hpp"
#include "tests/fuzz/claim.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

namespace {

using credence::fuzz::claim;
using credence::fuzz::is_utf8;
using namespace credence;
using namespace credence::http;

/// What the server's reader lets through as a target.
bool reaches_the_server(std::string_view target) {
  return std::all_of(target.begin(), target.end(), [](unsigned char c) { return c > 0x20 && c != 0x7F; });
}

std::string encoded(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const unsigned char c : text) {
    out += '%';
    out += digits[c >> 4];
    out += digits[c & 15];
  }
  return out;
}

void check_decoded(std::string_view text) {
  claim(is_utf8(text), "decoded text is UTF-8");
  for (const unsigned char c : text)
    claim(c >= 0x20 && c != 0x7F, "decoded text has no control characters");
  for (const bool plus : {false, true}) {
    const auto again = percent_decode(encoded(text), plus);
    claim(again && *again == text, "decoded text encodes and decodes to itself");
  }
}

void check_query(const query_map& query) {
  claim(query.size() <= limits::query_parameters_max, "the number of parameters is bounded");
  std::string text;
  for (const auto& [name, value] : query) {
    check_decoded(name);
    check_decoded(value);
    text += encoded(name) + '=' + encoded(value) + '&';
  }
  const auto again = decode_query(text);
  claim(again && *again == query, "a query encodes and decodes to itself");
}

/// What a reader says is wrong can be told; true when there is nothing.
bool good(const parameters& from) {
  if (from.good())
    return true;
  const auto why = from.why();
  claim(why.code == refusal_code::invalid_input && !why.issues.empty(), "what is wrong is named");
  for (const auto& issue : why.issues)
    claim(!issue.empty() && is_utf8(issue), "what is wrong can be told");
  return false;
}

void check_page(const page& slice) {
  claim(slice.limit >= 0 && slice.limit <= limits::limit_max && slice.offset >= 0, "a page is within its bounds");
}

void check_name(const period::period_name& name) {
  for (const auto& part : {name.year, name.number})
    claim(!part || std::abs(*part) <= limits::safe_integer_max, "a period's name is within its bounds");
}

void check_scope(const project::scope& scope) {
  check_name(scope.named);
  if (scope.kind == project::scope_kind::global_dates)
    claim(scope.from <= scope.to, "a range of dates does not end before it begins");
  if (scope.kind == project::scope_kind::period)
    claim(scope.named.year && scope.named.number, "a scope of one period names it");
  for (const auto when : {scope.from, scope.to})
    claim(std::chrono::abs(when.time_since_epoch()) < std::chrono::years{10000}, "a moment is within calendars");
}

template <class T>
void check_each_once(const std::vector<T>& items, std::size_t most) {
  claim(items.size() <= most && std::set<T>(items.begin(), items.end()).size() == items.size(),
        "a list is bounded and has everything once");
}

void read_votes_questions(const query_map& query, std::string_view part) {
  if (parameters from{query}; true) {
    const auto query = v2::read_voters(from, part);
    if (good(from)) {
      claim(query.project.value >= 1, "a project has an id");
      check_scope(query.in);
      check_page(query.slice);
    }
  }
  if (parameters from{query}; true) {
    const auto query = v2::read_bulk_totals(from);
    if (good(from)) {
      claim(query.project.value >= 1 && !query.voters.empty(), "totals are of a project and somebody");
      claim(std::all_of(query.voters.begin(), query.voters.end(), [](auto each) { return each.value >= 1; }),
            "a profile has an id");
      check_each_once(query.voters, limits::bulk_profile_ids_max);
      check_scope(query.in);
    }
  }
  if (parameters from{query}; true) {
    const auto query = v2::read_chart(from, part);
    if (good(from)) {
      claim(query.project.value >= 1, "a project has an id");
      check_scope(query.in);
    }
  }
  if (parameters from{query}; true) {
    const auto query = v2::read_balance(from, profile_id{7});
    if (good(from)) {
      claim(query.profile.value == 7 && (!query.project || query.project->value >= 1), "a balance is the caller's");
      check_name(query.in);
    }
  }
}

void read_listing_questions(const query_map& query, std::string_view part) {
  if (parameters from{query}; true) {
    const auto query = v2::read_listings(from);
    if (good(from)) {
      check_page(query.slice);
      check_name(query.in);
      check_each_once(query.delta_days, limits::delta_windows_max);
      claim(query.top_movers_days >= 1 && query.top_movers_days <= limits::days_max, "days are bounded");
      claim(query.sparkline_days >= 0 && query.sparkline_days <= limits::days_max, "days are bounded");
    }
  }
  if (parameters from{query}; true) {
    const auto query = v2::read_listing(from, part);
    if (good(from))
      claim(query.username == part && query.top_voters >= 0 && query.top_voters <= limits::top_voters_limit_max,
            "a listing's voters are bounded");
  }
}

void read_people_questions(const query_map& query) {
  if (parameters from{query}; true) {
    const auto query = v2::read_search(from);
    if (good(from)) {
      check_page(query.slice);
      claim(query.slice.limit <= limits::search_limit_max, "a page of people is bounded");
      claim(query.text.size() >= limits::search_query_length_min && is_utf8(query.text), "a search has a text");
    }
  }
  if (parameters from{query}; true) {
    v2::read_key(from, "userkey", &parse_userkey);
    good(from);
  }
}

void read_everything(const query_map& query, std::string_view part) {
  read_people_questions(query);
  read_votes_questions(query, part);
  read_listing_questions(query, part);
}

/// A route of the server without its handler, which nobody runs here.
constexpr route at(std::string_view path) { return {method::get, path, access::open, scope::none, nullptr}; }
constexpr route paths[] = {
#include "fuzz_paths.inc"
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const route_table table{paths};
  static route_table::match found;
  const auto target = fuzz::text_of(data, size);
  if (!reaches_the_server(target))
    return 0;
  const auto parts = split_target(target);
  if (!parts) {
    claim(is_utf8(parts.why().detail), "a refusal can be told");
    return 0;
  }
  claim(parts->path.starts_with('/') && parts->path.find_first_of("?#") == std::string_view::npos,
        "a path begins with a slash and ends before the query");
  claim(is_utf8(shown(parts->path)), "a path that leads nowhere can be told");
  table.find(parts->path, found);
  std::string part = "7";
  for (const auto& [name, value] : found.parts) {
    claim(!value.empty() && value.find('/') == std::string_view::npos, "a part is one segment");
    if (const auto decoded = percent_decode(value, false)) {
      check_decoded(*decoded);
      part = *decoded;
    }
  }
  const auto query = decode_query(parts->query);
  if (!query)
    return 0;
  check_query(*query);
  read_everything(*query, part);
  return 0;
}
