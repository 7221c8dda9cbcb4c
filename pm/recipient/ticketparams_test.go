package recipient_test

import (
	"context"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	g := n.gateway(1)
	quote := pm.Quote{Sender: g.addr, Price: pm.Price{PerUnit: 1200, PixelsPerUnit: 1}}
	seen := make(map[protocol.Hash]bool)
	for range 1000 {
		p, err := n.Terms(t.Context(), &quote)
		if err != nil {
			t.Fatal(err)
		}
		if seen[p.RecipientRandHash] || p.RecipientRandHash.IsZero() {
			t.Fatal("parameters came twice")
		}
		seen[p.RecipientRandHash] = true
		if p.Recipient != orchestrator || p.ExpirationBlock != 21_000_040 ||
			p.Expiration != (pm.Expiration{Round: 3500, BlockHash: protocol.Hash{0xcc}}) ||
			p.FaceValue.String() != "12000000000000000" || p.EV().Cmp(pm.WeiValue(gwei(8))) < 0 {
			t.Fatalf("parameters %+v", p)
		}
	}
	if n.count.funds != 1000 {
		t.Errorf("the funds were reported %d times", n.count.funds)
	}
}

func TestTermsOf(t *testing.T) {
	t.Parallel()
	paid := pm.Price{PerUnit: 1, PixelsPerUnit: 1}
	tests := map[string]struct {
		change func(*node, *gateway)
		price  pm.Price
		err    fault.Code
		check  func(*pm.Params) bool
	}{
		"free work is complete": {price: pm.Price{PixelsPerUnit: 1}, check: func(p *pm.Params) bool {
			return p.FaceValue.IsZero() && p.WinProb.IsZero() && p.ExpirationBlock == 21_000_040 &&
				p.Expiration.Round == 3500 && !p.RecipientRandHash.IsZero() && !p.Seed.IsZero()
		}},
		"free work needs no funds": {change: func(n *node, g *gateway) {
			n.chain.fund(g.addr, core.Wei{},
				core.Wei{})
			n.chain.err = errDown
		}, check: func(*pm.Params) bool { return true }},
		"a round without hash": {price: paid, change: func(n *node,
			_ *gateway) {
			n.chain.view.Round.LastHash = protocol.Hash{}
		}, check: func(p *pm.Params) bool {
			return p.Expiration == pm.Expiration{Round: 3499, BlockHash: protocol.Hash{0xbb}}
		}},
		"an uninitialized round": {price: paid, change: func(n *node, _ *gateway) { n.chain.view.Round.Number = 3501 },
			check: func(p *pm.Params) bool { return p.Expiration.Round == 3500 }},
		"the operator's bound": {price: paid, change: func(n *node, _ *gateway) { n.SetMaxFaceValue(gwei(5_000_000)) },
			check: func(p *pm.Params) bool { return p.FaceValue.Cmp(gwei(5_000_000)) == 0 }},
		"what waits for redemption": {price: paid, change: func(n *node, g *gateway) {
			n.chain.fund(g.addr, gwei(20_000_000), gwei(10_000_000))
			n.opt.Pending = func(core.Address) core.Wei { return gwei(7_000_000) }
			n.open()
		}, check: func(p *pm.Params) bool { return p.FaceValue.Cmp(gwei(3_000_000)) == 0 }},
		"the redeemer's word": {price: paid, change: func(n *node, _ *gateway) {
			n.opt.MaxFloat = func(context.Context, core.Address) (core.Wei, error) { return gwei(4_000_000), nil }
			n.open()
		}, check: func(p *pm.Params) bool { return p.FaceValue.Cmp(gwei(4_000_000)) == 0 }},
		"no word of the redeemer": {price: paid, change: func(n *node, _ *gateway) {
			n.opt.MaxFloat = func(context.Context, core.Address) (core.Wei, error) { return core.Wei{}, errDown }
			n.open()
		}, err: fault.SenderFundsUnknown},
		"what was put away stays expired": {price: paid, change: func(n *node,
			_ *gateway) {
			n.opt.Opening.Expired = 21_000_100
			n.open()
		}, check: func(p *pm.Params) bool {
			return p.ExpirationBlock == 21_000_140
		}},
		"a silent endpoint": {price: paid, change: func(n *node, _ *gateway) {
			n.chain.view.Stale, n.chain.view.Head.Time = true, n.clock.Now().Add(-time.Minute)
		}, check: func(p *pm.Params) bool { return p.ExpirationBlock == 21_000_045 }},
		"no chain": {price: paid, change: func(n *node, _ *gateway) { n.chain.view.Known = false },
			err: fault.ChainNotReady},
		"no funds": {price: paid, change: func(n *node, g *gateway) { n.chain.fund(g.addr, core.Wei{}, core.Wei{}) },
			err: fault.InsufficientSenderReserve},
		"no reserve": {price: paid, change: func(n *node, g *gateway) { n.chain.fund(g.addr, ether(1), core.Wei{}) },
			err: fault.InsufficientSenderReserve},
		"no pool": {price: paid, change: func(n *node, _ *gateway) { n.chain.view.PoolSize = 0 },
			err: fault.InsufficientSenderReserve},
		"unlocking soon":  {price: paid, change: unlocks(3501), err: fault.InsufficientSenderReserve},
		"unlocked":        {price: paid, change: unlocks(1), err: fault.InsufficientSenderReserve},
		"unlocking later": {price: paid, change: unlocks(3502), check: func(*pm.Params) bool { return true }},
		"funds unknown": {price: paid, change: func(n *node, _ *gateway) { n.chain.err = errDown },
			err: fault.SenderFundsUnknown},
		"no randomness": {price: paid, change: func(n *node, _ *gateway) { n.opt.Rand = empty{}; n.open() },
			err: fault.Unexpected},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			g := n.gateway(1)
			if tt.change != nil {
				tt.change(n, g)
			}
			p, err := n.Terms(t.Context(), &pm.Quote{Sender: g.addr, Price: tt.price})
			switch {
			case tt.err != "":
				if err == nil || fault.CodeOf(err) != tt.err {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				if tt.err == fault.InsufficientSenderReserve && fault.Wire(err) != "insufficient sender reserve" {
					t.Errorf("gateways are told %q", fault.Wire(err))
				}
			case err != nil || !tt.check(p):
				t.Errorf("parameters %+v, %v", p, err)
			}
		})
	}
}

func unlocks(round protocol.Round) func(*node, *gateway) {
	return func(n *node, g *gateway) {
		f := n.chain.funds[g.addr]
		f.WithdrawRound = round
		n.chain.funds[g.addr] = f
	}
}

type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, errDown }

func TestOptions(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*recipient.Options){
		"ledger":    func(o *recipient.Options) { o.Ledger = nil },
		"prices":    func(o *recipient.Options) { o.Prices = nil },
		"chain":     func(o *recipient.Options) { o.Chain = nil },
		"recipient": func(o *recipient.Options) { o.Recipient = core.Address{} },
		"random":    func(o *recipient.Options) { o.Rand = nil },
		"clock":     func(o *recipient.Options) { o.Now = nil },
		"log":       func(o *recipient.Options) { o.Log = nil },
		"gas":       func(o *recipient.Options) { o.RedeemGas = 0 },
	} {
		opt := newNode(t).opt
		change(&opt)
		if _, err := recipient.New(opt); err == nil {
			t.Errorf("%s is missing, and nobody minds", name)
		}
	}
}
