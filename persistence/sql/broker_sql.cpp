#include "config/limits.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"

#include <array>
#include <string>

/// Posts of the broker, as clients read them.
namespace credence::persistence {

namespace {

using broker_post_list = reputation::list_broker_posts::answer_type;

using reputation::broker_post;
using reputation::broker_post_id;

/// A text for every way in which posts are looked for, so that each finds its index.
enum class way : std::uint8_t { id, author, level, author_and_level, all };
constexpr std::size_t ways = 5;

way way_of(const reputation::list_broker_posts& query) {
  if (query.id)
    return way::id;
  if (query.author)
    return query.level ? way::author_and_level : way::author;
  return query.level ? way::level : way::all;
}

/// Its parameters are numbered from `first`.
std::string posts_by(way by, int first) {
  const auto given = " $" + std::to_string(first);
  switch (by) {
    case way::id: return " FROM broker_posts p WHERE p.id =" + given + "::int4";
    case way::author: return " FROM broker_posts p WHERE p.author_profile =" + given + "::int4";
    case way::level: return " FROM broker_posts p WHERE p.level =" + given + "::text";
    case way::author_and_level:
      return posts_by(way::author, first) + " AND p.level = $" + std::to_string(first + 1) + "::text";
    case way::all: break;
  }
  return " FROM broker_posts p";
}

std::string count_sql(way by) {
  return "SELECT count(*) AS total FROM (SELECT" + posts_by(by, 2) + " LIMIT $1::int4) found";
}
std::string broker_posts_sql(way by) {
  return "SELECT p.id, p.author_profile, p.level, left(p.title, $3::int4) AS title, left(p.description, $3::int4) AS "
         "description,"
         " left(p.price, $3::int4) AS price, left(p.metadata, $3::int4) AS metadata, p.created_at, p.updated_at, "
         "f.token, f.amount, f.recipient,"
         " (SELECT a.user_id FROM profiles a WHERE a.id = p.author_profile) AS author_user FROM (SELECT p.*"
         + posts_by(by, 4) + " ORDER BY " + (by == way::all ? "p.id DESC" : "-p.id")
         + " LIMIT $1::int4 OFFSET $2::int4) p LEFT JOIN broker_fees f ON f.post_id = p.id ORDER BY p.id DESC";
}

/// Made once, as a connection knows a statement by its address.
struct broker_statements {
  explicit broker_statements(std::string (*text)(way)) {
    for (std::size_t i = 0; i < ways; ++i)
      texts[i] = text(static_cast<way>(i));
  }
  const char* operator[](way by) const { return texts[static_cast<std::size_t>(by)].c_str(); }
  std::array<std::string, ways> texts;
};

std::vector<broker_post> posts_in(const rows& found) {
  static constexpr auto fields = CREDENCE_FIELDS(broker_post, id, (author_profile, author), level, title, description,
                                                 price, metadata, created_at, updated_at);
  auto out = all_of(found, fields);
  const column<std::optional<address>> token{found, "token"}, recipient{found, "recipient"};
  const column<std::optional<wei>> amount{found, "amount"};
  for (int i = 0; i < found.count(); ++i)
    if (const auto paid_in = token[i])
      out[static_cast<std::size_t>(i)].fee =
        reputation::broker_fee{*paid_in, amount[i].value_or(0), recipient[i].value_or(address{})};
  return out;
}

/// Behind the parameters that are there: those that `posts_by` numbers.
parameters filtered(parameters asked, const reputation::list_broker_posts& query) {
  if (query.id)
    return asked.int4(query.id->value);
  if (query.author)
    asked.int4(query.author->value);
  if (query.level)
    asked.text(word_of(*query.level));
  return asked;
}

} // namespace

broker_post_list read(connection& on, const reputation::list_broker_posts& query, steady_time deadline) {
  static const broker_statements counts{count_sql}, pages{broker_posts_sql};
  const read_snapshot snapshot{on, deadline};
  broker_post_list out;
  out.slice = query.slice;
  const auto by = way_of(query);
  const auto shown = query.id ? limits::broker_text_max : limits::broker_text_listed_max;
  const auto found = on.run(pages[by], filtered(with(query.slice.limit, query.slice.offset, shown), query), deadline);
  if (by == way::id)
    out.total = found.count();
  else
    out.total =
      on.run(counts[by], filtered(with(limits::list_depth_max), query), deadline).first<std::int64_t>("total");
  auto posts = posts_in(found);
  const column<user_id> author{found, "author_user"};
  for (int i = 0; i < found.count(); ++i)
    out.rows.push_back({std::move(posts[static_cast<std::size_t>(i)]), author[i]});
  out.users = read_named_here(on, found.all<user_id>("author_user"), deadline);
  return out;
}
load_handler handler(asked<reputation::list_broker_posts> it) { return reads<list_a_page, reputation::storage>(it); }

} // namespace credence::persistence
