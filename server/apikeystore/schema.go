package apikeystore

import "github.com/tuttinode/tutti/core/database"

// tables returns those of API keys. Other owners of tables in the same file count
// their own steps.
func tables() database.Tables {
	return database.Tables{Owner: "keys", Content: "keys", Steps: []string{
		`CREATE TABLE keys_key (
		id          TEXT PRIMARY KEY,
		name        TEXT NOT NULL,
		hash        BLOB NOT NULL UNIQUE,
		models      TEXT NOT NULL,
		rpm         INTEGER NOT NULL,
		tpm         INTEGER NOT NULL,
		concurrency INTEGER NOT NULL,
		budget      INTEGER NOT NULL,
		period      TEXT NOT NULL,
		expires     INTEGER NOT NULL,
		revoked     INTEGER NOT NULL,
		created     INTEGER NOT NULL
	) STRICT;
	CREATE UNIQUE INDEX keys_key_name ON keys_key (name) WHERE revoked = 0;
	CREATE TABLE keys_usage (
		id       TEXT PRIMARY KEY,
		period   TEXT NOT NULL,
		start    INTEGER NOT NULL,
		used     INTEGER NOT NULL,
		reserved INTEGER NOT NULL,
		requests INTEGER NOT NULL
	) STRICT`,
		`ALTER TABLE keys_key ADD COLUMN budget_wei TEXT NOT NULL DEFAULT '0';
	ALTER TABLE keys_key ADD COLUMN budget_usd TEXT NOT NULL DEFAULT '0';
	ALTER TABLE keys_key ADD COLUMN alert INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE keys_key ADD COLUMN admin INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE keys_usage ADD COLUMN paid TEXT NOT NULL DEFAULT '0';
	ALTER TABLE keys_usage ADD COLUMN held TEXT NOT NULL DEFAULT '0';
	ALTER TABLE keys_usage ADD COLUMN paid_usd TEXT NOT NULL DEFAULT '0';
	ALTER TABLE keys_usage ADD COLUMN held_usd TEXT NOT NULL DEFAULT '0';
	CREATE TABLE keys_spend (
		day        TEXT NOT NULL,
		id         TEXT NOT NULL,
		name       TEXT NOT NULL,
		pipeline   TEXT NOT NULL,
		model      TEXT NOT NULL,
		user       TEXT NOT NULL,
		tags       TEXT NOT NULL,
		requests   INTEGER NOT NULL,
		prompt     INTEGER NOT NULL,
		completion INTEGER NOT NULL,
		units      INTEGER NOT NULL,
		paid       TEXT NOT NULL,
		lost       TEXT NOT NULL,
		usd        TEXT NOT NULL,
		PRIMARY KEY (day, id, pipeline, model, user, tags)
	) STRICT, WITHOUT ROWID`,
		`CREATE TABLE keys_late (
		id          TEXT NOT NULL,
		period      TEXT NOT NULL,
		start       INTEGER NOT NULL,
		used_before INTEGER NOT NULL,
		used_after  INTEGER NOT NULL,
		paid_before TEXT NOT NULL,
		paid_after  TEXT NOT NULL,
		usd_before  TEXT NOT NULL,
		usd_after   TEXT NOT NULL
	) STRICT`,
		`ALTER TABLE keys_usage ADD COLUMN last INTEGER NOT NULL DEFAULT 0`,
	}}
}
