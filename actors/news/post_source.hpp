#pragma once

#include "actors/news/news_types.hpp"

namespace credence::news {

/// The port to where posts come from; http implements it, tests fake it. Blocks, so it is called
/// on a thread of its own, always the same one.
class post_source {
public:
  virtual ~post_source() = default;
  /// The newest post of an account; whatever goes wrong is part of the answer.
  virtual looked_up newest_of(const account& whose) = 0;
};

} // namespace credence::news
