// What names a person: userkeys, addresses, accounts, usernames, lists of them in a body.
#include "http/call/userkey.hpp"
#include "auth/address.hpp"
#include "config/limits.hpp"
#include "http/api/people/questions.hpp"
#include "http/call/json_body.hpp"
#include "tests/fuzz/claim.hpp"

#include <algorithm>

namespace {

using credence::fuzz::claim;
using credence::fuzz::is_utf8;
using namespace credence;
using namespace credence::http;
using people::lookup_key;
using form = lookup_key::form;

/// What may reach storage for each form.
void check_key(const lookup_key& key) {
  const bool numbered = key.how == form::user || key.how == form::profile;
  claim(numbered == (key.number > 0) && numbered == key.text.empty(), "a key has a number or a text");
  if (key.how == form::address || key.how == form::embedded_wallet)
    return claim(key.text.size() == 20, "an address has twenty bytes");
  claim(key.text.find('\0') == std::string::npos, "text can be stored");
  if (key.how == form::x_handle)
    claim(key.text.size() <= limits::handle_length_max, "a handle is within its bounds");
  if (key.how == form::account || key.how == form::x_account_or_handle)
    claim(key.text.size() <= limits::account_id_length_max, "an account is within its bounds");
  if (key.how == form::username)
    claim(key.text.size() <= 4 * limits::username_length_max, "a username is within its bounds");
}

/// The key written again, or nothing for forms that a userkey does not have.
std::string written(const lookup_key& key) {
  if (key.how == form::profile)
    return "profileId:" + std::to_string(key.number);
  if (key.how == form::x_handle)
    return "service:x.com:username:" + key.text;
  if (key.how == form::account)
    return "service:" + std::string{people::name_of(key.service)} + ":" + key.text;
  credence::address address;
  std::transform(key.text.begin(), key.text.end(), address.bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return "address:" + auth::checksummed_text(address);
}

bool check_outcome(const outcome<lookup_key>& read, bool text_is_good) {
  if (read) {
    check_key(*read);
    return true;
  }
  claim(read.why().code == refusal_code::invalid_input && !read.why().detail.empty(), "what is wrong is named");
  claim(!text_is_good || is_utf8(read.why().detail), "what is wrong can be told");
  return false;
}

void check_lists(std::string_view body) {
  static const query_map none;
  for (const auto parse : {&parse_userkey, &parse_address_key, &parse_x_account}) {
    parameters from{none};
    const auto keys = v2::read_keys(from, body, "keys", parse);
    claim(keys.texts.size() == keys.keys.size() && keys.keys.size() <= limits::bulk_keys_max, "a list is bounded");
    if (!from.good())
      for (const auto& issue : from.why().issues)
        claim(is_utf8(issue), "what is wrong with a list can be told");
  }
  parameters from{none};
  for (const auto& key : v2::read_ids(from, body, "keys", form::user))
    check_key(key);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const bool good = is_utf8(text);
  const auto key = parse_userkey(text);
  if (check_outcome(key, good)) {
    const auto again = parse_userkey(written(*key));
    claim(again && *again == *key, "a key that is written is read as the same key");
  }
  if (check_outcome(parse_address_key(text), good))
    claim(text.size() == 42, "an address has 42 characters");
  check_outcome(parse_embedded_wallet(text), good);
  check_outcome(parse_x_account(text), good);
  if (good)
    check_outcome(parse_username(text), good);
  for (std::size_t i = 0; i < people::service_names.size(); ++i)
    check_outcome(parse_account(static_cast<people::account_service>(i), text), good);
  check_lists(text);
  return 0;
}
