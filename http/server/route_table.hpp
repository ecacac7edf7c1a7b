#pragma once

#include "http/call/route.hpp"
#include "http/callers/rate_limiter.hpp"
#include "ops/client_counts.hpp"
#include "ops/metrics.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::http {

/// What callers of an endpoint that goes away are told.
struct deprecation {
  std::chrono::sys_days since;
  std::optional<std::chrono::sys_days> sunset;
  std::string link; // why, and what to use instead; may be empty

  /// Deprecation (RFC 9745), Sunset (RFC 8594) and Link, each ending in CRLF.
  std::string head() const;
};

/// Reads `since [sunset] [link]`, days as YYYY-MM-DD; when it is not that, `why` says what
/// would be right.
std::optional<deprecation> parse_deprecation(std::string_view text, std::string& why);

/// What is known of a route: a line of `listed` (`METHOD path since [sunset] [link]`), else
/// what the table says of it.
std::optional<deprecation> deprecation_of(const route& route, std::span<const std::string> listed);

/// Lines of `listed` that are wrong, or name no route; one line each.
std::vector<std::string> deprecation_mistakes(std::span<const std::string> listed, std::span<const route> routes);

/// `GET`, `POST`…
std::string_view name_of(method verb) noexcept;

/// How metrics call a route: by its path; reads share the path of their resource, such as `/api/v2/users`, but for
/// those that clients send all the time. So another read of a resource adds no series.
std::string_view measured_as(const route& route);

/// Finds the route for a path, segment by segment. Built once; a literal segment wins over `{name}`; of two
/// forms that fit a path, the one that is literal where they first differ.
class route_table {
public:
  /// `deprecated` are lines as in the setting `http.deprecations`; those that name no route
  /// or are wrong throw std::invalid_argument.
  explicit route_table(std::span<const route> routes, std::span<const std::string> deprecated = {});

  struct entry {
    const http::route* route;
    ops::route_metrics* metrics;
    bucket quota = bucket::read;
    std::string deprecation_head;                // header fields; empty unless it is deprecated
    ops::deprecated_route* deprecated = nullptr; // its callers
  };
  struct match {
    const entry* by_method[5] = {};                                   // indexed by `method`; null where not offered
    std::vector<std::pair<std::string_view, std::string_view>> parts; // name, still encoded
    bool found = false;
    /// Value of the Allow header.
    std::string allow() const;
    /// A header field that names what succeeds the route, with what the request has in its places (RFC 5829, 3.3).
    std::string link_to_successor(const http::route& of) const;
  };

  std::span<const entry> entries() const noexcept { return entries_; }

  /// Takes the place of an earlier result, so that its memory is used again.
  void find(std::string_view path, match& out) const;

private:
  /// What may follow after some segments of a path.
  struct node {
    std::map<std::string_view, std::unique_ptr<node>> literals;
    std::unique_ptr<node> named;         // where the next segment is anything but empty
    std::vector<std::string_view> names; // of the segments so far that are not literal, if a path may end here
    const entry* by_method[5] = {};      // likewise
    bool ends = false;                   // a path may
  };
  using segments = std::span<const std::string_view>;
  /// The node at which such a path ends, or null; `values` are what its names stand for.
  static const node* follow(const node& from, segments rest, std::vector<std::string_view>& values);
  void add(const entry& of);

  std::vector<entry> entries_;
  node root_;
};

} // namespace credence::http
