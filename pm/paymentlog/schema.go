package paymentlog

import "github.com/tuttinode/tutti/core/database"

// tables returns the payments one by one, sums of older ones, and the credits of orchestrators.
// Ticket amounts are numerators over 2^256-1, so that sums stay exact.
func tables() database.Tables {
	return database.Tables{Owner: "spent", Content: "payments", Steps: []string{
		`CREATE TABLE spent_payment (
			id         INTEGER PRIMARY KEY,
			sender     BLOB NOT NULL,
			recipient  BLOB NOT NULL,
			peer       TEXT NOT NULL,
			account    TEXT NOT NULL,
			pipeline   TEXT NOT NULL,
			model      TEXT NOT NULL,
			rand_hash  BLOB NOT NULL,
			first      INTEGER NOT NULL,
			last       INTEGER NOT NULL,
			face_value BLOB NOT NULL,
			win_prob   BLOB NOT NULL,
			expires    INTEGER NOT NULL,
			price      INTEGER NOT NULL,
			per        INTEGER NOT NULL,
			estimate   INTEGER NOT NULL,
			at         INTEGER NOT NULL,
			state      TEXT NOT NULL,
			units      INTEGER NOT NULL,
			settled    INTEGER NOT NULL
		) STRICT;
		CREATE TABLE spent_total (
			sender    BLOB NOT NULL,
			day       TEXT NOT NULL,
			recipient BLOB NOT NULL,
			pipeline  TEXT NOT NULL,
			model     TEXT NOT NULL,
			payments  INTEGER NOT NULL,
			tickets   INTEGER NOT NULL,
			value     BLOB NOT NULL,
			open      BLOB NOT NULL,
			units     INTEGER NOT NULL,
			billed    TEXT NOT NULL,
			PRIMARY KEY (sender, day, recipient, pipeline, model)
		) STRICT, WITHOUT ROWID`,
		`CREATE TABLE spent_credit (
			sender   BLOB NOT NULL,
			payee    TEXT NOT NULL,
			unworked TEXT NOT NULL,
			halved   INTEGER NOT NULL,
			worked   TEXT NOT NULL,
			earlier  TEXT NOT NULL,
			span     INTEGER NOT NULL,
			stopped  INTEGER NOT NULL,
			PRIMARY KEY (sender, payee)
		) STRICT, WITHOUT ROWID`,
		`ALTER TABLE spent_credit ADD COLUMN waiting TEXT NOT NULL DEFAULT '0';
		ALTER TABLE spent_credit ADD COLUMN left_now TEXT NOT NULL DEFAULT '0';
		ALTER TABLE spent_credit ADD COLUMN left_earlier TEXT NOT NULL DEFAULT '0'`,
		// lost and cost are empty in rows of before.
		`ALTER TABLE spent_payment ADD COLUMN lost TEXT NOT NULL DEFAULT '';
		ALTER TABLE spent_payment ADD COLUMN charged TEXT NOT NULL DEFAULT '0';
		ALTER TABLE spent_total ADD COLUMN cost TEXT NOT NULL DEFAULT '';
		ALTER TABLE spent_total ADD COLUMN charged TEXT NOT NULL DEFAULT '0';
		CREATE TABLE spent_writeoff (
			sender BLOB NOT NULL,
			day    TEXT NOT NULL,
			reason TEXT NOT NULL,
			value  TEXT NOT NULL,
			PRIMARY KEY (sender, day, reason)
		) STRICT, WITHOUT ROWID`,
	}}
}
