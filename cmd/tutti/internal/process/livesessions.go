package process

import (
	"context"
	"encoding/gob"
	"net"
	"time"

	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/liverunner"
)

// updateTime limits how long an update to the other process may take.
const updateTime = 5 * time.Second

// update is what one process of an upgrade tells the other. A process drops the fields that it does not know.
type update struct {
	// Ended and Used are live sessions, see liverunner.Update.
	Ended, Used []string
	// Late are charges for work in the previous process, Unpaid the numbers of work whose account does not pay for it.
	Late   []orchestrate.LateCharge
	Unpaid []uint64
	// Bills are those of other work that ended in the previous process.
	Bills []pm.Debit
	// sent is closed once all updates before this one are sent; it is no update then.
	sent chan struct{}
}

// link is one end of the connection to the other process.
type link struct {
	receive func(update)
	close   func()
}

// shares reports whether the node has work that an upgrade leaves in two processes.
func (n *Parts) shares() bool { return n.Live != nil || n.Capabilities != nil || n.Books != nil }

// linkBefore connects the node with the previous process, whose work it charges for.
func (n *Parts) linkBefore(send func(update)) link {
	live := n.liveLink((*liverunner.Server).LineBefore, send)
	return link{close: live.close, receive: func(u update) {
		live.receive(u)
		for i := range u.Late {
			c := &u.Late[i]
			if n.Capabilities == nil || !n.Capabilities.TakesCharges() || !n.Rules.ChargeLate(context.Background(), c) {
				send(update{Unpaid: []uint64{c.ID}})
			}
		}
		for _, d := range u.Bills {
			if n.Rules != nil {
				n.Rules.BillLate(d)
			}
		}
	}}
}

// linkAfter connects the node with its successor.
func (n *Parts) linkAfter(send func(update)) link {
	live := n.liveLink((*liverunner.Server).LineAfter, send)
	if n.Books != nil {
		n.Books.LateDebits(func(all []pm.Debit) { send(update{Bills: all}) })
	}
	if n.Capabilities == nil {
		return live
	}
	n.Capabilities.ChargeLate(func(all []orchestrate.LateCharge) { send(update{Late: all}) })
	return link{
		receive: func(u update) { live.receive(u); n.Capabilities.CutLate(u.Unpaid) },
		close:   func() { live.close(); n.Capabilities.EndLate() },
	}
}

// liveLink is the part of a link that is about live sessions.
func (n *Parts) liveLink(line func(*liverunner.Server, func(liverunner.Update)) *liverunner.Line,
	send func(update)) link {
	if n.Live == nil {
		return link{receive: func(update) {}, close: func() {}}
	}
	l := line(n.Live, func(u liverunner.Update) { send(update{Ended: u.Ended, Used: u.Used}) })
	return link{receive: func(u update) { l.Receive(liverunner.Update{Ended: u.Ended, Used: u.Used}) }, close: l.Close}
}

// share connects the work that is in both processes of an upgrade. run tells the other process what becomes of it and
// takes the same from it, until that process ends or closes the connection. flush waits while there are updates to
// send.
func share(connect func(send func(update)) link, conn net.Conn, in *gob.Decoder, out *gob.Encoder) (run, flush func()) {
	updates := make(chan update, 1024)
	done := make(chan struct{})
	send := func(n update) {
		select {
		case updates <- n:
		case <-done:
		}
	}
	to := connect(send)
	flush = func() {
		sent := make(chan struct{})
		send(update{sent: sent})
		select {
		case <-sent:
		case <-done:
		}
	}
	return func() {
		go func() {
			broken := false
			for {
				select {
				case n := <-updates:
					if n.sent != nil {
						close(n.sent)
						continue
					}
					_ = conn.SetWriteDeadline(time.Now().Add(updateTime))
					if !broken && out.Encode(n) != nil {
						broken = true
						_ = conn.Close() // the reading side ends; until then it may send, and must not wait
					}
				case <-done:
					return
				}
			}
		}()
		_ = conn.SetReadDeadline(time.Time{})
		for {
			var n update
			if in.Decode(&n) != nil {
				break
			}
			to.receive(n)
		}
		close(done)
		to.close()
		_ = conn.Close()
	}, flush
}
