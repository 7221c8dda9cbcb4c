//go:build cgo

package migrate_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"
	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/migrate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var reader = migrate.Reader{Driver: "sqlite3"}

// fingerprint is everything about a directory that must not change.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %d %v", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(content))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEverythingIsReadAndNothingChanged(t *testing.T) {
	t.Parallel()
	old := makeOld(t, 3)
	before := fingerprint(t, old.dir)
	left, err := reader.Read(t.Context(), old.dir)
	if err != nil {
		t.Fatal(err)
	}
	if after := fingerprint(t, old.dir); after != before {
		t.Errorf("the directory was\n%s\nand is\n%s", before, after)
	}
	if left.ChainID != 42161 || len(left.Keys) != 1 || left.Keys[0].Address != old.account || len(left.Tickets) != 3 ||
		left.Redeemed != 1 || len(left.Damaged) != 0 {
		t.Fatalf("%+v", left)
	}
	for _, got := range left.Tickets {
		want := old.tickets[got.Hash]
		if got.Hash != got.Ticket.Hash() || got.Ticket.Signature != want.Ticket.Signature ||
			got.Ticket.RecipientRand != want.Ticket.RecipientRand || got.ExpirationBlock != want.ExpirationBlock {
			t.Errorf("read %+v\nwant %+v", got, want)
		}
	}
}

// A directory without write permission, as a backup is.
func TestAReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	old := makeOld(t, 1)
	for path, mode := range map[string]fs.FileMode{old.db(): 0o400, old.dir: 0o500} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(old.dir, 0o700) })
	if left, err := reader.Read(t.Context(), old.dir); err != nil || len(left.Tickets) != 1 {
		t.Error(left, err)
	}
}

// A node that was killed leaves a write-ahead log or a journal. What is in the log
// counts, and the log stays where it is.
func TestAnUnfinishedDatabase(t *testing.T) {
	t.Parallel()
	old := makeOld(t, 1)
	db := old.open(t)
	old.exec(t, db, `PRAGMA journal_mode = WAL`)
	old.win(t, db, "late", 77)
	if _, err := os.Stat(old.db() + "-wal"); err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, old.dir)
	left, err := reader.Read(t.Context(), old.dir)
	if err != nil || len(left.Tickets) != 2 {
		t.Fatal(left, err)
	}
	if fingerprint(t, old.dir) != before {
		t.Error("the directory changed")
	}
}

// Releases and other tools write the same values in several ways.
func TestClassesOfValues(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"addresses without 0x": `UPDATE ticketQueue SET sender = lower(substr(sender, 3)),
			recipient = upper(substr(recipient, 3))`,
		"bytes": `UPDATE ticketQueue SET recipientRandHash = unhex(substr(recipientRandHash, 3)),
			creationRoundBlockHash = unhex(substr(creationRoundBlockHash, 3))`,
		"hex signature": `UPDATE ticketQueue SET sig = '0x' || hex(sig)`,
		"hex amounts": `UPDATE ticketQueue SET faceValue = '0x' || hex(faceValue),
			recipientRand = '0x' || hex(recipientRand)`,
		"redeemed is empty": `UPDATE ticketQueue SET redeemedAt = '' WHERE redeemedAt IS NULL`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := makeOld(t, 2)
			old.exec(t, old.open(t), change)
			left, err := reader.Read(t.Context(), old.dir)
			if err != nil || len(left.Tickets) != 2 {
				t.Error(left, err)
			}
		})
	}
}

// A ticket that the contract would refuse forever is named and left out.
func TestDamagedTickets(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		`faceValue = x'01'`:                      "its signature is not its sender's",
		`recipientRand = x'01'`:                  "its random number is another",
		`sender = '0x12'`:                        "sender: 20 bytes expected, 4 found",
		`faceValue = 1.5e30`:                     "faceValue: a number that was rounded",
		`senderNonce = -1`:                       "senderNonce: not a number of 256 bits",
		`creationRound = '99999999999999999999'`: "creationRound: ",
		`sig = zeroblob(65)`:                     "its signature is not its sender's",
		`winProb = NULL`:                         "winProb: no number",
		`creationRoundBlockHash = 'xyz'`:         "creationRoundBlockHash: 32 bytes expected, 3 found",
		`recipientRandHash = zeroblob(1000000)`:  "recipientRandHash: 32 bytes expected, 1000000 found",
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			old := makeOld(t, 2)
			old.exec(t, old.open(t), `UPDATE ticketQueue SET `+change+` WHERE rowid = 1`)
			left, err := reader.Read(t.Context(), old.dir)
			if err != nil || len(left.Tickets) != 1 || len(left.Damaged) != 1 || !strings.Contains(left.Damaged[0], want) {
				t.Errorf("%+v %v, want %q", left, err, want)
			}
		})
	}
}

func TestDirectoriesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make func(t *testing.T) string
		code fault.Code
		text string
	}{
		"none": {func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") }, fault.OldDataMissing, "none"},
		"no column": {func(t *testing.T) string { return broken(t, `ALTER TABLE ticketQueue DROP COLUMN winProb`) },
			fault.OldDataUnreadable, "its table ticketQueue has no column winProb"},
		"chain": {func(t *testing.T) string { return broken(t, `UPDATE kv SET value = 'x' WHERE key = 'chainID'`) },
			fault.OldDataUnreadable, "the chain ID in it is no number"},
		"garbage": {func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, migrate.DatabaseName), []byte(strings.Repeat("garbage ", 1000)),
				0o600); err != nil {
				t.Fatal(err)
			}
			return dir
		}, fault.OldDataUnreadable, "file is not a database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := reader.Read(t.Context(), test.make(t))
			if !errors.Is(err, test.code) || !strings.Contains(err.Error(), test.text) {
				t.Error(err)
			}
		})
	}
}

func broken(t *testing.T, change string) string {
	old := makeOld(t, 1)
	old.exec(t, old.open(t), change)
	return old.dir
}

// An empty file is what a node leaves that was stopped at its first start.
func TestAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, migrate.DatabaseName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	left, err := reader.Read(t.Context(), dir)
	if err != nil || len(left.Tickets)+len(left.Keys) != 0 || left.ChainID != 0 {
		t.Error(left, err)
	}
}

func TestKeysAreCopiedOnce(t *testing.T) {
	t.Parallel()
	old, ours := makeOld(t, 0), t.TempDir()
	left, err := reader.Read(t.Context(), old.dir)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := migrate.CopyKeys(left.Keys, ours)
	if err != nil || len(copied) != 1 || copied[0].Address != old.account {
		t.Fatal(copied, err)
	}
	info, err := os.Stat(copied[0].Path)
	if err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(copied[0].Path) != filepath.Join(ours,
		migrate.KeystoreName) {
		t.Error(info, err)
	}
	again, err := migrate.CopyKeys(left.Keys, ours)
	if err != nil || len(again) != 0 {
		t.Error(again, err)
	}
	files, err := os.ReadDir(filepath.Join(ours, migrate.KeystoreName))
	if err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

// Another file of the same name is never replaced.
func TestAKeyIsNeverReplaced(t *testing.T) {
	t.Parallel()
	old, ours := makeOld(t, 0), t.TempDir()
	left, err := reader.Read(t.Context(), old.dir)
	if err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(ours, migrate.KeystoreName, filepath.Base(left.Keys[0].Path))
	if err := os.MkdirAll(filepath.Dir(there), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(there, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := migrate.CopyKeys(left.Keys, ours); !errors.Is(err, fault.KeystoreUnusable) {
		t.Error(err)
	}
	if got, err := os.ReadFile(there); err != nil || string(got) != "precious" {
		t.Error(string(got), err)
	}
}

// A database that another process writes is noticed; one that only reads it is no owner.
func TestHolder(t *testing.T) {
	t.Parallel()
	old := makeOld(t, 0)
	if owner := migrate.Holder(old.dir); owner != "" {
		t.Fatal(owner)
	}
	looking, err := os.Open(old.db())
	if err != nil {
		t.Fatal(err)
	}
	defer looking.Close()
	if owner := migrate.Holder(old.dir); owner != "" {
		t.Error("a reader is taken for the node:", owner)
	}
	db := old.open(t)
	old.exec(t, db, `INSERT INTO kv (key, value) VALUES ('x', 'y')`)
	if owner := migrate.Holder(old.dir); !strings.HasPrefix(owner, fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("%q", owner)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if owner := migrate.Holder(old.dir); owner != "" {
		t.Error(owner)
	}
}

func openOurs(t *testing.T) *migrate.Record {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(t.TempDir(), "tutti.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	r, err := migrate.OpenRecord(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheRecordKeepsWhatItWasGiven(t *testing.T) {
	t.Parallel()
	old, record, now := makeOld(t, 4), openOurs(t), time.Unix(1_800_000_000, 0)
	left, err := reader.Read(t.Context(), old.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{4, 0} {
		n, err := record.Stage(t.Context(), old.dir, left.Tickets, now)
		if err != nil || n != want {
			t.Fatal(n, err)
		}
	}
	waiting, err := record.Waiting(t.Context(), old.account)
	if err != nil || len(waiting) != 4 {
		t.Fatal(waiting, err)
	}
	for _, w := range waiting {
		if w.Ticket.Hash() != w.Hash || w.Ticket.FaceValue.Big().Cmp(big.NewInt(1e15)) != 0 {
			t.Errorf("%+v", w)
		}
	}
	if others, err := record.Waiting(t.Context(), [20]byte{9}); err != nil || len(others) != 0 {
		t.Error(others, err)
	}
	if err := record.Settle(t.Context(), waiting[0].Hash, migrate.Used, now); err != nil {
		t.Fatal(err)
	}
	if n, err := record.Stage(t.Context(), old.dir, left.Tickets, now); err != nil || n != 0 {
		t.Error("what is settled comes again", n, err)
	}
	if got, err := record.Counts(t.Context()); err != nil || got[migrate.Used] != 1 || got[migrate.Staged] != 3 {
		t.Error(got, err)
	}
}
