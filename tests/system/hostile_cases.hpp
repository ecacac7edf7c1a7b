#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace credence::test {

/// One hostile request, and what it must come to.
struct hostile_case {
  enum after { closes, stays };
  std::string name;
  std::string rule;        // the section that decides; RFC numbers
  std::vector<int> status; // any of these
  after connection = stays;
  std::string bytes;
};

using hostile_cases = std::vector<hostile_case>;

/// What requests are made of. Every vote is of another pair of profile and project, so
/// that each one would be counted if it were let in.
class hostile_material {
public:
  hostile_material(std::vector<std::string> voters, int projects) : voters_(std::move(voters)), projects_(projects) {}

  struct pair {
    std::string token;
    int project;
  };
  /// A profile's token and a project that it has not voted on.
  pair next();

  /// Header fields of a vote but for those that frame its body.
  std::string vote_head(std::string_view version = "HTTP/1.1");
  /// A whole vote with these fields more and this body.
  std::string vote(std::string_view more, std::string_view body);
  std::string vote_body(std::string_view body) { return vote("Content-Type: application/json\r\n", body); }

private:
  std::vector<std::string> voters_;
  int projects_;
  std::size_t next_ = 0;
};

/// Where does the request end, and the next one begin?
hostile_cases framing_cases(hostile_material& from);
/// Method, target, version, Host, header fields, negotiation, query.
hostile_cases request_cases(hostile_material& from);
/// JSON of a vote.
hostile_cases body_cases(hostile_material& from);

/// A token that must not be taken, and why.
struct forged_token {
  std::string name;
  std::string rule;
  std::string fields; // header lines that carry it
  int vote = 401;
  int advance = 401;
};
/// `key` signs; `good` is a token of an ordinary profile, `other` one of another.
std::vector<forged_token> forged_tokens(const std::string& key, const std::string& good, const std::string& other);

inline const std::string good_vote = R"({"voteType":"BULLISH"})";

} // namespace credence::test
