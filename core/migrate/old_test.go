//go:build cgo

package migrate_test

import (
	"crypto/ecdsa"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/migrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// old is a data directory as an existing node leaves it.
type old struct {
	dir     string
	account core.Address
	gateway *ecdsa.PrivateKey
	tickets map[protocol.Hash]migrate.Ticket
}

// oldTables are the existing node's, with the columns that are known of it.
const oldTables = `CREATE TABLE kv (key STRING PRIMARY KEY, value STRING, updatedAt STRING DEFAULT CURRENT_TIMESTAMP);
INSERT INTO kv (key, value) VALUES ('dbVersion', '1'), ('chainID', '42161'), ('lastBlock', '270000000');
CREATE TABLE orchestrators (ethereumAddr STRING PRIMARY KEY, serviceURI STRING);
CREATE TABLE unbondingLocks (id INTEGER, delegator STRING, PRIMARY KEY (id, delegator));
CREATE TABLE blockheaders (number INT64, parent STRING, hash STRING PRIMARY KEY, logs BLOB);
CREATE TABLE ticketQueue (
	createdAt DATETIME DEFAULT CURRENT_TIMESTAMP, sender STRING, recipient STRING, faceValue BLOB, winProb BLOB,
		senderNonce INTEGER,
	recipientRand BLOB, recipientRandHash STRING, sig BLOB PRIMARY KEY, creationRound INT64, creationRoundBlockHash STRING,
	paramsExpirationBlock INT64, redeemedAt DATETIME, txHash STRING);`

func makeOld(t testing.TB, tickets int) *old {
	t.Helper()
	key, err := crypto.HexToECDSA("4646464646464646464646464646464646464646464646464646464646464646")
	if err != nil {
		t.Fatal(err)
	}
	o := &old{dir: t.TempDir(), account: core.Address{0xaa, 0xbb, 19: 1}, gateway: key,
		tickets: make(map[protocol.Hash]migrate.Ticket)}
	dir := filepath.Join(o.dir, migrate.KeystoreName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	sealed := fmt.Sprintf(`{"address":"%s","crypto":{"cipher":"aes-128-ctr"},"id":"x","version":3}`,
		hex.EncodeToString(o.account[:]))
	for name, content := range map[string]string{"UTC--2023-01-02T03-04-05.000000000Z--" +
		hex.EncodeToString(o.account[:]): sealed, "notes.txt": "no key"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	db := o.open(t)
	o.exec(t, db, oldTables)
	for i := range tickets {
		o.win(t, db, fmt.Sprint("set ", i), uint64(i+1))
	}
	if tickets > 0 {
		w := o.win(t, db, "redeemed", 1)
		o.exec(t, db, `UPDATE ticketQueue SET redeemedAt = CURRENT_TIMESTAMP, txHash = '0x1234' WHERE sig = ?`,
			w.Ticket.Signature[:])
		delete(o.tickets, w.Hash)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *old) db() string { return filepath.Join(o.dir, migrate.DatabaseName) }

func (o *old) open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", o.db())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (o *old) exec(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// win adds a ticket that surely wins.
func (o *old) win(t testing.TB, db *sql.DB, set string, nonce uint64) migrate.Ticket {
	t.Helper()
	most, _ := protocol.WordOf(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)))
	random := protocol.Word(crypto.Keccak256([]byte(set)))
	w := protocol.WinningTicket{
		Recipient: o.account, Sender: core.Address(crypto.PubkeyToAddress(o.gateway.PublicKey)),
		FaceValue: core.NewWei(1e15), WinProb: most,
		SenderNonce: nonce, RecipientRand: random, RecipientRandHash: pm.RandHash(random),
		CreationRound: 3500, CreationRoundHash: protocol.Hash(crypto.Keccak256([]byte("round"))),
	}
	hash := w.Hash()
	digest := signature.EthDigest(hash[:])
	sig, err := crypto.Sign(digest[:], o.gateway)
	if err != nil {
		t.Fatal(err)
	}
	sig[64] += 27
	w.Signature = [65]byte(sig)
	ticket := migrate.Ticket{Hash: hash, Ticket: w, ExpirationBlock: 20_000_040}
	o.tickets[hash] = ticket
	o.exec(t, db, `INSERT INTO ticketQueue (sender, recipient, faceValue, winProb, senderNonce, recipientRand,
		recipientRandHash, sig, creationRound, creationRoundBlockHash, paramsExpirationBlock)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, w.Sender.String(), w.Recipient.String(), w.FaceValue.Big().Bytes(),
		w.WinProb.Big().Bytes(), int64(w.SenderNonce),
		w.RecipientRand.Big().Bytes(), w.RecipientRandHash.String(), sig, int64(w.CreationRound),
		w.CreationRoundHash.String(), int64(ticket.ExpirationBlock))
	return ticket
}
