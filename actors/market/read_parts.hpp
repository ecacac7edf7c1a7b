#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace credence::market {

/// How far a table has been read that is read in parts, in the order of its keys, while its rows
/// change: which changes a row includes is known from the part that it came with.
template <class Key>
class read_parts {
public:
  /// Up to which number of changes the row of `key` was read, also when there was no such row;
  /// nothing when that part is still to come.
  std::optional<std::int64_t> as_of(const Key& key) const {
    const auto found = std::lower_bound(parts_.begin(), parts_.end(), key,
                                        [](const part& each, const Key& wanted) { return each.upto < wanted; });
    if (found != parts_.end())
      return found->as_of;
    return last_;
  }
  /// The rows after those before, up to `upto`, were read as of that number.
  void add(const Key& upto, std::int64_t as_of) { parts_.push_back({upto, as_of}); }
  /// There are no more rows behind.
  void finish(std::int64_t as_of) { last_ = as_of; }

  bool complete() const noexcept { return last_.has_value(); }
  /// Where the next part begins.
  Key after() const { return parts_.empty() ? Key{} : parts_.back().upto; }

private:
  struct part {
    Key upto;
    std::int64_t as_of;
  };
  std::vector<part> parts_;
  std::optional<std::int64_t> last_;
};

} // namespace credence::market
