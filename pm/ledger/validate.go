package ledger

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// maxNameBytes bounds names of sessions, models and workers, and reasons.
const maxNameBytes = 4096

// validateEntries refuses entries that are invalid in any ledger: negative amounts, duplicates,
// values out of range.
func validateEntries(op string, e *pm.Entries) error {
	if err := validateCredits(op, e.Credits); err != nil {
		return err
	}
	for i := range e.Debits {
		d := &e.Debits[i]
		switch {
		case d.Units < 0 || d.Produced < -1 || d.Price.PerUnit < 0 || d.Price.PixelsPerUnit < 0:
			return refused(op, "a bill is negative")
		case !storable(uint64(d.Round), d.At):
			return refused(op, "a bill's round or time is out of range")
		case len(d.Account.Key)+len(d.Session)+len(d.Pipeline)+len(d.Model)+len(d.Worker) > maxNameBytes:
			return refused(op, "a bill's names are too long")
		}
	}
	for i := range e.Closings {
		if c := &e.Closings[i]; !storable(uint64(c.Round), c.At) || len(c.Account.Key) > maxNameBytes {
			return refused(op, "a closing's round, time or name is out of range")
		}
	}
	return validateWinners(op, e.Winners)
}

func validateCredits(op string, credits []pm.Credit) error {
	type ticket struct {
		set   protocol.Hash
		nonce uint32
	}
	seen := make(map[ticket]bool)
	sets := make(map[protocol.Hash]*pm.Credit)
	for i := range credits {
		c := &credits[i]
		if problem := creditProblem(c); problem != "" {
			return refused(op, problem)
		}
		first := sets[c.RandHash]
		if first != nil && (first.Account.Sender != c.Account.Sender || first.FaceValue.Cmp(c.FaceValue) != 0 ||
			first.WinProb != c.WinProb || first.ExpirationBlock != c.ExpirationBlock) {
			return refused(op, fmt.Sprintf("the set %v has two terms", c.RandHash))
		}
		sets[c.RandHash] = c
		for _, n := range c.Nonces {
			t := ticket{c.RandHash, n}
			if seen[t] {
				return refused(op, fmt.Sprintf("ticket %d of the set %v is there twice", n, c.RandHash))
			}
			seen[t] = true
		}
	}
	return nil
}

func creditProblem(c *pm.Credit) string {
	switch {
	case len(c.Nonces) == 0:
		return "a credit has no tickets"
	case c.FaceValue.IsZero() || c.WinProb.IsZero():
		return "a credit is worth nothing"
	case c.RandHash.IsZero() || c.Account.Sender.IsZero():
		return "a credit has no set or no sender"
	case !storable(uint64(c.Round), c.At) || uint64(c.ExpirationBlock) > math.MaxInt64:
		return "a credit's round, time or expiration is out of range"
	case len(c.Account.Key)+len(c.Session) > maxNameBytes:
		return "a credit's names are too long"
	}
	return ""
}

func validateWinners(op string, winners []pm.Winner) error {
	seen := make(map[protocol.Hash]bool)
	for i := range winners {
		w := &winners[i]
		t := &w.Ticket
		switch {
		case seen[w.Hash]:
			return refused(op, fmt.Sprintf("the winner %v is there twice", w.Hash))
		case w.Hash.IsZero() || t.Sender.IsZero():
			return refused(op, "a winner has no hash or no sender")
		case w.Account.Sender != t.Sender:
			return refused(op, "a winner is of another sender than its account")
		case w.State != "" && w.State != pm.TicketWon:
			return refused(op, "a winner begins in another state than won")
		case !storable(uint64(t.CreationRound), w.Won) || uint64(w.ExpirationBlock) > math.MaxInt64 ||
			t.SenderNonce > math.MaxUint32:
			return refused(op, "a winner's round, time, expiration or nonce is out of range")
		case len(w.Account.Key) > maxNameBytes:
			return refused(op, "a winner's names are too long")
		}
		seen[w.Hash] = true
	}
	return nil
}

func validateProgress(op string, p *pm.Progress) error {
	switch p.State {
	case pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined, pm.TicketFinal, pm.TicketFailed,
		pm.TicketExpired, pm.TicketHanded:
	default:
		return refused(op, fmt.Sprintf("%q is no state of a ticket", p.State))
	}
	if !storable(0, p.At) {
		return refused(op, "a time is out of range")
	}
	return nil
}

// truncated cuts a foreign text to maxNameBytes.
func truncated(text string) string {
	if len(text) <= maxNameBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxNameBytes], "")
}

// storable reports whether a round and a time can be stored. A time before 1970 or after 2262
// means a wrong clock.
func storable(round uint64, at time.Time) bool {
	return round <= math.MaxInt64 && !at.Before(time.Unix(0, 0)) && at.Year() < 2262
}
