#include "tests/system/followed_records.hpp"

#include <simdjson.h>

namespace credence::test {

using namespace chain;

namespace {

constexpr std::array followed_contracts{contract_kind::profile, contract_kind::attestation, contract_kind::review,
                                        contract_kind::vote,    contract_kind::discussion,  contract_kind::slash};

std::string address_text(contract_kind of) { return lower_text(fold_world::contract_of(of)); }

} // namespace

event joined(int profile, const address& with) { return profile_events::profile_created{{profile}, with}; }
event claimed(int profile, const address& which) {
  return profile_events::address_claim{{profile}, which, address_claim_kind::claimed};
}
event attested(int number, int profile, const std::string& account) {
  return attestation_events::attestation_created{{profile}, people::account_service::x, account, "a post", {number}};
}
event reviewed(int number, const address& author, const address& subject, review_score score) {
  return review_events::review_created{score, author, {}, subject, {number}, {0}};
}
event voted(int number, int voter, int review, bool up) {
  return vote_events::voted{up, {voter}, fold_world::contract_of(contract_kind::review), {review}, {number}};
}

event slashed(int number, int author, const address& subject, std::int64_t from, std::int64_t seconds) {
  return slash_events::slash_created{{number}, {from}, {seconds},         subject, {}, {author},
                                     {0},      200,    slash_type::score, "first", ""};
}

followed_records::followed_records(const beside& more)
  : followed_chain(more.node), contracts_(followed_contracts.begin(), followed_contracts.end()),
    kinds_(followed_kinds + more.kinds) {
  contracts_.insert(contracts_.end(), more.contracts.begin(), more.contracts.end());
  for (const auto each : contracts_)
    node.put_contract(address_text(each));
}

std::vector<std::string> followed_records::flags(const std::string& url) const {
  auto out = flags_for(url);
  std::string contracts;
  for (const auto each : contracts_)
    contracts += (contracts.empty() ? "" : ",") + std::string{name_of(each)} + "=" + address_text(each);
  out[7] = contracts;
  out.insert(out.end(), {"--chain-kinds", kinds_, "--chain-id-offset", std::to_string(ids_behind)});
  return out;
}

std::string followed_records::contract_of(const event& of) {
  const auto kind = visit([]<class E>(const E&) { return E::is.contract; }, of);
  return address_text(kind == contract_kind::any ? contract_kind::profile : kind);
}

std::vector<std::string> followed_records::emit_together(const std::vector<event>& events) {
  std::vector<std::pair<std::string, log_content>> logs;
  for (const auto& each : events)
    logs.emplace_back(contract_of(each), encode_log(each));
  return node.emit_together(logs);
}

std::string followed_records::seen(const std::string& path, const std::string& pointer) {
  const auto answer = get(path);
  if (answer.status != 200)
    return std::to_string(answer.status);
  simdjson::dom::parser parser;
  simdjson::dom::element found;
  return parser.parse(without_large_numbers(answer.body)).at_pointer(pointer).get(found) == simdjson::SUCCESS
           ? simdjson::to_string(found)
           : "nothing";
}

bool followed_records::becomes(const std::string& path, const std::string& pointer, const std::string& value) {
  std::string last;
  const bool good = comes_true([&] { return (last = seen(path, pointer)) == value; });
  if (!good)
    ADD_FAILURE() << path << " " << pointer << " is " << last << ", not " << value;
  return good;
}

void followed_records::expect_whole() {
  std::vector<std::string> words{"chain", "replay", "--check"};
  const auto more = flags(node.url());
  words.insert(words.end(), more.begin(), more.end());
  EXPECT_TRUE(ended(own.command(words), 0));
}

void followed_records::expect_stored_is_the_chain() {
  std::vector<std::string> contracts;
  for (const auto each : contracts_)
    contracts.push_back(address_text(each));
  followed_chain::expect_stored_is_the_chain(contracts);
}

void followed_records::reorganise(int blocks, const std::vector<event>& instead) {
  std::vector<std::pair<std::string, log_content>> logs;
  for (const auto& each : instead)
    logs.emplace_back(contract_of(each), encode_log(each));
  node.reorganise(blocks, logs);
}

} // namespace credence::test
