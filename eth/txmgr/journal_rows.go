package txmgr

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// columns are those of journal_tx after its account, in the order of scan.
const columns = `id, nonce, once, until, verb, about, addr, input, wei, gas, ` +
	`state, settled, mined, code, reason, resent, sent, updated`

// errConflict is the error of writing over another process's record.
var errConflict = errors.New("the journal has another transaction under this ID: " +
	"another process writes it for the same account")

// put writes a record. Signed bytes never change: where the journal holds something else for the ID, or for
// one of the attempts, another process wrote it, and nothing that is missing from the journal may be sent.
func (s *JournalStore) put(ctx context.Context, tx *sql.Tx, r Record) error {
	mined := ""
	if r.Mined != nil {
		text, err := json.Marshal(r.Mined)
		if err != nil {
			return err
		}
		mined = string(text)
	}
	err := mustAffectOne(tx.ExecContext(ctx, `INSERT INTO journal_tx (chain, account, `+columns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (chain, account, id) DO UPDATE SET state = excluded.state, settled = excluded.settled,
		mined = excluded.mined,
		code = excluded.code, reason = excluded.reason, updated = excluded.updated
		WHERE nonce = excluded.nonce AND once = excluded.once AND addr = excluded.addr
		AND input = excluded.input AND wei = excluded.wei`,
		s.chain, s.account, int64(r.ID), int64(r.Nonce), r.Once, int64(r.Until), r.Call.Verb, r.Call.About, r.Call.Addr[:],
		bytesOf(r.Call.Input), r.Call.Value().String(),
		int64(r.Gas), string(r.State), r.Settled, mined, string(r.Code), r.Reason, r.Resent, nanos(r.Sent), nanos(r.Update)))
	for n, a := range r.Attempts {
		if err != nil {
			return err
		}
		// An attempt that is recorded keeps its bytes; only those of old attempts are dropped.
		err = mustAffectOne(tx.ExecContext(ctx, `INSERT INTO journal_attempt (chain, account, id, n, hash, raw, cancel, `+
			`repriced, signed)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (chain, account, id, n) DO UPDATE SET n = excluded.n WHERE hash = excluded.hash`,
			s.chain, s.account, int64(r.ID), n, a.Hash[:], bytesOf(a.Raw), a.Cancel, a.Repriced, nanos(a.Signed)))
	}
	return err
}

// mustAffectOne is the error of a statement that must write one row.
func mustAffectOne(done sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err == nil && n != 1 {
		err = errConflict
	}
	return err
}

// bytesOf keeps an empty column from being NULL.
func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// errDamaged: a row is not what this package writes.
var errDamaged = errors.New("its row is damaged")

func scan(rows *sql.Rows) (Record, error) {
	var r Record
	var id, nonce, until, gas, sent, updated int64
	var addr []byte
	var wei, state, mined, code string
	err := rows.Scan(&id, &nonce, &r.Once, &until, &r.Call.Verb, &r.Call.About, &addr, &r.Call.Input, &wei, &gas,
		&state, &r.Settled, &mined, &code, &r.Reason, &r.Resent, &sent, &updated)
	if err != nil {
		return r, err
	}
	r.ID, r.Nonce, r.Until, r.Gas = uint64(id), uint64(nonce), protocol.L1Block(until), protocol.Gas(gas)
	r.Sent, r.Update, r.State, r.Code = timeOf(sent), timeOf(updated), protocol.TxState(state), fault.Code(code)
	value, ok := new(big.Int).SetString(wei, 10)
	if !ok || len(addr) != common.AddressLength {
		return r, fmt.Errorf("transaction %d: %w: not an amount or an address", id, errDamaged)
	}
	r.Call.Addr, r.Call.Wei = common.Address(addr), value
	if mined != "" {
		r.Mined = new(JournalMined)
		err = json.Unmarshal([]byte(mined), r.Mined)
	}
	return r, err
}

func (s *JournalStore) attempts(ctx context.Context, id uint64) ([]JournalAttempt, error) {
	rows, err := s.db.QueryContext(ctx,
		`SELECT hash, raw, cancel, repriced, signed FROM journal_attempt
		WHERE chain = ? AND account = ? AND id = ? ORDER BY n`,
		s.chain, s.account, int64(id))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []JournalAttempt
	for rows.Next() {
		var a JournalAttempt
		var hash []byte
		var signed int64
		if err := rows.Scan(&hash, &a.Raw, &a.Cancel, &a.Repriced, &signed); err != nil {
			return nil, err
		}
		if len(hash) != len(a.Hash) {
			return nil, fmt.Errorf("transaction %d: %w: not a hash", id, errDamaged)
		}
		a.Hash, a.Signed = protocol.TxHash(hash), timeOf(signed)
		out = append(out, a)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}
