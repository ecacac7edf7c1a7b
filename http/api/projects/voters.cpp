#include "actors/project/project_actor.hpp"
#include "http/api/projects/operations.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/projects/vote_json.hpp"
#include "http/api/replies.hpp"

namespace credence::http::v2 {

void list_project_voters(call& c) {
  parameters given{c.query()};
  const auto question = read_voters(given, c.path_part("projectId"));
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().projects, question, [slice = question.slice](call& later, project::voters_page& found) {
    reply_with_users(later, voters_answer{std::move(found), slice});
  });
}

} // namespace credence::http::v2
