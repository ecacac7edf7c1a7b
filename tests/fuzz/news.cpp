// Answers of the source of posts: whatever it sends is a post that can be shown, nothing, or a flaw.
#include "config/limits.hpp"
#include "http/api/markets/market_json.hpp"
#include "http/outside/x_posts.hpp"
#include "tests/fuzz/claim.hpp"

#include <rapidjson/document.h>

#include <algorithm>

namespace {

using credence::fuzz::claim;
using namespace credence;
using namespace credence::http;

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A post goes to clients as JSON that another reader understands the same way.
void check_shown(const news::post& post) {
  std::string json;
  json_writer to{json};
  encode(to, std::vector<news::news_item>{{profile_id{7}, std::make_shared<const news::post>(post)}});
  rapidjson::Document again;
  again.Parse<rapidjson::kParseValidateEncodingFlag>(json.data(), json.size());
  claim(!again.HasParseError() && again.IsArray() && again.Size() == 1, "news are JSON");
  const auto& tweet = again[0]["tweet"];
  const std::string_view text{tweet["text"].GetString(), tweet["text"].GetStringLength()};
  claim(text == post.text, "a text is shown as it is");
  claim(tweet["id"].GetString() == post.id && tweet["url"].GetString() == post.url, "and so are id and URL");
  claim(std::string_view{tweet["createdAt"].GetString()}.size() == 24, "a time has one form");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto account = read_x_account(text);
  if (const auto* id = std::get_if<std::string>(&account))
    claim(all_digits(*id) && id->size() <= 20, "an account's id is safe in a URL");
  const auto timeline = read_x_timeline(text, "ada");
  if (const auto* post = std::get_if<news::post>(&timeline)) {
    claim(all_digits(post->id) && post->id.size() <= 20, "a post's id is safe in a URL");
    claim(fuzz::is_utf8(post->text) && post->text.size() <= 8 * 1024, "a text is bounded and can be told");
    for (const auto count : {post->retweets, post->likes, post->replies, post->impressions})
      claim(count >= 0 && count <= limits::safe_integer_max, "a count is one to JavaScript, too");
    check_shown(*post);
  } else if (const auto* flaw = std::get_if<x_flaw>(&timeline)) {
    claim(!flaw->why.empty() && fuzz::is_utf8(flaw->why), "a flaw can be told");
  }
  return 0;
}
