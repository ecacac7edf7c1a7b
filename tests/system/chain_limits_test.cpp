#include "tests/http/outside/range_refusals.hpp"
#include "tests/system/followed_chain.hpp"
#include "tests/waiting.hpp"

#include <chrono>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

/// What nodes do not answer because it is too much, or too soon.
namespace credence::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class LimitsOfNodes : public followed_behind_a_liar {};

/// Moments at which a node was asked for logs while it refused.
struct moments {
  std::mutex guard;
  std::vector<steady_clock::time_point> at;
  void note() {
    const std::lock_guard lock{guard};
    at.push_back(steady_clock::now());
  }
  /// Between the first two; begins anew.
  std::chrono::milliseconds take_gap() {
    const std::lock_guard lock{guard};
    const auto gap = at.size() < 2 ? 0ms : std::chrono::duration_cast<std::chrono::milliseconds>(at[1] - at[0]);
    at.clear();
    return gap;
  }
};

TEST_F(LimitsOfNodes, ANodeThatAsksForAPauseGetsIt) {
  start_behind();
  ASSERT_TRUE(reaches_head());
  const auto question = std::make_shared<moments>(); // the node may lie longer than the test goes on
  const auto expect_pause = [&](const char* name, std::chrono::milliseconds least) {
    SCOPED_TRACE(name);
    two_events();
    ASSERT_TRUE(liar.lies_reach(2));
    liar.tell_the_truth();
    EXPECT_TRUE(reaches_head());
    EXPECT_GE(question->take_gap(), least);
  };
  liar.lie_whole([question](const std::string&) {
    question->note();
    return std::optional{rpc_reply{"slow down", "429 Too Many Requests\r\nRetry-After: 2"}};
  });
  expect_pause("429", 1900ms);
  liar.lie([question](const rpc_question& one, const std::string& member) {
    if (one.method != "eth_getLogs")
      return std::optional{member};
    question->note();
    return std::optional<std::string>{R"("error":{"code":-32005,"message":"rate limited: too many requests"})"};
  });
  expect_pause("an error that speaks of rates", 900ms);
  expect_no_trace();
}

/// The blocks of a question for a range of logs; 0 for every other question, also for that about the first block alone,
/// by which a node shows that it has old logs.
std::uint64_t width_of_question(const rpc_question& question) {
  const auto from = question.params.find(R"("fromBlock":"0x)");
  const auto to = question.params.find(R"("toBlock":"0x)");
  if (question.method != "eth_getLogs" || from == std::string::npos || to == std::string::npos)
    return 0;
  const auto first = std::stoull(question.params.substr(from + 15), nullptr, 16),
             last = std::stoull(question.params.substr(to + 13), nullptr, 16);
  return first == 1 && last == 1 ? 0 : last - first + 1;
}

/// Refuses ranges in one wording after the other, down to a width of 8 blocks, and notes what was asked.
class refusing {
public:
  std::optional<std::string> answer(const rpc_question& question, const std::string& member) {
    const auto width = width_of_question(question);
    if (width == 0)
      return member;
    const std::lock_guard lock{guard_};
    widths_.push_back(width);
    if (next_ == std::size(range_refusals) || width <= 8)
      return R"("error":{"code":-32603,"message":"internal error"})";
    const auto& [code, text] = range_refusals[next_++];
    return R"("error":{"code":)" + std::to_string(code) + R"(,"message":")" + text + R"("})";
  }
  /// All of a start were refused: what was asked, from wide to narrow.
  std::vector<std::uint64_t> take_widths() {
    const std::lock_guard lock{guard_};
    return std::exchange(widths_, {});
  }
  bool over() {
    const std::lock_guard lock{guard_};
    return next_ == std::size(range_refusals);
  }
  bool exhausted() {
    const std::lock_guard lock{guard_};
    return next_ == std::size(range_refusals) || (!widths_.empty() && widths_.back() <= 8);
  }

private:
  std::mutex guard_;
  std::size_t next_ = 0;
  std::vector<std::uint64_t> widths_;
};

