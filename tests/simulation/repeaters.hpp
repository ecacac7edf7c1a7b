#pragma once

#include "tests/simulation/asking.hpp"

namespace credence::test {

/// Clients that tip under an `Idempotency-Key` and repeat the request until they know what became
/// of it, as the front does it for them: the key is claimed, the tip goes with its context, and the
/// answer is recorded before it is given. The model: one effect, and one answer for ever.
class repeaters final : public asking {
public:
  using asking::asking;

  /// Somebody tips, or repeats a request of which nothing is known.
  void act();
  /// Repeats what is unknown until nothing is.
  void converge();
  /// Every request had one effect, or none where it was refused; asked once more, each gets the
  /// answer that it got.
  void compare();

private:
  struct request {
    std::string name;
    profile::send_tip tip;
    digest32 key{};
    bool under_way = false;
    told outcome = told::unknown;
    std::optional<std::int64_t> id;               // of the tip, as the client was told
    std::shared_ptr<const write_context> context; // while it is under way
  };

  void send(request& request);
  void on_claimed(request& request, const process& by, const idempotency::key_meaning& meaning);
  void record(request& request, const process& by, std::int64_t id);
  void done(request& request, told outcome, std::optional<std::int64_t> id = std::nullopt);
  std::size_t times_stored(const request& request, std::int64_t id) const;

  std::deque<request> requests_;
};

} // namespace credence::test
