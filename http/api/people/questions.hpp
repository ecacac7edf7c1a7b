#pragma once

#include "actors/people/lookup_types.hpp"
#include "http/call/parameters.hpp"

#include <string>
#include <string_view>
#include <vector>

/// From the wire to questions about people (docs/api/people.md). Every reader adds what is
/// wrong to the parameters' mistakes; what it returns counts only when there are none.
namespace credence::http::v2 {

/// Reads one key from text, such as `parse_userkey`.
using key_parser = outcome<people::lookup_key> (*)(std::string_view);

/// Keys from a body, each with the text it was given as.
struct named_keys {
  std::vector<std::string> texts;
  std::vector<people::lookup_key> keys;
};

/// The key in the query's parameter `name`, which is required.
people::lookup_key read_key(parameters& from, std::string_view name, key_parser parse);
/// The keys in the list `name` of a body, or without it in `other_name`: at most `limits::bulk_keys_max` strings.
named_keys read_keys(parameters& from, std::string_view body, std::string_view name, key_parser parse,
                     std::string_view other_name = {});
/// The same for a list of ids.
std::vector<people::lookup_key> read_ids(parameters& from, std::string_view body, std::string_view name,
                                         people::lookup_key::form how);
/// `query` of 2 to 100 characters, `userKeyType`, `limit` 0..50 (default 50), `offset`.
people::search_people read_search(parameters& from);

} // namespace credence::http::v2
