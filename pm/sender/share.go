package sender

import (
	"time"

	"github.com/tuttinode/tutti/pm"
)

const (
	// clientShare: one client may have open, beside as much as was worked for it recently,
	// this part of what an orchestrator may hold.
	clientShare = 8
	// maxClients bounds the clients of one orchestrator that are distinguished; further ones
	// have one share together.
	maxClients = 1 << 12
)

// share is one client's part of an orchestrator's credit. It is guarded by Sender.mu.
type share struct {
	// open was paid for jobs of the client that came to nothing by its own doing, inProgress
	// for those that are being done.
	open, inProgress pm.Value
	// drained is the part of open that others' tickets had left in balances.
	drained pm.Value
	// worked is the work for the client, in the spans of credit.worked.
	worked [2]pm.Value
}

// recent is the work of the last spans.
func (sh *share) recent() pm.Value { return sh.worked[0].Add(sh.worked[1]) }

// idle reports whether there is nothing to remember.
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

// shares reports whether so much more may be paid for a client's jobs. One payment may be
// larger than the client's share, or than what is left of it, if it leaves an eighth of all
// to other clients.
func (c *credit) withinShare(amount, limit pm.Value, client *share) bool {
	used := minValue(client.open, c.waiting).Add(client.inProgress)
	most := divide(limit, clientShare).Add(client.recent())
	if used.Add(amount).Cmp(most) <= 0 {
		return true
	}
	all := c.waiting.Add(c.inProgress).Add(amount)
	return used.Cmp(most) < 0 && all.Times(clientShare).Cmp(c.bound(limit).Times(clientShare-1)) <= 0
}

// drain counts what a client's job came to nothing of that was paid from a balance: others'
// tickets had left it there, so that it counts as missing by now, and is its client's doing.
// It returns how much that is.
func (c *credit) recordDrain(client *share, v pm.Value) pm.Value {
	if v = floorWei(minValue(v, c.missing)); v.Sign() <= 0 {
		return pm.Value{}
	}
	c.missing, c.waiting = c.missing.Sub(v), c.waiting.Add(v)
	client.open, client.drained = client.open.Add(v), client.drained.Add(v)
	return v
}

// draws reports whether a client's jobs may be paid from balances: not while what it wasted of
// them is its share, nor for one for which no work was done while clients wasted half of what
// may be held, and balances with it: as many as come would each waste one job's worth.
func (c *credit) mayDraw(limit pm.Value, client *share) bool {
	if client.recent().Sign() == 0 && c.waiting.Times(2).Cmp(c.bound(limit)) >= 0 && c.anyDrained() {
		return false
	}
	drained := minValue(client.drained, client.open, c.waiting)
	return drained.Sign() <= 0 || drained.Cmp(divide(limit, clientShare).Add(client.recent())) < 0
}

// drains reports whether clients wasted anything of balances.
func (c *credit) anyDrained() bool {
	for _, sh := range c.clients {
		if sh.drained.Sign() > 0 {
			return true
		}
	}
	return false
}

// passShares brings the shares up to a time that the credit has reached: so many hours are
// over, and so many spans.
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
