// People, the projects of a community and what those are filed under.
#include "actors/reputation/record_rules.hpp"
#include "http/api/catalogue/catalogue.hpp"
#include "http/api/projects/projects.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"
#include "http/commands/importing.hpp"

#include <algorithm>

namespace credence::commands {

using namespace reputation;
using http::json_body;

namespace {

/// What an attestation that comes from elsewhere is believed by.
constexpr const char* evidence_of_import = "imported";

std::optional<address> read_wallet(json_body& body, std::string_view member) {
  const auto text = body.text(member);
  if (!text)
    return std::nullopt;
  const auto key = http::parse_address_key(*text);
  if (!key) {
    body.issue(std::string{member} + ": " + key.why().detail);
    return std::nullopt;
  }
  address out;
  std::copy_n(reinterpret_cast<const std::byte*>(key->text.data()), out.bytes.size(), out.bytes.begin());
  return out;
}

/// `service` and `account`.
std::optional<named_subject> read_account(json_body& body) {
  const auto service = static_cast<people::account_service>(http::read_one_of(body, "service", people::service_names));
  const auto id = body.text("account").value_or("");
  if (!body.good())
    return std::nullopt;
  const auto key = http::parse_account(service, id);
  if (!key) {
    body.issue("account: " + key.why().detail);
    return std::nullopt;
  }
  const auto subject = http::record_subject_of(*key, nullptr);
  return subject ? std::optional{*subject} : std::nullopt;
}

/// Whether an id can be had again. Half of all ids stay for those who come.
bool can_be_kept(const std::optional<std::int64_t>& id) { return id && *id >= 1 && *id <= limits::id_max / 2; }

bool has(const json_body& body, std::string_view member) {
  const auto kind = body.kind_of(member);
  return kind != json_body::kind::absent && kind != json_body::kind::null;
}

/// The id that a look-up finds of what a line tells, which then is there already; 0: nothing is.
std::int32_t there(import_world& world, const char* sql, const persistence::parameters& with) {
  const auto found = world.run.on().exec_params(sql, with, world.run.deadline());
  if (found.empty())
    return 0;
  ++world.report.now().there;
  return found.first<std::int32_t>("id");
}

/// The same of what lines call `name`, which is noted.
bool known(import_world& world, import_names& names, std::int64_t name, const char* sql,
           const persistence::parameters& with) {
  const auto id = there(world, sql, with);
  if (id != 0)
    names.put(name, id);
  return id != 0;
}

/// The profile that the user in `userId` has, by the lines of people; 0: none, or nobody knows.
std::int32_t profile_of_user(const import_world& world, json_body& body) {
  return world.users.given() ? world.users.of(body.integer("userId").value_or(0)) : 0;
}

std::int32_t read_invites(json_body& body, const settings::people& how) {
  const auto given = body.integer("invitesAvailable").value_or(how.default_invites);
  if (given < 0 || given > limits::invites_max)
    body.issue("invitesAvailable must be from 0 to " + std::to_string(limits::invites_max) + ", not "
               + std::to_string(given));
  return static_cast<std::int32_t>(given);
}

/// Makes a profile, then gives it its texts.
class people_import {
public:
  explicit people_import(import_world& world) : world_(world), made_(world), edited_(world) { edited_.counts = false; }

