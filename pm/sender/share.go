package sender

import (
	"time"

	"github.com/tuttinode/tutti/pm"
)

const (
	// clientShare: one client may have open this part of an orchestrator's bound, plus the
	// value of the recent work for it.
	clientShare = 8
	// maxClients bounds the clients of one orchestrator that are distinguished; further ones
	// share one record.
	maxClients = 1 << 12
)

// share is one client's part of an orchestrator's credit. It is guarded by Sender.mu.
type share struct {
	// open was paid for jobs of the client that failed because of it, inProgress for running
	// ones.
	open, inProgress pm.Value
	// drained is the part of open that other clients' tickets had left in balances.
	drained pm.Value
	// worked is the work for the client, in the spans of credit.worked.
	worked [2]pm.Value
}

// recent returns the work of the last two spans.
func (sh *share) recent() pm.Value { return sh.worked[0].Add(sh.worked[1]) }

// idle reports whether the record is empty.
func (sh *share) idle() bool {
	return sh.open.Sign() == 0 && sh.inProgress.Sign() == 0 && sh.recent().Sign() == 0
}

// share finds or makes a client's share.
func (c *credit) share(client string) *share {
	if sh := c.clients[client]; sh != nil {
		return sh
	}
	if len(c.clients) >= maxClients {
		client = ""
		if sh := c.clients[client]; sh != nil {
			return sh
		}
	}
	sh := new(share)
	c.clients[client] = sh
	return sh
}

// withinShare reports whether an amount may be paid for a client's jobs. One payment may exceed
// the rest of the client's share if it leaves an eighth of all to other clients.
func (c *credit) withinShare(amount, limit pm.Value, client *share) bool {
	used := minValue(client.open, c.waiting).Add(client.inProgress)
	most := divide(limit, clientShare).Add(client.recent())
	if used.Add(amount).Cmp(most) <= 0 {
		return true
	}
	all := c.waiting.Add(c.inProgress).Add(amount)
	return used.Cmp(most) < 0 && all.Times(clientShare).Cmp(c.bound(limit).Times(clientShare-1)) <= 0
}

// recordDrain moves the part of a client's failed job that was paid from a balance from missing
// to waiting: other clients' tickets had left it there, and this client is the cause. It
// returns the amount.
func (c *credit) recordDrain(client *share, v pm.Value) pm.Value {
	if v = floorWei(minValue(v, c.missing)); v.Sign() <= 0 {
		return pm.Value{}
	}
	c.missing, c.waiting = c.missing.Sub(v), c.waiting.Add(v)
	client.open, client.drained = client.open.Add(v), client.drained.Add(v)
	return v
}

// mayDraw reports whether a client's jobs may be paid from balances: not while the amount that
// it drained exceeds its share, and not without recent work while failed jobs of clients hold
// half of the bound and drained balances. Otherwise any number of new clients could each waste
// one job's value.
func (c *credit) mayDraw(limit pm.Value, client *share) bool {
	if client.recent().Sign() == 0 && c.waiting.Times(2).Cmp(c.bound(limit)) >= 0 && c.anyDrained() {
		return false
	}
	drained := minValue(client.drained, client.open, c.waiting)
	return drained.Sign() <= 0 || drained.Cmp(divide(limit, clientShare).Add(client.recent())) < 0
}

// anyDrained reports whether any client drained balances.
func (c *credit) anyDrained() bool {
	for _, sh := range c.clients {
		if sh.drained.Sign() > 0 {
			return true
		}
	}
	return false
}

// advanceShares brings the shares up to a time that the credit has reached: so many hours and
// spans later.
func (c *credit) advanceShares(hours time.Duration, spans int) {
	if hours <= 0 && spans == 0 {
		return
	}
	for _, sh := range c.clients {
		times := uint(min(max(0, hours), 1<<10))
		sh.open, sh.drained = halve(sh.open, times), halve(sh.drained, times)
		switch spans {
		case 0:
		case 1:
			sh.worked = [2]pm.Value{{}, sh.worked[0]}
		default:
			sh.worked = [2]pm.Value{}
		}
	}
}
