package guides

import (
	"database/sql"
	"os"
	"path/filepath"

	_ "github.com/mattn/go-sqlite3"
)

// leaveBehind makes what a node of the existing network leaves in its data directory,
// for the guide that takes it over: a key, and a database without tickets.
func (w *walk) leaveBehind(dir string) {
	w.must(os.MkdirAll(dir, 0o700))
	w.must(os.CopyFS(filepath.Join(dir, "keystore"), os.DirFS(w.world.keystore)))
	db, err := sql.Open("sqlite3", filepath.Join(dir, "lpdb.sqlite3"))
	w.must(err)
	_, err = db.Exec(`CREATE TABLE kv (key STRING PRIMARY KEY, value STRING, updatedAt STRING DEFAULT CURRENT_TIMESTAMP);
		CREATE TABLE ticketQueue (createdAt DATETIME DEFAULT CURRENT_TIMESTAMP, sender STRING, recipient STRING, faceValue ` +
		`BLOB, winProb BLOB,
			senderNonce INTEGER, recipientRand BLOB, recipientRandHash STRING, sig BLOB, creationRound INTEGER, ` +
		`creationRoundBlockHash STRING,
			paramsExpirationBlock INTEGER, redeemedAt DATETIME, txHash STRING);
		INSERT INTO kv (key, value) VALUES ('dbVersion', '1'), ('chainID', '42161')`)
	w.must(err)
	w.must(db.Close())
}
