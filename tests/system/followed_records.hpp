#pragma once

#include "tests/actors/chain/fold_world.hpp"
#include "tests/system/followed_chain.hpp"

namespace credence::test {

/// Kinds of records that the tests' servers make of events.
inline const std::string followed_kinds = "identity,review,vote,reply,slash";
/// What the contracts count comes behind the ids of the demo.
inline constexpr int ids_behind = 1000;
inline std::string our_id(int onchain) { return std::to_string(ids_behind + onchain); }

/// Who appears in events; of nobody in the demo.
inline address person(int number) {
  auto out = chain::samples::address_of(static_cast<unsigned char>(number));
  out.bytes[18] = static_cast<std::byte>(number >> 8);
  return out;
}
inline std::string text_of(const address& of) { return lower_text(of); }

// Events that most tests need.
chain::event joined(int profile, const address& with);
chain::event claimed(int profile, const address& which);
chain::event attested(int number, int profile, const std::string& account);
chain::event reviewed(int number, const address& author, const address& subject,
                      chain::review_score score = chain::review_score::positive);
chain::event voted(int number, int voter, int review, bool up = true);
/// For 200 points, by a profile about an address, from then on for so many seconds.
chain::event slashed(int number, int author, const address& subject, std::int64_t from, std::int64_t seconds);

/// A server that makes records of the events of a node's chain, all of kinds that are followed.
struct followed_records : followed_chain {
  /// What a test has beside what most tests have.
  struct beside {
    std::vector<chain::contract_kind> contracts = {};
    std::string kinds = {};             // such as ",market"
    std::vector<std::string> node = {}; // flags of anvil
  };
  followed_records() : followed_records(beside{}) {}
  explicit followed_records(const beside& more);

  std::vector<std::string> flags(const std::string& url) const;
  void start() { own.start(flags(node.url())); }
  bool follows() {
    start();
    return reaches_head();
  }
  /// The contract that emits such events; those of every contract come from that of profiles.
  static std::string contract_of(const chain::event& of);
  std::string emit(const chain::event& event) { return node.emit(contract_of(event), event); }
  /// All in one block.
  std::vector<std::string> emit_together(const std::vector<chain::event>& events);

  http_response get(const std::string& path) { return own.client().get(path); }
  /// What `pointer` leads to in the answer, as JSON; the status where that is none of success, "nothing" where there is
  /// no such thing in the answer.
  std::string seen(const std::string& path, const std::string& pointer);
  /// The same of a person, such as `profileId:1001`.
  std::string of_person(const std::string& userkey, const std::string& pointer) {
    return seen("/api/v2/internal/users/" + userkey, pointer);
  }
  std::string of_profile(int profile, const std::string& pointer) {
    return of_person("profileId:" + our_id(profile), pointer);
  }
  /// Waits until that is seen.
  bool becomes(const std::string& path, const std::string& pointer, const std::string& value);
  /// What is stored is what the events fold to, and what the server promises.
  void expect_whole();
  /// That, and `verify` finds nothing.
  void expect_kept() {
    expect_whole();
    verify();
  }
  /// Takes so many blocks back; empty ones come in their place, with these events in the first of them.
  void reorganise(int blocks, const std::vector<chain::event>& instead = {});
  /// Every event of the followed contracts is stored once, as the node has it.
  void expect_stored_is_the_chain();

private:
  std::vector<chain::contract_kind> contracts_;
  std::string kinds_;
};

} // namespace credence::test
