package redeemer

import (
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// outage is since when a problem lasts, and its last reason.
type outage struct {
	since  time.Time
	reason string
}

func (t *outage) lasts(now time.Time, least time.Duration) bool {
	return !t.since.IsZero() && now.Sub(t.since) >= least
}

// recordReachable records whether the redeemer answers at all. When it is back, all tickets are
// due at once.
func (c *Client) recordReachable(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, fault.RedeemerUnreachable) {
		if c.away.since.IsZero() {
			c.away.since = c.opt.Now()
			c.wakeLoop()
		}
		_, c.away.reason = fault.Public(err)
		return
	}
	if c.away.since.IsZero() {
		return
	}
	c.away = outage{}
	for _, t := range c.tickets {
		t.next, t.fails = time.Time{}, 0
	}
	c.wakeLoop()
}

// updateConditionsLocked sets the conditions of problems that last.
func (c *Client) updateConditionsLocked(now time.Time) {
	lasts := c.away.lasts(now, c.opt.AlertAfter)
	c.setCondition(fault.RedeemerUntrusted, lasts && c.untrusted != "", c.untrusted)
	c.setCondition(fault.RedeemerUnreachable, lasts && c.untrusted == "", c.away.reason)
	c.updateRefusedLocked(now)
}

func (c *Client) setCondition(code fault.Code, holds bool, detail string) {
	if holds {
		c.opt.Board.Set(health.Key{Code: code}, detail)
	} else {
		c.opt.Board.Clear(health.Key{Code: code})
	}
}

func (c *Client) updateRefusedLocked(now time.Time) {
	key := health.Key{Code: fault.RedeemerRefuses}
	var sum core.Wei
	var reason string
	n := 0
	for _, t := range c.tickets {
		if t.refused.IsZero() || now.Sub(t.refused) < c.opt.AlertAfter {
			continue
		}
		n++
		sum = sum.Add(t.w.Ticket.FaceValue)
		reason = max(reason, t.reason) // one of them, and always the same
	}
	if n == 0 {
		c.opt.Board.Clear(key)
		return
	}
	c.opt.Board.Set(key, fmt.Sprintf("%s ETH in %d tickets; %s", sum.Ether(), n, reason))
}
