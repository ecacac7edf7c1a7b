#include "persistence/sql/audit_sql.hpp"

#include "actors/domain/address.hpp"
#include "actors/domain/time.hpp"
#include "actors/store.hpp"

namespace credence::persistence {

namespace {

using act = audit_act;

/// What a key may do, in words.
std::string text_of(const profile::api_key& key) {
  auto out = "name " + key.name + "; until " + iso_text(key.expires_at);
  if (key.bounds.scopes)
    out += "; scopes " + names_of(*key.bounds.scopes);
  for (const auto& each : key.bounds.networks)
    out += "; from " + each;
  return out;
}

std::string ended(profile::end_cause why) {
  return "ended: " + std::string{profile::end_cause_names[static_cast<std::size_t>(why)]};
}

std::string session_text(const std::string& id) { return "session " + id; }

template <class Tag>
std::string named(const char* what, id<Tag> which) {
  return what + (" " + std::to_string(which.value));
}

/// What is archived, or is no more.
act archived_or_back(const auto& done, const char* archived, const char* back, std::optional<profile_id> of,
                     std::string subject) {
  return done.archived ? act{done.at, archived, of, std::move(subject), "live", "archived"}
                       : act{done.at, back, of, std::move(subject), "archived", "live"};
}

/// Changes that the audit tells nothing of.
using not_audited =
  types<project::vote_cast, project::project_tallied, profile::xp_tipped, profile::keys_used, profile::session_rotated,
        profile::nonce_used, idempotency::answer_recorded, idempotency::days_counted, slash::slash_voted,
        market::market_opened, market::traded, score::score_changed, score::epoch_begun, score::epoch_page_turned,
        score::vouch_model_turned, score::records_recounted, chain::chain_begun, chain::blocks_applied,
        chain::blocks_undone, chain::blocks_tried, chain::texts_read, chain::kinds_added, chain::events_replayed,
        chain::event_reprocessed, wallets::transactions_moved, reputation::notices_read
#ifdef CREDENCE_EXAMPLE
        ,
        note::note_created, note::note_edited, note::note_archived
#endif
        >;

/// Hands every row that a change leaves to `put`. `asked`: by a request that is to be told of.
template <class Put>
struct teller_of_acts {
  bool asked;
  global_seq seq;
  Put put;

