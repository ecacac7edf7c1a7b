#include "actors/project/project_actor.hpp"
#include "http/api/projects/operations.hpp"
#include "http/api/projects/questions.hpp"
#include "http/api/projects/vote_json.hpp"
#include "http/api/replies.hpp"

namespace credence::http::v2 {

void get_vote_chart(call& c) {
  parameters given{c.query()};
  const auto question = read_chart(given, c.path_part("projectId"));
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().projects, question, &reply_with<std::vector<project::chart_point>>);
}

} // namespace credence::http::v2
