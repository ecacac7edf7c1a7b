#pragma once

#include "persistence/sql/audit_sql.hpp"
#include "persistence/sql/chain_sql.hpp"
#include "persistence/sql/idempotency_sql.hpp"
#include "persistence/sql/market_sql.hpp"
#include "persistence/sql/profile_sql.hpp"
#include "persistence/sql/project_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "persistence/sql/score_sql.hpp"
#include "persistence/sql/slash_sql.hpp"
#include "persistence/sql/wallet_sql.hpp"
#ifdef CREDENCE_EXAMPLE
#include "tests/example/note_sql.hpp"
#endif

/// The SQL of all entities that write, for whoever writes any change.
