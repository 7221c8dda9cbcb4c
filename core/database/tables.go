package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Tables are one owner's tables and their migrations.
type Tables struct {
	// Owner is the prefix of the owner's tables. Its steps are counted in the table
	// <Owner>_schema.
	Owner string
	// Content is what the tables hold, for messages: "keys".
	Content string
	// Schema is the schema of the table that counts the steps, with a dot, where that is
	// not the first that the connection looks in.
	Schema string
	// Steps lead from an empty database to the present schema. Those that were
	// released are never changed; new ones are added at the end.
	Steps []string
}

var errNewer = errors.New("are of a newer version of tutti")

// Migrate brings the tables up to date. The transaction must be begun for
// writing, as that of a database from Open is, so that of two processes that open
// a new file one waits for the other.
func (t Tables) Migrate(ctx context.Context, db *sql.DB) error {
	if t.Owner == "" || strings.Trim(t.Owner, "abcdefghijklmnopqrstuvwxyz") != "" {
		return fmt.Errorf("%q owns no tables", t.Owner)
	}
	dialect, counted := DialectOf(db), t.Schema+t.Owner+`_schema`
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx,
		dialect.Definition(`CREATE TABLE IF NOT EXISTS `+counted+` (version INTEGER NOT NULL) STRICT`)); err != nil {
		return err
	}
	var version int
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM `+counted).Scan(&version); err != nil {
		return err
	}
	if version > len(t.Steps) {
		return fmt.Errorf("the %s in it %w (%d, this one knows %d)", t.Content, errNewer, version, len(t.Steps))
	}
	for ; version < len(t.Steps); version++ {
		if _, err := tx.ExecContext(ctx, dialect.Definition(t.Steps[version])); err != nil {
			return fmt.Errorf("migration %d: %w", version+1, err)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO `+counted+` (version) VALUES (?)`, version+1); err != nil {
			return err
		}
	}
	return tx.Commit()
}
