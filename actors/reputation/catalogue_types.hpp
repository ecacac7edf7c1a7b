#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/listing/listing_parts.hpp"
#include "actors/people/user_types.hpp"

#include <optional>
#include <string>
#include <vector>

/// The catalogue that projects are filed under: categories and chains. Admins keep it.
namespace credence::reputation {

using listing::category_id;
using listing::chain_id;

struct category_record {
  category_id id; // 0: of a dry run
  std::string name;
  std::string slug; // of one category only
  std::optional<std::string> description;
  bool on_leaderboard = true;
  bool in_daily_service = false;
  std::optional<std::string> banner_image_url;
  friend bool operator==(const category_record&, const category_record&) = default;
};

struct chain_record {
  chain_id id;      // 0: of a dry run
  std::string name; // of one chain only
  std::optional<std::string> url;
  std::optional<std::string> icon_url;
  friend bool operator==(const chain_record&, const chain_record&) = default;
};

// -- questions ----------------------------------------------------------------

/// A new category, by an admin. Refused with `name_taken`.
struct create_category {
  using answer_type = category_record;
  category_record record; // without its id
  bool dry_run = false;
};

/// New contents of a category, by an admin; what is absent stays. Refused with `not_found` or `name_taken`.
struct edit_category {
  using answer_type = category_record;
  category_id id;
  std::optional<std::string> name;
  std::optional<std::string> slug;
  std::optional<std::string> description; // empty: none
  std::optional<bool> on_leaderboard;
  std::optional<bool> in_daily_service;
  std::optional<std::string> banner_image_url; // empty: none
  bool dry_run = false;
};

/// A new chain, by an admin. Refused with `name_taken`.
struct create_chain {
  using answer_type = chain_record;
  chain_record record; // without its id
  bool dry_run = false;
};

/// New contents of a chain, by an admin; what is absent stays. Refused with `not_found` or `name_taken`.
struct edit_chain {
  using answer_type = chain_record;
  chain_id id;
  std::optional<std::string> name;
  std::optional<std::string> url;      // empty: none
  std::optional<std::string> icon_url; // empty: none
  bool dry_run = false;
};

// -- what is read ---------------------------------------------------------------

/// A category, and how many users have an active project in it.
struct counted_category {
  category_record record;
  std::int64_t users = 0;
};

/// Categories in order of their ids; of one alone where it is named.
struct categories_page {
  std::vector<counted_category> categories;
  std::int64_t total = 0;
};
struct get_categories {
  using answer_type = categories_page;
  page slice;
  std::optional<category_id> only = {};
};

/// Chains in order of their ids; one alone where it is named.
struct chains_page {
  std::vector<chain_record> chains;
  std::int64_t total = 0;
};
struct get_chains {
  using answer_type = chains_page;
  page slice;
  std::optional<chain_id> only = {};
};

/// The users with an active project in a category, the highest score first. `known` is false where there is no such
/// category.
struct category_users {
  bool known = false;
  std::vector<people::user_ptr> users;
  std::int64_t total = 0;
};
struct get_category_users {
  using answer_type = category_users;
  category_id id;
  page slice;
};

/// The place of a user in a category: 1 has the highest score.
struct category_rank {
  counted_category category;
  std::int64_t rank = 0;
};
struct category_ranks {
  std::vector<category_rank> ranks; // in order of the categories' ids
};
/// The categories of a user's active project.
struct get_user_categories {
  using answer_type = category_ranks;
  user_id user;
};

// -- changes ------------------------------------------------------------------

/// A category as it is from now on, new or not.
struct category_saved {
  category_record record;
  bool fresh = false;
  timestamp at{};
};
/// A chain as it is from now on, new or not.
struct chain_saved {
  chain_record record;
  bool fresh = false;
  timestamp at{};
};

} // namespace credence::reputation