  void operator()(const profile::key_created& made) const {
    put(act{made.key.created_at, "key_created", made.key.profile, "API key " + made.key.id, std::nullopt,
            text_of(made.key), "wallet " + lower_text(made.key.signer)});
  }
  void operator()(const profile::key_revoked& gone) const {
    put(act{gone.at, "key_revoked", gone.profile, "API key " + gone.id, "in force", ended(gone.why)});
  }
  void operator()(const profile::session_opened& fresh) const {
    const auto& opened = fresh.opened;
    if (fresh.in_place_of)
      put(act{opened.created_at, "session_ended", opened.profile, session_text(*fresh.in_place_of), "open",
              "ended: there are too many"});
    put(act{opened.created_at, "session_opened", opened.profile, session_text(opened.id), std::nullopt,
            "until " + iso_text(opened.expires_at) + (opened.partner.empty() ? "" : "; for pages of " + opened.partner),
            fresh.by ? "wallet " + lower_text(fresh.by->signer) : ""});
  }
  void operator()(const profile::sessions_ended& gone) const {
    for (const auto& each : gone.ids)
      put(act{gone.at, "session_ended", gone.profile, session_text(each), "open", ended(gone.why)});
  }
  void operator()(const profile::partner_switched& switched) const {
    const auto& grant = switched.grant;
    put(act{grant.changed_at, grant.enabled ? "partner_enabled" : "partner_disabled", switched.profile,
            "partner " + grant.origin, std::nullopt,
            grant.enabled ? "its pages may act" : "its pages may act no more"});
  }
  void operator()(const profile::partner_code_made& made) const {
    put(act{made.at, "partner_let_in", made.profile, "partner " + made.code.origin, std::nullopt,
            "its pages may act; a code until " + iso_text(made.code.expires_at)});
  }
  void operator()(const funds::funds_moved& moved) const {
    const bool in = moved.way == funds::flow::deposit;
    put(act{moved.at, in ? "deposit" : "withdrawal", moved.profile,
            "transfer " + std::to_string(seq) + " of " + decimal(moved.amount) + " wei", decimal(moved.balance_before),
            decimal(in ? moved.balance_before + moved.amount : moved.balance_before - moved.amount)});
  }
  void operator()(const market::market_frozen_set& done) const {
    put(act{done.at, done.frozen ? "market_frozen" : "market_unfrozen", market::owner_of(done.market),
            named("market", done.market), done.frozen ? "open" : "frozen", done.frozen ? "frozen" : "open"});
  }
  void operator()(const profile::xp_granted& granted) const {
    put(act{granted.at, "xp_granted", granted.profile,
            "grant " + std::to_string(seq) + " of " + std::to_string(granted.amount) + " XP: " + granted.reason,
            std::to_string(granted.balance_before), std::to_string(granted.balance_before + granted.amount)});
  }
  void operator()(const period::period_advanced& advance) const {
    if (asked) // else it is the calendar's doing
      put(act{advance.opened.starts_at, "period_opened", std::nullopt, named("voting period", advance.opened.id),
              named("period", advance.closes), named("period", advance.opened.id)});
  }
  void operator()(const slash::slash_opened& fresh) const {
    put(act{fresh.record.created_at, "slash_opened", fresh.record.author, named("slash", fresh.record.id), std::nullopt,
            "amount " + std::to_string(fresh.record.amount) + "; until " + iso_text(fresh.record.ends_at())});
  }
  void operator()(const slash::slash_closed& closed) const {
    if (asked) // else its time was over
      put(act{closed.end.at, "slash_cancelled", std::nullopt, named("slash", closed.slash), "open", "cancelled"});
  }
  void operator()(const reputation::review_created& fresh) const {
    const auto& record = fresh.record;
    put(act{record.created_at, "review_created", record.author, named("review", record.id), std::nullopt,
            std::string{reputation::review_score_names[static_cast<std::size_t>(record.score)]}});
  }
  void operator()(const reputation::review_edited& edited) const {
    put(act{edited.at, "review_edited", edited.by, named("review", edited.id), std::nullopt,
            "edit " + std::to_string(edited.edits)});
  }
  void operator()(const reputation::review_archived& done) const {
    put(archived_or_back(done, "review_archived", "review_restored", done.author, named("review", done.id)));
  }
  void operator()(const reputation::profile_created& made) const {
    put(act{made.at, "profile_created", made.id, named("profile", made.id), std::nullopt,
            "address " + lower_text(made.account), made.by ? "wallet " + lower_text(made.by->signer) : ""});
  }
  void operator()(const reputation::profile_archived& done) const {
    put(archived_or_back(done, "profile_archived", "profile_restored", done.id, named("profile", done.id)));
  }
  void operator()(const reputation::profile_edited& edited) const {
    put(act{edited.at, "profile_edited", edited.id, named("profile", edited.id), std::nullopt,
            edited.texts.display_name});
  }
  void operator()(const reputation::address_linked& linked) const {
    put(act{linked.at, "address_linked", linked.profile, "address " + lower_text(linked.account),
            linked.before ? std::optional{named("user", *linked.before)} : std::nullopt,
            named("profile", linked.profile) + (linked.by ? "" : "; by order, nothing was signed")});
  }
  void operator()(const reputation::address_unlinked& gone) const {
    put(act{gone.at, "address_unlinked", gone.profile, "address " + lower_text(gone.account),
            named("profile", gone.profile), named("user", gone.to)});
  }
  void operator()(const reputation::account_attested& done) const {
    const auto& record = done.record;
    const auto& account = record.name.account.value();
    std::optional<std::string> before;
    if (done.profile_before)
      before = named("profile", *done.profile_before);
    else if (done.before)
      before = named("user", *done.before);
    put(act{record.updated_at, "account_attested", record.profile,
            "account " + std::string{people::name_of(account.service)} + ":" + account.id, before,
            named("profile", record.profile) + "; attestation " + std::to_string(record.id.value)});
  }
  void operator()(const reputation::attestation_archived& done) const {
    put(archived_or_back(done, "attestation_archived", "attestation_restored", done.profile,
                         named("attestation", done.id)));
  }
  void operator()(const reputation::verification_decided& done) const {
    const auto& record = done.record;
    const auto words = words_of<people::human_verification>;
    put(act{record.updated_at, record.verified ? "human_verified" : "verification_withdrawn", record.profile,
            named("profile", record.profile),
            done.before ? std::optional{std::string{words[static_cast<std::size_t>(*done.before)]}} : std::nullopt,
            record.comment});
  }
  void operator()(const reputation::bond_created& fresh) const {
    const auto& record = fresh.record;
    put(act{record.created_at, "bond_created", record.author, named("bond", record.id), std::nullopt,
            named("profile", record.subject_profile) + "; " + record.amount + " " + record.amount_type + "; until "
              + iso_text(record.expires_at)});
  }
  void operator()(const reputation::bond_archived& done) const {
    put(act{done.end.at, "bond_archived", done.author, named("bond", done.id), "live", "archived: " + done.end.reason});
  }
  void operator()(const reputation::bond_expiration_set& done) const {
    put(act{done.at, "bond_expiration_set", done.author, named("bond", done.id), "until " + iso_text(done.before),
            "until " + iso_text(done.expires_at)});
  }
  void operator()(const reputation::invitation_sent& sent) const {
    put(act{sent.at, "invitation_sent", sent.sender, named("invitation", sent.id), std::nullopt,
            "address " + lower_text(sent.recipient)});
  }
  void operator()(const reputation::invitation_withdrawn& done) const {
    put(act{done.at, "invitation_withdrawn", done.sender, named("invitation", done.id), "open", "withdrawn"});
  }
  void operator()(const reputation::vouch_created& fresh) const {
    const auto& record = fresh.record;
    put(act{record.vouched_at, "vouch_created", record.author, named("vouch", record.id), std::nullopt,
            decimal(record.balance)});
  }
  void operator()(const reputation::vouch_moved& moved) const {
    put(act{moved.at, moved.archived ? "vouch_withdrawn" : "vouch_changed", moved.author, named("vouch", moved.id),
            std::nullopt, decimal(moved.balance)});
  }
  void operator()(const reputation::vouch_marked_unhealthy& marked) const {
    put(act{marked.at, "vouch_unhealthy", marked.author, named("vouch", marked.id), std::nullopt, "unhealthy"});
  }
  void operator()(const reputation::reply_created& fresh) const {
    const auto& record = fresh.record;
    put(act{record.created_at, "reply_created", record.author, named("reply", record.id), std::nullopt,
            "to " + std::string{reputation::name_of(record.on.kind)} + " " + std::to_string(record.on.id)});
  }
  void operator()(const reputation::reply_edited& edited) const {
    put(act{edited.at, "reply_edited", edited.by, named("reply", edited.id), std::nullopt,
            "edit " + std::to_string(edited.edits)});
  }
  void operator()(const reputation::activity_voted& vote) const {
    const auto& record = vote.vote;
    put(act{record.updated_at, "activity_voted", record.voter,
            std::string{reputation::name_of(record.on.kind)} + " " + std::to_string(record.on.id), std::nullopt,
            record.archived ? "withdrawn"
            : record.upvote ? "up"
                            : "down"});
  }
  void operator()(const reputation::project_created& made) const {
    put(act{made.record.created_at, "project_created", std::nullopt, named("project", made.record.id), std::nullopt,
            made.record.userkey});
  }
  void operator()(const reputation::project_edited& edited) const {
    const auto& details = edited.record.details;
    put(act{edited.record.updated_at, "project_edited", std::nullopt, named("project", edited.record.id), std::nullopt,
            std::to_string(details.links.size()) + " links, a team of " + std::to_string(details.team.size())
              + (details.promoted ? ", promoted" : "")});
  }
  void operator()(const reputation::project_archived& done) const {
    put(archived_or_back(done, "project_archived", "project_restored", std::nullopt, named("project", done.id)));
  }
  void operator()(const reputation::category_saved& saved) const {
    put(act{saved.at, saved.fresh ? "category_created" : "category_edited", std::nullopt,
            named("category", saved.record.id), std::nullopt, saved.record.slug});
  }
  void operator()(const reputation::chain_saved& saved) const {
    put(act{saved.at, saved.fresh ? "chain_created" : "chain_edited", std::nullopt, named("chain", saved.record.id),
            std::nullopt, saved.record.name});
  }
  void operator()(const wallets::wallet_made& made) const {
    const bool funds = made.profile == wallets::funding_account;
    put(act{made.made_at, "wallet_made", funds ? std::nullopt : std::optional{made.profile},
            "wallet " + std::to_string(made.id) + (funds ? ", which pays for the gas of others" : ""), std::nullopt,
            "address " + lower_text(made.at)});
  }
  void operator()(const wallets::wallet_exported& taken) const {
    put(act{taken.at, "wallet_exported", taken.profile, "wallet " + std::to_string(taken.id), std::nullopt,
            "its owner has the private key"});
  }
  void operator()(const wallets::transaction_stored& fresh) const {
    const bool funds = fresh.profile == wallets::funding_account;
    put(act{fresh.at, "transaction_signed", funds ? std::nullopt : std::optional{fresh.profile},
            named("wallet", fresh.profile) + ", nonce " + std::to_string(fresh.nonce), std::nullopt,
            fresh.plan.kind + " to " + lower_text(fresh.plan.to) + " of " + decimal(fresh.plan.value) + " wei"
              + (fresh.plan.origin.empty() ? "" : " for " + fresh.plan.origin)});
  }
  template <among<not_audited> Other>
  void operator()(const Other&) const {}
};

} // namespace

const statement audit_columns::how{
  "append_audit",
  "SELECT append_audit($1::timestamptz[], $2::text[], $3::int4[], $4::int4[], $5::text[], $6::text[], $7::text[],"
  " $8::text[], $9::text[], $10::text[])"};

void audit_columns::add(const change& change, const write_context* context, global_seq seq) {
  const auto* from = context ? context->from().get() : nullptr;
  const auto put = [&](const act& row) { add(row, from); };
  visit(teller_of_acts<decltype(put)>{from != nullptr, seq, put}, change);
}

void audit_columns::add(const act& act, const request_origin* from) {
  fact_columns::add({act,
                     !act.signed_by.empty() ? act.signed_by
                     : from                 ? from->credential
                                            : "the service itself",
                     from ? *from : request_origin{}});
}

void note_in_audit(connection& on, const audit_act& act, const request_origin* from, steady_time until) {
  audit_columns row;
  row.add(act, from);
  on.exec_params(audit_columns::how.sql.c_str(), row.finish(), until);
}

} // namespace credence::persistence
