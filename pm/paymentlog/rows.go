package paymentlog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

const (
	columns = `id, recipient, peer, account, pipeline, model, rand_hash, first, last, face_value, win_prob, expires,
		price, per, estimate, at, state, units, settled, lost, charged`
	insertPayment = `INSERT INTO spent_payment (sender, ` + columns +
		`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	settlePayment = `UPDATE spent_payment SET state = ?, units = ?, settled = ?, lost = ?, charged = ? WHERE id = ?`
	// pageSize is how many payments a report reads at once. Payments are written between pages:
	// the database has one connection.
	pageSize = 1000
)

// values returns a payment's columns.
func values(sender core.Address, p *Payment) []any {
	return []any{
		sender[:], int64(p.ID), p.Recipient[:], p.Peer, string(p.Account), p.Pipeline, p.Model, p.RandHash[:],
		int64(p.First), int64(p.Last), p.FaceValue.Big().Bytes(), p.WinProb[:], int64(p.ExpirationBlock),
		p.Price.PerUnit, p.Price.PixelsPerUnit, p.Estimate, unixNano(p.At), string(p.State), p.Units, unixNano(p.Settled),
		p.Lost.Rat().RatString(), p.Charged.String(),
	}
}

// errDamaged: a row is not what this package writes.
var errDamaged = errors.New("the stored row is damaged")

// scan reads a payment.
func scan(rows *sql.Rows) (p Payment, err error) {
	var recipient, hash, face, prob []byte
	var lost, charged string
	var first, last, expires, at, settled int64
	err = rows.Scan(&p.ID, &recipient, &p.Peer, &p.Account, &p.Pipeline, &p.Model, &hash, &first, &last, &face, &prob,
		&expires,
		&p.Price.PerUnit, &p.Price.PixelsPerUnit, &p.Estimate, &at, &p.State, &p.Units, &settled, &lost, &charged)
	if err != nil {
		return p, err
	}
	if p.FaceValue, err = core.WeiOf(new(big.Int).SetBytes(face)); err != nil {
		return p, fmt.Errorf("payment %d: %w", p.ID, err)
	}
	if len(recipient) != len(p.Recipient) || len(hash) != len(p.RandHash) || len(prob) != len(p.WinProb) ||
		!p.State.known() {
		return p, fmt.Errorf("payment %d: %w", p.ID, errDamaged)
	}
	p.Recipient, p.RandHash, p.WinProb = core.Address(recipient), protocol.Hash(hash), protocol.Word(prob)
	p.First, p.Last, p.ExpirationBlock = uint32(first), uint32(last), protocol.L1Block(expires)
	p.At = time.Unix(0, at)
	if settled != 0 {
		p.Settled = time.Unix(0, settled)
	}
	if lost == "" && (p.State == Refused || p.State == Failed) {
		p.Lost = p.Value()
	} else if p.Lost, err = valueOf(lost); err != nil {
		return p, fmt.Errorf("payment %d: %w", p.ID, err)
	}
	if charged != "0" { // the zero value
		if p.Charged, err = core.ParseWei(charged); err != nil {
			return p, fmt.Errorf("payment %d: %w", p.ID, err)
		}
	}
	return p, nil
}

// valueOf reads a fraction; "" and "0" are the zero value.
func valueOf(text string) (pm.Value, error) {
	if text == "" || text == "0" {
		return pm.Value{}, nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return pm.Value{}, errDamaged
	}
	return pm.ValueOf(r), nil
}

// page reads the payments after one, in order.
func (s *Store) page(ctx context.Context, after ID, most int) ([]Payment, error) {
	return s.query(ctx, `SELECT `+columns+` FROM spent_payment WHERE sender = ? AND id > ? ORDER BY id LIMIT ?`,
		s.opt.Sender[:], int64(after), most)
}

func (s *Store) query(ctx context.Context, q string, args ...any) (out []Payment, err error) {
	rows, err := s.db.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		p, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

// Each calls f for every payment that is stored one by one, oldest first, until it returns an
// error.
func (s *Store) Each(ctx context.Context, f func(*Payment) error) error {
	if err := s.Flush(ctx); err != nil {
		return err
	}
	s.folding.RLock()
	defer s.folding.RUnlock()
	return s.each(ctx, f)
}

func (s *Store) each(ctx context.Context, f func(*Payment) error) error {
	for last := ID(0); ; {
		page, err := s.page(ctx, last, pageSize)
		if err != nil {
			return failed("read the account of payments", err)
		}
		for i := range page {
			if err := f(&page[i]); err != nil {
				return err
			}
			last = page[i].ID
		}
		if len(page) < pageSize {
			return nil
		}
	}
}
