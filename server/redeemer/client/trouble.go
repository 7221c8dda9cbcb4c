package client

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// codeTrailer is where our own redeemers name a refusal's code.
const codeTrailer = "tutti-code"

// meaning is a call's error as a fault: RedeemerUnreachable when nobody answered, and
// refused with the redeemer's words when it did.
func meaning(refused fault.Code, op string, err error, trailer metadata.MD) error {
	if err == nil {
		return nil
	}
	st := status.Convert(err)
	switch st.Code() {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return &fault.Fault{Code: fault.RedeemerUnreachable, Op: op, Detail: st.Message(), Err: err}
	}
	detail := st.Code().String() + " " + st.Message()
	if code := codeIn(trailer); code != "" && st.Code() != codes.Internal {
		detail = string(code) + ": " + detail
	}
	return &fault.Fault{Code: refused, Op: op, Detail: detail, Err: err}
}

func codeIn(trailer metadata.MD) fault.Code {
	for _, code := range trailer.Get(codeTrailer) {
		if _, known := fault.Lookup(fault.Code(code)); known {
			return fault.Code(code)
		}
	}
	return ""
}

// trouble is since when something lasts, and what was said of it last.
type trouble struct {
	since  time.Time
	reason string
}

func (t *trouble) lasts(now time.Time, least time.Duration) bool {
	return !t.since.IsZero() && now.Sub(t.since) >= least
}

// heard notes whether the redeemer answers at all. When it is back, nothing waits
// for its turn.
func (c *Client) heard(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, fault.RedeemerUnreachable) {
		if c.away.since.IsZero() {
			c.away.since = c.opt.Now()
			c.stir()
		}
		_, c.away.reason = fault.Public(err)
		return
	}
	if c.away.since.IsZero() {
		return
	}
	c.away = trouble{}
	for _, t := range c.tickets {
		t.next, t.fails = time.Time{}, 0
	}
	c.stir()
}

// alert shows what lasts. The caller holds mu.
func (c *Client) alert(now time.Time) {
	lasts := c.away.lasts(now, c.opt.AlertAfter)
	c.condition(fault.RedeemerUntrusted, lasts && c.untrusted != "", c.untrusted)
	c.condition(fault.RedeemerUnreachable, lasts && c.untrusted == "", c.away.reason)
	c.alertRefused(now)
}

func (c *Client) condition(code fault.Code, holds bool, detail string) {
	if holds {
		c.opt.Board.Set(health.Key{Code: code}, detail)
	} else {
		c.opt.Board.Clear(health.Key{Code: code})
	}
}

func (c *Client) alertRefused(now time.Time) {
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
