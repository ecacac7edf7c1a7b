#include "actors/reputation/catalogue_state.hpp"

namespace credence::reputation {

namespace {

/// An empty text stands for none.
std::optional<std::string> if_any(const std::optional<std::string>& fresh, const std::optional<std::string>& before) {
  if (!fresh)
    return before;
  return fresh->empty() ? std::nullopt : fresh;
}

refusal slug_taken(const category_record& by) {
  return {refusal_code::name_taken, "the slug " + by.slug + " is that of category " + std::to_string(by.id.value) + "; choose another one"};
}
refusal chain_name_taken(const chain_record& by) {
  return {refusal_code::name_taken, "the name " + by.name + " is that of chain " + std::to_string(by.id.value) + "; choose another one"};
}

} // namespace

refusal no_category(category_id which) { return {refusal_code::not_found, "there is no category " + std::to_string(which.value)}; }
refusal no_chain(chain_id which) { return {refusal_code::not_found, "there is no chain " + std::to_string(which.value)}; }

// -- categories ------------------------------------------------------------------------------

void add_keys(const create_category& asked, record_keys& to) { to.slugs.insert(asked.what.slug); }
void add_keys(const edit_category& asked, record_keys& to) {
  to.categories.insert(asked.id);
  if (asked.slug)
    to.slugs.insert(*asked.slug);
}

outcome<decided<category_record, category_saved>> decide(const record_rows& rows, const create_category& asked, const settings::people&,
                                                         timestamp now) {
  if (const auto* other = rows.category_by(asked.what.slug))
    return slug_taken(*other);
  category_saved change{asked.what, true, now};
  change.what.id = category_id{rows.last().category.value + 1};
  return decided<category_record, category_saved>{asked.dry_run ? asked.what : change.what, change};
}

outcome<decided<category_record, category_saved>> decide(const record_rows& rows, const edit_category& asked, const settings::people&,
                                                         timestamp now) {
  const auto* found = rows.category(asked.id);
  if (!found)
    return no_category(asked.id);
  if (asked.slug)
    if (const auto* other = rows.category_by(*asked.slug); other && other->id != asked.id)
      return slug_taken(*other);
  auto after = *found;
  after.name = asked.name.value_or(found->name);
  after.slug = asked.slug.value_or(found->slug);
  after.description = if_any(asked.description, found->description);
  after.on_leaderboard = asked.on_leaderboard.value_or(found->on_leaderboard);
  after.in_daily_service = asked.in_daily_service.value_or(found->in_daily_service);
  after.banner_image_url = if_any(asked.banner_image_url, found->banner_image_url);
  decided<category_record, category_saved> out{after, std::nullopt};
  if (!(after == *found))
    out.change = category_saved{after, false, now};
  return out;
}

// -- chains ----------------------------------------------------------------------------------

void add_keys(const create_chain& asked, record_keys& to) { to.chain_names.insert(asked.what.name); }
void add_keys(const edit_chain& asked, record_keys& to) {
  to.chains.insert(asked.id);
  if (asked.name)
    to.chain_names.insert(*asked.name);
}

outcome<decided<chain_record, chain_saved>> decide(const record_rows& rows, const create_chain& asked, const settings::people&, timestamp now) {
  if (const auto* other = rows.chain_by(asked.what.name))
    return chain_name_taken(*other);
  chain_saved change{asked.what, true, now};
  change.what.id = chain_id{rows.last().chain.value + 1};
  return decided<chain_record, chain_saved>{asked.dry_run ? asked.what : change.what, change};
}

outcome<decided<chain_record, chain_saved>> decide(const record_rows& rows, const edit_chain& asked, const settings::people&, timestamp now) {
  const auto* found = rows.chain(asked.id);
  if (!found)
    return no_chain(asked.id);
  if (asked.name)
    if (const auto* other = rows.chain_by(*asked.name); other && other->id != asked.id)
      return chain_name_taken(*other);
  auto after = *found;
  after.name = asked.name.value_or(found->name);
  after.url = if_any(asked.url, found->url);
  after.icon_url = if_any(asked.icon_url, found->icon_url);
  decided<chain_record, chain_saved> out{after, std::nullopt};
  if (!(after == *found))
    out.change = chain_saved{after, false, now};
  return out;
}

} // namespace credence::reputation