  void take(json_body& body, std::int64_t line) {
    if (!has(body, "profileId")) { // a user who has not joined comes with the record or the project that names them
      ++world_.report.now().left;
      return;
    }
    const auto name = body.integer("profileId").value_or(0);
    const auto user = body.integer("id").value_or(0);
    create_profile order;
    const auto wallet = read_wallet(body, "primaryAddress");
    if (!wallet && body.good())
      body.issue("primaryAddress is required: the address that the profile is made with");
    order.account = wallet.value_or(address{});
    order.by_admin = true;
    // The inviter has to be stored before.
    if (has(body, "invitedBy") && made_.waiting() > 0 && world_.profiles.of(body.integer("invitedBy").value_or(0)) == 0)
      made_.flush();
    if (has(body, "invitedBy"))
      order.inviter = profile_id{read_name(body, "invitedBy", world_.profiles, "profile")};
    const auto invites = read_invites(body, world_.how);
    const auto at = read_moment(world_, body, "createdAt");
    const auto texts = read_texts(body, read_moment_if_any(world_, body, "updatedAt").value_or(at));
    const bool archived = body.boolean("archived").value_or(false);
    if (refused(world_, body, line))
      return;
    if (const auto known = there(
          world_, "SELECT p.id FROM addresses a JOIN profiles p ON p.user_id = a.user_id WHERE a.address = $1::bytea",
          persistence::parameters{}.bytes(order.account.bytes))) {
      world_.profiles.put(name, known);
      world_.users.put(user, known);
      return;
    }
    made_.add({line,
               {at, order},
               [this, invites, key = subject_key{order.account}](profile_created& to) {
                 to.invites = invites;
                 if (to.fresh)
                   to.user = world_.kept.user_for(key, to.user);
               },
               [this, line, name, user, texts, archived](const auto& decision, bool made) {
                 made_one(line, name, user, texts, archived, decision, made);
               }});
  }

  void finish() {
    made_.flush();
    edited_.flush();
  }

private:
  struct edit {
    edit_profile order;
    timestamp at;
  };

  edit read_texts(json_body& body, timestamp at) {
    edit out{{}, at};
    out.order.display_name = http::read_display_name(body, "displayName");
    out.order.username = http::read_username(body);
    if (body.text("avatarUrl") != world_.how.default_avatar)
      out.order.avatar_url = http::read_https_url(body, "avatarUrl", 1);
    out.order.description = http::read_plain_text(body, "description", 0, limits::description_length_max);
    return out;
  }

  void made_one(std::int64_t line, std::int64_t name, std::int64_t user, edit texts, bool archived,
                const persistence::import_decision<create_profile>& decision, bool made) {
    const auto id = decision.answer;
    world_.profiles.put(name, id.value);
    world_.users.put(user, id.value);
    if (!made)
      return;
    texts.order.id = id;
    edited_.add({line, {texts.at, texts.order}});
    if (archived)
      world_.late_profiles.add(world_.report, line, texts.at, {id, {}, true});
  }

