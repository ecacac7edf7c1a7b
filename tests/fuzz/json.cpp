// A JSON body, read as the service reads it and once more by another library.
#include "config/limits.hpp"
#include "http/api/projects/questions.hpp"
#include "http/call/json_writer.hpp"
#include "tests/fuzz/claim.hpp"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>

namespace {

using credence::fuzz::claim;
using credence::fuzz::is_utf8;
using namespace credence;
using namespace credence::http;

constexpr unsigned strict = rapidjson::kParseValidateEncodingFlag;

std::string_view text_in(const rapidjson::Value& value) { return {value.GetString(), value.GetStringLength()}; }

json_body::kind kind_of(const rapidjson::Value& value) {
  switch (value.GetType()) {
    case rapidjson::kNullType: return json_body::kind::null;
    case rapidjson::kFalseType:
    case rapidjson::kTrueType: return json_body::kind::boolean;
    case rapidjson::kStringType: return json_body::kind::text;
    case rapidjson::kNumberType: return value.IsInt64() ? json_body::kind::integer : json_body::kind::other;
    default: return json_body::kind::other;
  }
}

/// Every member means the same to both readers.
void check_members(json_body& body, const rapidjson::Document& second) {
  for (const auto& member : second.GetObject()) {
    const auto name = text_in(member.name);
    if (name.find('.') != std::string_view::npos)
      continue; // to the reader that is a path, which no literal name is
    const auto kind = body.kind_of(name);
    claim(is_utf8(name) && name.find('\0') == std::string_view::npos, "a name is UTF-8 without NUL");
    const bool whole = member.value.IsDouble()
                       && kind == json_body::kind::integer; // such as 2.0, which only the first reader knows exactly
    claim(whole || kind == kind_of(member.value), "a member has the type it is written with");
    if (kind == json_body::kind::text) {
      const auto text = body.text(name);
      claim(text && *text == text_in(member.value), "text reads as it is written");
      claim(is_utf8(*text) && text->find('\0') == std::string_view::npos, "text is UTF-8 without NUL");
    }
    if (whole)
      claim(static_cast<double>(body.integer(name).value_or(0)) == member.value.GetDouble(),
            "a whole number reads as it is written");
    else if (kind == json_body::kind::integer)
      claim(body.integer(name) == member.value.GetInt64(), "an integer reads as it is written");
  }
  claim(body.good(), "what is asked for by its type is good");
}

/// What was accepted, written again, is accepted again and means the same.
void check_again(const rapidjson::Document& second) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer{text};
  second.Accept(writer);
  auto again = json_body::parse({text.GetString(), text.GetSize()});
  claim(static_cast<bool>(again), "what is accepted is accepted again when it is written anew");
  check_members(*again, second);
}

struct read_out {
  bool good = false;
  project::cast_vote vote;
};

read_out read_vote(std::string_view body) {
  static const query_map none;
  parameters from{none};
  read_out out;
  out.vote = v2::read_vote(from, "7", body, profile_id{8});
  out.good = from.good();
  if (out.good)
    return out;
  const auto why = from.why();
  claim(!why.issues.empty(), "what is wrong is named");
  std::string told;
  json_writer writer{told};
  writer.begin_array();
  for (const auto& issue : why.issues)
    writer.value(issue);
  writer.end_array();
  claim(is_utf8(told) && !rapidjson::Document{}.Parse<strict>(told.data(), told.size()).HasParseError(),
        "what is wrong can be told as JSON");
  return out;
}

/// A vote that is accepted is within its bounds, and the same when the service writes it.
void check_vote(std::string_view body) {
  const auto read = read_vote(body);
  if (!read.good)
    return;
  const auto& vote = read.vote;
  claim(vote.project.value == 7 && vote.voter.value == 8, "a body does not say who votes on what");
  claim(vote.side == project::sentiment::bullish || vote.side == project::sentiment::bearish, "a vote has a side");
  if (vote.reason) {
    const auto length = characters(*vote.reason);
    claim(length >= limits::vote_reason_length_min && length <= limits::vote_reason_length_max,
          "a reason is within its bounds");
    claim(vote.reason->size() <= 4 * limits::vote_reason_length_max, "a character has four bytes at most");
    claim(is_utf8(*vote.reason) && vote.reason->find('\0') == std::string::npos, "a reason can be stored");
  }
  std::string text;
  json_writer writer{text};
  writer.begin_object();
  writer.field("voteType", vote.side == project::sentiment::bullish ? "BULLISH" : "BEARISH");
  writer.field_if("voteReason", vote.reason);
  writer.end_object();
  const auto again = read_vote(text);
  claim(again.good && again.vote.side == vote.side && again.vote.reason == vote.reason,
        "a vote that is written is read as the same vote");
}

void check_list(std::string_view text) {
  const auto list = parse_integer_list(text, "ids", 5, 1, 9);
  if (!list) {
    claim(is_utf8(list.why().detail), "why a list is refused can be told");
    return;
  }
  claim(!list->empty() && list->size() <= 5, "a list is bounded");
  for (const auto each : *list)
    claim(each >= 1 && each <= 9, "and so are its items");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  check_vote(text);
  check_list(text);
  auto body = json_body::parse(text);
  if (!body) {
    claim(body.why().code == refusal_code::invalid_input && is_utf8(body.why().detail), "a refusal can be told");
    return 0;
  }
  rapidjson::Document second;
  second.Parse<strict>(text.data(), text.size());
  if (second.GetParseError() == rapidjson::kParseErrorNumberTooBig)
    return 0; // to that reader 0e999 is too large
  claim(!second.HasParseError(), "what is accepted is JSON to another reader too");
  claim(second.IsObject(), "a body is an object");
  check_members(*body, second);
  check_again(second);
  return 0;
}
