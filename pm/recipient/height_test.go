package recipient_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// After a false height, below which tickets are refused, gateways get no parameters that expire when their winners
// cannot be redeemed any more: the work would be for nothing.
func TestParametersAfterAFalseHeight(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ahead protocol.L1Block
		code  fault.Code
	}{
		"in time":  {ahead: 150},
		"too late": {ahead: 5000, code: fault.ChainNotReady},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			n.chain.change(func(v *protocol.View) {
				v.Self.DeactivationRound = protocol.Never
				v.Round.Start, v.Round.Length = v.Head.L1-60, 200
			})
			quote := pm.Quote{Sender: n.gateway(1).addr, Price: pm.Price{PerUnit: 1200, PixelsPerUnit: 1}}
			n.Reached(n.chain.View().Head.L1 + row.ahead)
			p, err := n.Terms(t.Context(), &quote)
			if (err == nil) != (row.code == "") || err != nil && fault.CodeOf(err) != row.code {
				t.Errorf("%+v, %v, want %q", p, err, row.code)
			}
		})
	}
}

// renewedLedger is a ledger that replaces its epoch.
type renewedLedger struct {
	recipient.Ledger
	to atomic.Pointer[pm.Epoch]
	at protocol.L1Block
}

func (l *renewedLedger) Renewed() (pm.Epoch, protocol.L1Block, bool) {
	if e := l.to.Load(); e != nil {
		return *e, l.at, true
	}
	return pm.Epoch{}, 0, false
}

// After the ledger has replaced a wrong height, payments are accepted again without a restart, and
// nothing that was made with the secret before.
func TestPaymentsAfterAFalseHeight(t *testing.T) {
	t.Parallel()
	l := &renewedLedger{}
	n := newNode(t, func(o *recipient.Options) {
		l.Ledger = o.Ledger
		o.Ledger = l
	})
	n.chain.change(func(v *protocol.View) {
		v.Self.DeactivationRound = protocol.Never
		v.Round.Start, v.Round.Length = v.Head.L1-60, 200
	})
	s := n.session(n.gateway(1), "stream")
	n.admit(s.job(1, 1)).Release()
	n.Reached(n.chain.View().Head.L1 + 5000)
	n.refuse(s.job(1, 1), fault.TicketParamsStale, "")
	l.at = n.chain.View().Head.L1
	l.to.Store(&pm.Epoch{ID: 2, Secret: pm.Secret{2}})
	n.Sweep()
	if _, err := n.Terms(t.Context(), &s.quote); fault.CodeOf(err) != fault.ChainNotReady {
		t.Errorf("before payments in progress have ended: %v", err)
	}
	n.clock.Forward(2 * time.Minute)
	n.Sweep()
	n.refuse(s.job(1, 1), fault.TicketParamsStale, "")
	s.refresh()
	n.admit(s.job(1, 1)).Release()
}
