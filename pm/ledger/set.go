package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// set is one set of ticket parameters in a group. An id of 0 is not on disk yet.
type set struct {
	id         int64
	sender     core.Address
	face       core.Wei
	prob       protocol.Word
	expiration protocol.L1Block
	credited   int64
	pages      map[int64]*page
	dirty      bool
}

type page struct {
	bits  []byte
	dirty bool
}

// checkCredit says whether a credit is consistent with the ledger: the terms of its set, the
// age of the set, and that none of its tickets was credited before. It changes nothing.
func (g *group) checkCredit(ctx context.Context, op string, c *pm.Credit) error {
	if g.now.expired > 0 && c.ExpirationBlock <= g.now.expired {
		return refused(op, fmt.Sprintf("the tickets expired at layer-1 block %d, and those up to %d were put away",
			c.ExpirationBlock, g.now.expired))
	}
	s, err := g.set(ctx, c)
	if err != nil {
		return err
	}
	if s.sender != c.Account.Sender || s.face.Cmp(c.FaceValue) != 0 || s.prob != c.WinProb ||
		s.expiration != c.ExpirationBlock {
		return refused(op, fmt.Sprintf("the set %v is known with other terms", c.RandHash))
	}
	for _, n := range c.Nonces {
		at, i, mask := bit(n)
		p, err := g.page(ctx, s, at)
		if err != nil {
			return err
		}
		if hasBit(p.bits, i, mask) {
			return refused(op, fmt.Sprintf("ticket %d of the set %v was credited before", n, c.RandHash))
		}
	}
	return nil
}

// set finds the set of a credit, or makes one that is stored by flush.
func (g *group) set(ctx context.Context, c *pm.Credit) (*set, error) {
	if s := g.sets[c.RandHash]; s != nil {
		return s, nil
	}
	s := &set{pages: make(map[int64]*page)}
	err := g.queryRow(ctx, findSet, c.RandHash[:]).Scan(&s.id, into(s.sender[:]), wei{&s.face}, into(s.prob[:]),
		&s.expiration, &s.credited)
	if errors.Is(err, sql.ErrNoRows) {
		s.sender, s.face, s.prob, s.expiration = c.Account.Sender, c.FaceValue, c.WinProb, c.ExpirationBlock
		return s, nil // kept only when a ticket is credited
	}
	if err != nil {
		return nil, err
	}
	g.sets[c.RandHash] = s
	return s, nil
}

func (g *group) page(ctx context.Context, s *set, at int64) (*page, error) {
	if p := s.pages[at]; p != nil {
		return p, nil
	}
	p := new(page)
	if s.id != 0 {
		err := g.queryRow(ctx, findPage, s.id, at).Scan(&p.bits)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
	}
	s.pages[at] = p
	return p, nil
}

// credit records tickets that checkCredit accepted.
func (g *group) credit(ctx context.Context, c *pm.Credit) error {
	a, err := g.account(ctx, c.Account, c.At)
	if err != nil {
		return err
	}
	s, err := g.set(ctx, c)
	if err != nil {
		return err
	}
	g.sets[c.RandHash], s.dirty = s, true
	for _, n := range c.Nonces {
		at, i, mask := bit(n)
		p, err := g.page(ctx, s, at)
		if err != nil {
			return err
		}
		p.bits, p.dirty = setBit(p.bits, i, mask), true
	}
	s.credited += int64(len(c.Nonces))
	a.open, a.balance = true, a.balance.Add(c.Value())
	a.live++
	_, err = g.exec(ctx, addCredit, g.next(), a.id, int64(c.Round), nanos(c.At), string(c.Session), c.RandHash[:],
		c.FaceValue.String(), c.WinProb[:],
		int64(len(c.Nonces)), packNonces(c.Nonces), int64(c.ExpirationBlock))
	return err
}

// flushSets writes the sets that the group credited.
func (g *group) flushSets(ctx context.Context) error {
	for hash, s := range g.sets {
		if !s.dirty {
			continue
		}
		if err := g.flushSet(ctx, hash, s); err != nil {
			return err
		}
	}
	return nil
}

func (g *group) flushSet(ctx context.Context, hash protocol.Hash, s *set) error {
	if s.id == 0 {
		var err error
		if s.id, err = g.insert(ctx, addSet, int64(g.epoch), hash[:], s.sender[:], s.face.String(), s.prob[:],
			int64(s.expiration)); err != nil {
			return err
		}
	}
	if _, err := g.exec(ctx, countSet, s.credited, s.id); err != nil {
		return err
	}
	for at, p := range s.pages {
		if !p.dirty {
			continue
		}
		if _, err := g.exec(ctx, setPage, s.id, at, p.bits); err != nil {
			return err
		}
	}
	return nil
}
