#pragma once

#include "http/api/catalogue/handlers.hpp"
#include "http/api/declare.hpp"

#include <array>

namespace credence::http::declare {

/// A PATCH of an admin that edits a record.
constexpr route admin_edits(std::string_view path, handler run, replay_handler again) {
  auto out = admin_records(path, run, again);
  out.verb = method::patch;
  return out;
}

inline constexpr std::array catalogue_routes{
  reads("/api/v2/categories", v2::get_categories),
  reads("/api/v2/categories/{id}", v2::get_category),
  reads("/api/v2/categories/{id}/users", v2::get_category_users),
  reads("/api/v2/users/{userkey}/categories", v2::get_user_categories),
  admin_records("/api/v2/categories/create", v2::post_category, v2::replay_post_category),
  admin_edits("/api/v2/categories/{id}", v2::patch_category, v2::replay_patch_category),
  reads("/api/v2/chains", v2::get_chains),
  admin_records("/api/v2/chains/create", v2::post_chain, v2::replay_post_chain),
  admin_edits("/api/v2/chains/{id}", v2::patch_chain, v2::replay_patch_chain),
};

} // namespace credence::http::declare
