package keystore

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations are the steps from an empty database to the present schema. Steps
// that were released are never changed; new ones are added at the end. Other
// owners of tables in the same file count their own steps.
var migrations = []string{
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
}

// migrate brings the schema up to date. The transaction is begun for writing, so
// that of two processes that open a new file one waits for the other.
func migrate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS keys_schema (version INTEGER NOT NULL) STRICT`); err != nil {
		return err
	}
	var version int
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM keys_schema`).Scan(&version); err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("the keys in it are of a newer version of tutti (%d, this one knows %d)", version, len(migrations))
	}
	for ; version < len(migrations); version++ {
		if _, err := tx.ExecContext(ctx, migrations[version]); err != nil {
			return fmt.Errorf("migration %d: %w", version+1, err)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO keys_schema (version) VALUES (?)`, version+1); err != nil {
			return err
		}
	}
	return tx.Commit()
}
