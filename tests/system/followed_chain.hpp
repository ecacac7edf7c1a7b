#pragma once

#include "tests/system/lying_node.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

namespace credence::test {

/// The contracts that are followed.
inline const std::string profiles = evm_node::contract(1);
inline const std::string reviews = evm_node::contract(2);

/// Flags of a server that follows them by the nodes at these URLs, with commas between them. Rights rest on every block
/// there is.
std::vector<std::string> flags_for(const std::string& urls);
/// The same for nodes that are let hang: two seconds are enough for an answer.
std::vector<std::string> hasty_flags_for(const std::string& urls);

chain::event joined(int profile);

/// A server that follows a node's chain.
struct followed_chain : testing::Test {
  followed_chain() = default;
  /// `more`: further flags of anvil.
  explicit followed_chain(std::vector<std::string> more) : node(std::move(more)) {}
  void start() { own.start(flags_for(node.url())); }
  void start_by(const std::vector<std::string>& flags) {
    flags_ = flags;
    own.start(flags_);
  }

  /// Waits until what `pointer` leads to in the chain's status is that.
  bool status_becomes(const std::string& pointer, const std::string& value,
                      std::chrono::seconds timeout = wait_at_most);
  bool reaches_head(std::chrono::seconds timeout = wait_at_most);
  /// Starts it, and waits until it is there.
  bool follows() {
    start();
    return reaches_head();
  }
  /// Waits until the tip is the node's newest block itself, and no other of its height.
  bool stands_at_head(std::chrono::seconds timeout = wait_at_most);
  std::string status() { return own.client().get("/api/v2/chain/status").body; }
  http_response process(const std::string& tx) {
    return own.client().get("/api/v1/events/process?txHash=" + tx, own.token(1));
  }
  http_response processed(const std::string& tx, int timeout_ms = 1000) {
    return own.client().get("/api/v2/transactions/" + tx + "/processed?timeoutMs=" + std::to_string(timeout_ms),
                            own.token(1));
  }
  std::int64_t number(const std::string& sql);
  std::int64_t how_many(const std::string& from) { return number("SELECT count(*) FROM " + from); }
  std::int64_t stored() { return how_many("chain_events"); }
  /// The value of a metric, named with its labels; -1 where it is not there.
  std::int64_t metric(const std::string& name);
  /// Waits until it is that.
  bool metric_becomes(const std::string& name, std::int64_t value);
  /// Waits until that is what the statement finds.
  bool becomes(const std::string& sql, const std::string& value);
  std::int64_t reviews_stored() { return how_many("reviews WHERE source = 'chain'"); }
  void verify();
  /// That, and what is stored is what the events fold to, by the flags that it was started by.
  void expect_whole();
  /// Every log that the node has of the contracts is stored once, in order, as the node has it, and nothing else is.
  void expect_stored_is_the_chain(const std::vector<std::string>& contracts = {profiles, reviews});

  evm_node node;
  service own;
  std::vector<std::string> flags_;
};

/// The same through somebody who may change what the node says.
struct followed_behind_a_liar : followed_chain {
  void start_behind() { own.start(flags_for(liar.url())); }
  bool follows_behind() {
    start_behind();
    return reaches_head();
  }
  /// A block with two events.
  void two_events();
  /// Nothing of what was told has left a trace.
  void expect_no_trace();

  lying_node liar{node};
  int profile = 0; // the last one of the events
};

} // namespace credence::test
