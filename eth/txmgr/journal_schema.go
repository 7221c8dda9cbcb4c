package txmgr

import "github.com/tuttinode/tutti/core/database"

// tables returns those of the journal. Times are nanoseconds since 1970, amounts of
// wei decimal numbers.
func tables() database.Tables {
	return database.Tables{Owner: "journal", Content: "transactions", Steps: []string{
		`CREATE TABLE journal_tx (
			chain   INTEGER NOT NULL,
			account BLOB NOT NULL,
			id      INTEGER NOT NULL,
			nonce   INTEGER NOT NULL,
			once    TEXT NOT NULL,
			until   INTEGER NOT NULL,
			verb    TEXT NOT NULL,
			about   TEXT NOT NULL,
			addr    BLOB NOT NULL,
			input   BLOB NOT NULL,
			wei     TEXT NOT NULL,
			gas     INTEGER NOT NULL,
			state   TEXT NOT NULL,
			settled INTEGER NOT NULL,
			mined   TEXT NOT NULL,
			code    TEXT NOT NULL,
			reason  TEXT NOT NULL,
			resent  INTEGER NOT NULL,
			sent    INTEGER NOT NULL,
			updated INTEGER NOT NULL,
			PRIMARY KEY (chain, account, id)
		) STRICT, WITHOUT ROWID;
		CREATE INDEX journal_tx_once ON journal_tx (chain, account, once, id) WHERE once <> '';
		CREATE INDEX journal_tx_open ON journal_tx (chain, account, settled, id);
		CREATE TABLE journal_attempt (
			chain    INTEGER NOT NULL,
			account  BLOB NOT NULL,
			id       INTEGER NOT NULL,
			n        INTEGER NOT NULL,
			hash     BLOB NOT NULL,
			raw      BLOB NOT NULL,
			cancel   INTEGER NOT NULL,
			signed   INTEGER NOT NULL,
			PRIMARY KEY (chain, account, id, n),
			FOREIGN KEY (chain, account, id) REFERENCES journal_tx ON DELETE CASCADE
		) STRICT, WITHOUT ROWID`,
		`ALTER TABLE journal_attempt ADD COLUMN repriced INTEGER NOT NULL DEFAULT 0`,
		// What belongs to another chain with the same number is set aside.
		`CREATE TABLE journal_chain (
			chain   INTEGER NOT NULL,
			account BLOB NOT NULL,
			genesis BLOB NOT NULL CHECK (length(genesis) = 32),
			PRIMARY KEY (chain, account)
		) STRICT, WITHOUT ROWID;
		CREATE TABLE journal_tx_past (
			chain   INTEGER NOT NULL,
			account BLOB NOT NULL,
			genesis BLOB NOT NULL,
			id      INTEGER NOT NULL,
			nonce   INTEGER NOT NULL,
			once    TEXT NOT NULL,
			until   INTEGER NOT NULL,
			verb    TEXT NOT NULL,
			about   TEXT NOT NULL,
			addr    BLOB NOT NULL,
			input   BLOB NOT NULL,
			wei     TEXT NOT NULL,
			gas     INTEGER NOT NULL,
			state   TEXT NOT NULL,
			settled INTEGER NOT NULL,
			mined   TEXT NOT NULL,
			code    TEXT NOT NULL,
			reason  TEXT NOT NULL,
			resent  INTEGER NOT NULL,
			sent    INTEGER NOT NULL,
			updated INTEGER NOT NULL,
			PRIMARY KEY (chain, account, genesis, id)
		) STRICT, WITHOUT ROWID;
		CREATE TABLE journal_attempt_past (
			chain    INTEGER NOT NULL,
			account  BLOB NOT NULL,
			genesis  BLOB NOT NULL,
			id       INTEGER NOT NULL,
			n        INTEGER NOT NULL,
			hash     BLOB NOT NULL,
			raw      BLOB NOT NULL,
			cancel   INTEGER NOT NULL,
			repriced INTEGER NOT NULL,
			signed   INTEGER NOT NULL,
			PRIMARY KEY (chain, account, genesis, id, n),
			FOREIGN KEY (chain, account, genesis, id) REFERENCES journal_tx_past ON DELETE CASCADE
		) STRICT, WITHOUT ROWID`,
	}}
}
