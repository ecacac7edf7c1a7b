#include "actors/reputation/record_rules.hpp"

namespace credence::reputation {

namespace {

refusal slug_taken(const category_record& by) {
  return {refusal_code::name_taken,
          "the slug " + by.slug + " is that of category " + std::to_string(by.id.value) + "; choose another one"};
}
refusal chain_name_taken(const chain_record& by) {
  return {refusal_code::name_taken,
          "the name " + by.name + " is that of chain " + std::to_string(by.id.value) + "; choose another one"};
}

} // namespace

refusal no_category(category_id which) {
  return {refusal_code::not_found, "there is no category " + std::to_string(which.value)};
}
refusal no_chain(chain_id which) {
  return {refusal_code::not_found, "there is no chain " + std::to_string(which.value)};
}

// -- categories ------------------------------------------------------------------------------

void add_keys(const create_category& command, record_keys& to) { to.slugs.insert(command.record.slug); }
void add_keys(const edit_category& command, record_keys& to) {
  to.categories.insert(command.id);
  if (command.slug)
    to.slugs.insert(*command.slug);
}

outcome<decided<category_record, category_saved>> decide(const record_rows& rows, const create_category& command,
                                                         const settings::people&, timestamp now) {
  if (const auto* other = rows.category_by(command.record.slug))
    return slug_taken(*other);
  category_saved change{command.record, true, now};
  change.record.id = category_id{rows.last().category.value + 1};
  return decided<category_record, category_saved>{command.dry_run ? command.record : change.record, change};
}

outcome<decided<category_record, category_saved>> decide(const record_rows& rows, const edit_category& command,
                                                         const settings::people&, timestamp now) {
  const auto* found = rows.category(command.id);
  if (!found)
    return no_category(command.id);
  if (command.slug)
    if (const auto* other = rows.category_by(*command.slug); other && other->id != command.id)
      return slug_taken(*other);
  auto after = *found;
  after.name = command.name.value_or(found->name);
  after.slug = command.slug.value_or(found->slug);
  after.description = if_any(command.description, found->description);
  after.on_leaderboard = command.on_leaderboard.value_or(found->on_leaderboard);
  after.in_daily_service = command.in_daily_service.value_or(found->in_daily_service);
  after.banner_image_url = if_any(command.banner_image_url, found->banner_image_url);
  decided<category_record, category_saved> out{after, std::nullopt};
  if (!(after == *found))
    out.change = category_saved{after, false, now};
  return out;
}

// -- chains ----------------------------------------------------------------------------------

void add_keys(const create_chain& command, record_keys& to) { to.chain_names.insert(command.record.name); }
void add_keys(const edit_chain& command, record_keys& to) {
  to.chains.insert(command.id);
  if (command.name)
    to.chain_names.insert(*command.name);
}

outcome<decided<chain_record, chain_saved>> decide(const record_rows& rows, const create_chain& command,
                                                   const settings::people&, timestamp now) {
  if (const auto* other = rows.chain_by(command.record.name))
    return chain_name_taken(*other);
  chain_saved change{command.record, true, now};
  change.record.id = chain_id{rows.last().chain.value + 1};
  return decided<chain_record, chain_saved>{command.dry_run ? command.record : change.record, change};
}

outcome<decided<chain_record, chain_saved>> decide(const record_rows& rows, const edit_chain& command,
                                                   const settings::people&, timestamp now) {
  const auto* found = rows.chain(command.id);
  if (!found)
    return no_chain(command.id);
  if (command.name)
    if (const auto* other = rows.chain_by(*command.name); other && other->id != command.id)
      return chain_name_taken(*other);
  auto after = *found;
  after.name = command.name.value_or(found->name);
  after.url = if_any(command.url, found->url);
  after.icon_url = if_any(command.icon_url, found->icon_url);
  decided<chain_record, chain_saved> out{after, std::nullopt};
  if (!(after == *found))
    out.change = chain_saved{after, false, now};
  return out;
}

} // namespace credence::reputation
