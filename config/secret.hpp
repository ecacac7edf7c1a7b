#pragma once

#include <ostream>
#include <string>
#include <utility>

namespace credence {

/// Text that prints as `***` wherever it is printed; `reveal()` is the one way
/// to read it, so that every use can be found.
class secret {
public:
  secret() = default;
  explicit secret(std::string text) : text_(std::move(text)) {}
  const std::string& reveal() const noexcept { return text_; }
  bool empty() const noexcept { return text_.empty(); }
  friend std::ostream& operator<<(std::ostream& out, const secret&) { return out << "***"; }

private:
  std::string text_;
};

} // namespace credence
