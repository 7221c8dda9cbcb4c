package ledger

import "github.com/tuttinode/tutti/core/database"

// tables returns the ledger's tables; the caller adds those of winning tickets. Times are
// nanoseconds since 1970. Amounts are decimal numbers or fractions in lowest terms, because no
// database integer holds every amount of wei.
func tables(tickets string) database.Tables {
	return database.Tables{Owner: "ledger", Content: "books",
		Steps: []string{secrets + books + tickets + totals, addLowHeight, addTotalIndex, addCommitCount, addMoved, addStale}}
}

const secrets = `CREATE TABLE ledger_token (
	one    INTEGER PRIMARY KEY CHECK (one = 1),
	secret BLOB NOT NULL CHECK (length(secret) = 32)
) STRICT;
CREATE TABLE ledger_epoch (
	id     INTEGER PRIMARY KEY,
	secret BLOB NOT NULL CHECK (length(secret) = 32),
	state  TEXT NOT NULL CHECK (state IN ('open', 'clean', 'crashed')),
	opened INTEGER NOT NULL,
	ended  INTEGER NOT NULL
) STRICT;
`

// ledger_state has one row: the number of the newest entry and of the newest that
// was rolled up, below which round that was done, and the layer-1 height at which
// sets were dropped last. An account's carried amount is the sum of its entries
// that were rolled up; live counts those that were not. A set's bits are in pages
// of pageNonces nonces, without the zeros at their end.
const books = `CREATE TABLE ledger_state (
	one      INTEGER PRIMARY KEY CHECK (one = 1),
	last     INTEGER NOT NULL,
	archived INTEGER NOT NULL,
	before   INTEGER NOT NULL,
	expired  INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_state (one, last, archived, before, expired) VALUES (1, 0, 0, 0, 0);
CREATE TABLE ledger_account (
	id      INTEGER PRIMARY KEY,
	sender  BLOB NOT NULL CHECK (length(sender) = 20),
	name    TEXT NOT NULL,
	open    INTEGER NOT NULL,
	balance TEXT NOT NULL,
	carried TEXT NOT NULL,
	live    INTEGER NOT NULL,
	price   TEXT NOT NULL,
	opened  INTEGER NOT NULL,
	used    INTEGER NOT NULL,
	UNIQUE (sender, name)
) STRICT;
CREATE INDEX ledger_account_open ON ledger_account (open, live);
CREATE TABLE ledger_set (
	id         INTEGER PRIMARY KEY,
	epoch      INTEGER NOT NULL,
	rand_hash  BLOB NOT NULL UNIQUE CHECK (length(rand_hash) = 32),
	sender     BLOB NOT NULL,
	face       TEXT NOT NULL,
	prob       BLOB NOT NULL,
	expiration INTEGER NOT NULL,
	credited   INTEGER NOT NULL,
	archived   INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_set_expiration ON ledger_set (expiration);
CREATE TABLE ledger_page (
	set_id INTEGER NOT NULL REFERENCES ledger_set ON DELETE CASCADE,
	page   INTEGER NOT NULL,
	bits   BLOB NOT NULL,
	PRIMARY KEY (set_id, page)
) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_entry (
	id         INTEGER PRIMARY KEY,
	kind       INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
	account    INTEGER NOT NULL,
	round      INTEGER NOT NULL,
	at         INTEGER NOT NULL,
	session    TEXT,
	rand_hash  BLOB,
	face       TEXT,
	prob       BLOB,
	tickets    INTEGER,
	nonces     BLOB,
	expiration INTEGER,
	pipeline   TEXT,
	model      TEXT,
	worker     TEXT,
	per_unit   INTEGER,
	pixels     INTEGER,
	units      INTEGER,
	produced   INTEGER,
	amount     TEXT,
	claimed    TEXT
) STRICT;
`

// From state on, a winner's columns repeat its newest progress.
const tickets = `CREATE TABLE ledger_winner (
	id         INTEGER PRIMARY KEY,
	hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
	sender     BLOB NOT NULL CHECK (length(sender) = 20),
	recipient  BLOB NOT NULL CHECK (length(recipient) = 20),
	face       TEXT NOT NULL,
	prob       BLOB NOT NULL,
	nonce      INTEGER NOT NULL,
	rand_hash  BLOB NOT NULL,
	round      INTEGER NOT NULL,
	round_hash BLOB NOT NULL,
	sig        BLOB NOT NULL,
	rand       BLOB NOT NULL,
	expiration INTEGER NOT NULL,
	account    TEXT NOT NULL,
	credited   INTEGER NOT NULL,
	won        INTEGER NOT NULL,
	state      TEXT NOT NULL,
	since      INTEGER NOT NULL,
	tx         BLOB NOT NULL,
	paid       TEXT NOT NULL,
	fee        TEXT NOT NULL,
	reason     TEXT NOT NULL,
	attempts   INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_winner_state ON ledger_winner (state, won);
CREATE INDEX ledger_winner_sender ON ledger_winner (sender, won);
CREATE INDEX ledger_winner_won ON ledger_winner (won);
CREATE INDEX ledger_winner_round ON ledger_winner (round);
CREATE TABLE ledger_progress (
	winner INTEGER NOT NULL REFERENCES ledger_winner ON DELETE CASCADE,
	n      INTEGER NOT NULL,
	state  TEXT NOT NULL,
	tx     BLOB NOT NULL,
	paid   TEXT NOT NULL,
	fee    TEXT NOT NULL,
	reason TEXT NOT NULL,
	at     INTEGER NOT NULL,
	PRIMARY KEY (winner, n)
) STRICT, WITHOUT ROWID;
`

const totals = `CREATE TABLE ledger_total (
	day      INTEGER NOT NULL,
	round    INTEGER NOT NULL,
	sender   BLOB NOT NULL,
	pipeline TEXT NOT NULL,
	model    TEXT NOT NULL,
	worker   TEXT NOT NULL,
	tickets  INTEGER NOT NULL,
	received TEXT NOT NULL,
	jobs     INTEGER NOT NULL,
	units    TEXT NOT NULL,
	produced TEXT NOT NULL,
	billed   TEXT NOT NULL,
	kept     TEXT NOT NULL,
	given    TEXT NOT NULL,
	winners  INTEGER NOT NULL,
	won      TEXT NOT NULL,
	redeemed TEXT NOT NULL,
	expired  TEXT NOT NULL,
	failed   TEXT NOT NULL,
	handed   TEXT NOT NULL,
	gas      TEXT NOT NULL,
	PRIMARY KEY (round, day, sender, pipeline, model, worker)
) STRICT, WITHOUT ROWID`

// addLowHeight adds the chain's layer-1 height when the ledger's was found to be wrong, 0 while
// it is right.
const addLowHeight = `ALTER TABLE ledger_state ADD COLUMN low INTEGER NOT NULL DEFAULT 0`

// addTotalIndex finds the totals of one sender.
const addTotalIndex = `CREATE INDEX ledger_total_sender ON ledger_total (sender, day)`

// addCommitCount counts the committed groups.
const addCommitCount = `ALTER TABLE ledger_state ADD COLUMN commits INTEGER NOT NULL DEFAULT 0`

// addMoved names the book that the ledger is moved into.
const addMoved = `ALTER TABLE ledger_state ADD COLUMN moved TEXT NOT NULL DEFAULT ''`

// addStale marks closings of accounts that may be of an older copy of the ledger. What was left
// in those pays no debt.
const addStale = `ALTER TABLE ledger_entry ADD COLUMN stale INTEGER NOT NULL DEFAULT 0`
