#include "ops/demo/parts.hpp"

#include "ops/demo/words.hpp"
#include "persistence/postgres/column.hpp"

namespace credence::persistence {

namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t listings = 8;
constexpr std::size_t opposed = 2; // of the listings
constexpr seconds between_joins{40};
constexpr milliseconds between_votes{165};

} // namespace

demo_ring::demo_ring(const demo_size& size, timestamp now) {
  // Enough voters have to be left for the votes of everybody else.
  if (size.writers == 0 || size.profiles < 200 || size.projects < 10 || size.votes < 10'000
      || size.votes > std::int64_t{size.profiles - 50} * size.projects * 2)
    return;
  const auto archived = [](std::int32_t from) {
    for (auto each = from; each < from + members; ++each)
      if (demo_archived_profile(each))
        return true;
    return false;
  };
  first_ = size.profiles - members + 1;
  while (archived(first_))
    --first_;
  const auto starts = demo_period_starts(now);
  joins_ = starts[starts.size() - 2] + days{3};
  for (auto project = size.projects; projects_.size() < listings; --project)
    if (!demo_archived_project(project))
      projects_.push_back(project);
}

timestamp demo_ring::joined(std::int32_t profile) const { return joins_ + (profile - first_) * between_joins; }

std::vector<demo_vote> demo_ring::votes(timestamp from, timestamp to) const {
  const auto begins = std::max(from, joins_ + days{3});
  if (empty() || to - begins < days{1})
    return {};
  std::vector<demo_vote> out;
  for (std::size_t i = 0; i < projects_.size(); ++i) {
    const auto part = static_cast<std::int32_t>(i);
    const auto burst =
      std::chrono::floor<seconds>(begins + (to - begins) * (2 * part + 1) / (2 * static_cast<std::int32_t>(listings)));
    const bool bullish = i >= opposed;
    const auto& reasons = bullish ? demo_words::bullish : demo_words::bearish;
    for (std::int32_t j = 0; j < members; ++j) // who is first differs from listing to listing
      out.push_back({burst + j * between_votes, projects_[i], at_place(j * 5 + part), bullish, reasons[i]});
  }
  return out;
}

std::vector<profile_id> stored_demo_ring(connection& on, steady_time deadline) {
  const auto found = on.exec_params("SELECT DISTINCT author_profile FROM reviews WHERE metadata = $1::text ORDER BY 1",
                                    parameters{}.text(demo_ring_mark), deadline);
  const column<profile_id> member{found, "author_profile"};
  std::vector<profile_id> out;
  for (int row = 0; row < found.count(); ++row)
    out.push_back(member[row]);
  return out;
}

} // namespace credence::persistence