  import_world& world_;
  import_batch<create_profile> made_;
  import_batch<edit_profile> edited_;
};

} // namespace

// -- people -------------------------------------------------------------------------------------------

void look_at_people(import_world& world, const std::filesystem::path& file) {
  each_line(world, file, [&](json_body& body, std::int64_t) {
    const auto id = body.integer("id");
    const auto wallet = read_wallet(body, "primaryAddress");
    if (can_be_kept(id) && wallet)
      world.kept.user(subject_key{*wallet}, static_cast<std::int32_t>(*id));
  });
}

void look_at_attestations(import_world& world, const std::filesystem::path& file) {
  each_line(world, file, [&](json_body& body, std::int64_t) {
    const auto id = body.integer("id");
    const auto user = body.integer("userId");
    const auto account = read_account(body);
    if (!account || !can_be_kept(id) || !can_be_kept(user))
      return;
    world.kept.attestation(account->key, static_cast<std::int32_t>(*id));
    world.kept.user(account->key, static_cast<std::int32_t>(*user));
  });
}

void import_people(import_world& world, const std::filesystem::path& file) {
  world.profiles.expect();
  world.users.expect();
  people_import people{world};
  // By the profiles' ids: who invited somebody was there before, and whoever is new gets an id in that order.
  struct place {
    std::int64_t profile;
    std::int64_t offset;
    std::int64_t line;
  };
  std::vector<place> places;
  each_line_at(world, file, [&](json_body& body, std::int64_t line, std::int64_t offset) {
    places.push_back({body.integer("profileId").value_or(0), offset, line});
  });
  std::stable_sort(places.begin(), places.end(), [](const place& a, const place& b) { return a.profile < b.profile; });
  std::ifstream in{file, std::ios::binary};
  std::string text;
  for (const auto& each : places) {
    read_line_again(in, each.offset, text);
    if (auto body = json_body::parse(text))
      people.take(*body, each.line);
  }
  people.finish();
}

void import_addresses(import_world& world, const std::filesystem::path& file) {
  import_batch<link_address> batch{world};
  each_line(world, file, [&](json_body& body, std::int64_t line) {
    // Primary ones came with their profiles; wallets that the service keeps have keys, which do not move.
    const auto owner = profile_of_user(world, body);
    if (body.text("kind") != "linked" || owner == 0) {
      ++world.report.now().left;
      return;
    }
    const auto wallet = read_wallet(body, "address");
    if (!wallet && body.good())
      body.issue("address is required");
    const auto at = read_moment(world, body, "createdAt");
    if (!body.good())
      world.report.refuse(line, body.why());
    else if (!there(world,
                    "SELECT p.id FROM addresses a JOIN profiles p ON p.user_id = a.user_id WHERE a.address = $1::bytea "
                    "AND p.id = $2::int4",
                    persistence::parameters{}.bytes(wallet->bytes).int4(owner)))
      batch.add({line, {at, link_address{profile_id{owner}, *wallet, std::nullopt}}});
  });
  batch.flush();
}

void import_attestations(import_world& world, const std::filesystem::path& file) {
  world.attestations.expect();
  import_batch<attest_account> batch{world};
  each_line(world, file, [&](json_body& body, std::int64_t line) {
    const auto owner = profile_of_user(world, body);
    if (owner == 0) { // it comes with the record or the project that names it
      ++world.report.now().left;
      return;
    }
    const auto name = body.integer("id").value_or(0);
    const auto account = read_account(body);
    attest_account order{profile_id{owner},
                         account.value_or(named_subject{}),
                         http::read_words_if_any(body, "username", 1, limits::handle_length_max),
                         evidence_of_import,
                         {},
                         true,
                         false};
    const auto at = read_moment(world, body, "createdAt");
    const bool archived = body.boolean("archived").value_or(false);
    if (refused(world, body, line))
      return;
    const auto& named = order.which.account.value();
    if (known(world, world.attestations, name,
              "SELECT id FROM attestations WHERE service = $1::text AND account = $2::text AND profile_id = $3::int4"
              " ORDER BY archived, id DESC LIMIT 1",
              persistence::parameters{}.text(people::name_of(named.service)).text(named.id).int4(owner)))
      return;
    batch.add({line,
               {at, order},
               [&world](account_attested& to) {
                 if (to.fresh)
                   to.record.id = attestation_id{world.kept.attestation_for(to.record.name.key, to.record.id.value)};
               },
               [&world, line, name, archived, at](const auto& decision, bool made) {
                 const auto id = decision.change ? decision.change->record.id : decision.answer.id;
                 world.attestations.put(name, id.value);
                 if (made && archived)
                   world.late_attestations.add(world.report, line, at, {id, {}, true});
               }});
  });
  batch.flush();
}

// -- the catalogue and projects -----------------------------------------------------------------------

namespace {

/// Categories or chains: `read` makes the question of a line, `sql` finds one that is there by its `key`.
template <class Question, class Read, class Key>
void import_catalogue(import_world& world, const std::filesystem::path& file, import_names& names, Read read,
                      const char* sql, Key key) {
  names.expect();
  import_batch<Question> batch{world};
  each_line(world, file, [&](json_body& body, std::int64_t line) {
    const auto name = body.integer("id").value_or(0);
    Question order{read(body)};
    if (refused(world, body, line) || known(world, names, name, sql, persistence::parameters{}.text(key(order.record))))
      return;
    batch.add({line, {world.now, order}, {}, [&names, name](const auto& decision, bool) {
                 names.put(name, decision.answer.id.value);
               }});
    batch.flush();
  });
}

} // namespace

void import_categories(import_world& world, const std::filesystem::path& file) {
  import_catalogue<create_category>(world, file, world.categories, http::v2::read_new_category,
                                    "SELECT id FROM categories WHERE slug = $1::text",
                                    [](const auto& record) { return record.slug; });
}

void import_chains(import_world& world, const std::filesystem::path& file) {
  import_catalogue<create_chain>(world, file, world.chains, http::v2::read_new_chain,
                                 "SELECT id FROM chains WHERE name = $1::text",
                                 [](const auto& record) { return record.name; });
}

namespace {

/// The ids here of what a project names; an issue for each that has not come.
template <class Id>
void rename(json_body& body, std::vector<Id>& ids, const import_names& among, const char* what) {
  for (auto& each : ids) {
    const auto id = among.of(each.value);
    if (id == 0)
      body.issue(std::string{what} + " " + std::to_string(each.value)
                 + " is not among those that were imported before");
    each = Id{id};
  }
  std::sort(ids.begin(), ids.end());
}

} // namespace

void import_projects(import_world& world, const std::filesystem::path& file) {
  world.projects.expect();
  import_batch<create_project> batch{world};
  each_line(world, file, [&](json_body& body, std::int64_t line) {
    const auto name = body.integer("id").value_or(0);
    auto order = http::v2::read_new_project(body);
    auto& question = order.question;
    if (profile_of_user(world, body) == 0) // else the profile names itself
      question.names = {
        http::read_display_name(body, "displayName"), http::read_username(body),
        body.text("avatarUrl") == world.how.default_avatar ? std::nullopt : http::read_https_url(body, "avatarUrl", 1)};
    if (body.good() && !http::names_itself(order.whose))
      body.issue("userkey must be an address or an account by its id, such as service:x.com:<id> or address:0x…");
    if (body.good()) {
      if (auto subject = http::record_subject_of(order.whose, nullptr)) {
        question.userkey = http::userkey_of(*subject);
        question.subject = *std::move(subject);
      }
    }
    auto& details = question.details;
    rename(body, details.categories, world.categories, "category");
    rename(body, details.chains, world.chains, "chain");
    for (auto& each : details.team) {
      const auto id = world.profiles.of(each.profile.value);
      if (id == 0)
        body.issue("team names profile " + std::to_string(each.profile.value)
                   + ", which is not among those that were imported before");
      each.profile = profile_id{id};
    }
    std::sort(details.team.begin(), details.team.end(),
              [](const auto& a, const auto& b) { return a.profile < b.profile; });
    const auto at = read_moment(world, body, "createdAt");
    const auto updated = read_moment_if_any(world, body, "updatedAt").value_or(at);
    const bool archived = body.text("status") == "ARCHIVED";
    if (refused(world, body, line))
      return;
    if (known(world, world.projects, name, "SELECT id FROM projects WHERE userkey = $1::text",
              persistence::parameters{}.text(question.userkey)))
      return;
    batch.add(
      {line,
       {at, question},
       [&world](project_created& to) {
         world.kept.adjust(to.subject);
         if (to.subject && to.subject->new_user)
           to.record.user = to.subject->user;
       },
       [&world, line, name, updated, archived](const auto& decision, bool) {
         const auto id = decision.answer;
         world.projects.put(name, id.value);
         if (auto edited = project_edited{decision.change->record, std::nullopt}; updated > edited.record.updated_at) {
           edited.record.updated_at = updated;
           world.run.write(std::span<const project_edited>{&edited, 1});
         }
         if (archived)
           world.late_projects.add(world.report, line, updated, {id});
       }});
    batch.flush(); // the next one may be of the same userkey
  });
}

} // namespace credence::commands
