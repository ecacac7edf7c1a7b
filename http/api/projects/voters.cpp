#include "http/api/projects/handlers.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/projects/vote_json.hpp"
#include "http/api/replies.hpp"

namespace credence::http::v2 {

namespace {

void on_voters(call& c, project::voters_page& found) {
  const auto slice = std::any_cast<page>(c.kept());
  reply_with_users(c, voters_answer{std::move(found), slice});
}

} // namespace

void get_voters(call& c) {
  parameters given{c.query()};
  const auto question = read_voters(given, c.path_part("projectId"));
  if (!given.good())
    return c.refuse(given.why());
  c.kept() = question.slice;
  c.ask(c.to().projects, question, &on_voters);
}

} // namespace credence::http::v2