TEST_F(LimitsOfNodes, RangesGetNarrowerWhateverTheNodeSaysOfThem) {
  const auto those = std::make_shared<refusing>();
  two_events();
  node.mine(500);
  two_events();
  liar.lie(
    [those](const rpc_question& question, const std::string& member) { return those->answer(question, member); });
  for (int starts = 0; starts < 25 && !those->over(); ++starts) {
    start_behind();
    EXPECT_TRUE(await("the narrowest range", [&] { return those->exhausted(); }));
    const auto widths = those->take_widths();
    ASSERT_FALSE(widths.empty());
    for (std::size_t i = 1; i < widths.size() && widths[i - 1] > 8; ++i)
      EXPECT_LT(widths[i], widths[i - 1]) << "after refusal " << i << " of start " << starts;
    constexpr std::string_view said = "the node answered error ";
    const auto log = own.log();
    for (auto at = log.find(said); at != std::string::npos; at = log.find(said, at + 1))
      EXPECT_EQ(log.substr(at + said.size(), 6), "-32603") << "a refusal counts as a failure";
    own.kill_hard();
  }
  EXPECT_TRUE(those->over());
  liar.tell_the_truth();
  start_behind();
  ASSERT_TRUE(reaches_head());
  expect_no_trace();
}

/// Widths of ranges that were asked for, in order.
class noted_widths {
public:
  /// How many there are with this one.
  std::size_t add(std::uint64_t width) {
    const std::lock_guard lock{guard_};
    widths_.push_back(width);
    return widths_.size();
  }
  std::vector<std::uint64_t> all() const {
    const std::lock_guard lock{guard_};
    return widths_;
  }

private:
  mutable std::mutex guard_;
  std::vector<std::uint64_t> widths_;
};

TEST_F(LimitsOfNodes, ASuggestedRangeCountsOnlyWhenItIsNarrower) {
  const auto widths = std::make_shared<noted_widths>();
  two_events();
  node.mine(500);
  liar.lie([widths](const rpc_question& question, const std::string& member) -> std::optional<std::string> {
    const auto width = width_of_question(question);
    if (width == 0)
      return member;
    const auto count = widths->add(width);
    if (count > 2)
      return member;
    const auto last = count == 1 ? width : 100; // the very range that was asked for, then a narrower one
    return R"("error":{"code":-32000,"message":"query exceeds max results 20000, retry with the range 1-)"
           + std::to_string(last) + R"("})";
  });
  start_behind();
  ASSERT_TRUE(reaches_head());
  const auto seen = widths->all();
  ASSERT_GE(seen.size(), 3u);
  EXPECT_EQ(seen[1], seen[0] / 2);
  EXPECT_EQ(seen[2], 100u);
  expect_no_trace();
}

/// Refuses logs of more than one contract, or, if it is strict, all lists of logs, and then all receipts of a block at
/// once.
lying_node::item_lie refusing_logs(bool strict) {
  return [strict](const rpc_question& question, const std::string& member) -> std::optional<std::string> {
    const bool of_many =
      question.method == "eth_getLogs" && (strict || question.params.find("\",\"0x") != std::string::npos);
    if (of_many)
      return R"("error":{"code":-32005,"message":"query returned more than 10000 results"})";
    return strict && question.method == "eth_getBlockReceipts"
             ? R"("error":{"code":-32601,"message":"the method does not exist"})"
             : member;
  };
}

TEST_F(LimitsOfNodes, ABlockWithTooManyLogsIsAskedForInParts) {
  for (const bool strict : {false, true}) {
    SCOPED_TRACE(strict ? "receipts" : "contract by contract");
    liar.lie(refusing_logs(strict));
    two_events();
    node.emit(reviews, joined(1));
    node.mine(140); // far behind
    start_behind();
    two_events(); // near the head
    ASSERT_TRUE(reaches_head());
    liar.tell_the_truth();
    expect_no_trace();
    own.kill_hard();
  }
}

TEST_F(LimitsOfNodes, ALimitOfRatesMakesNoRangeNarrower) {
  const auto widths = std::make_shared<noted_widths>();
  two_events();
  node.mine(500);
  liar.lie([widths](const rpc_question& question, const std::string& member) -> std::optional<std::string> {
    const auto width = width_of_question(question);
    if (width == 0)
      return member;
    const auto count = widths->add(width);
    return count > 2 ? member : R"("error":{"code":429,"message":"too many requests"})";
  });
  start_behind();
  ASSERT_TRUE(reaches_head());
  const auto seen = widths->all();
  ASSERT_GE(seen.size(), 3u);
  EXPECT_EQ(seen[2], seen[0]);
  expect_no_trace();
}

} // namespace
} // namespace credence::test
