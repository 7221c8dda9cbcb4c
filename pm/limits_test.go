package pm_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

func TestCheckParams(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		expires, l1 protocol.L1Block
		code        fault.Code
	}{
		"never set":       {0, 0, fault.TicketParamsUnusable},
		"two blocks left": {102, 100, ""},
		"one block left":  {101, 100, fault.TicketParamsStale},
		"now":             {100, 100, fault.TicketParamsStale},
		"long ago":        {1, 100, fault.TicketParamsStale},
	} {
		err := pm.CheckParams(&pm.Params{ExpirationBlock: c.expires}, c.l1)
		if err == nil && c.code == "" {
			continue
		}
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := fault.Wire(pm.CheckParams(&pm.Params{ExpirationBlock: 1}, 1)); got != "TicketParams expired" {
		t.Error(got)
	}
}

// TestCheckSenderInOrder spoils from the last check to the first.
func TestCheckSenderInOrder(t *testing.T) {
	t.Parallel()
	// 15 divides certainty, so that a ticket is worth exactly 8 wei.
	p := pm.Params{FaceValue: core.NewWei(15), WinProb: pm.WinProb(core.NewWei(15), core.NewWei(8))}
	funds := protocol.Sender{Deposit: core.NewWei(31), Reserve: protocol.Reserve{FundsRemaining: core.NewWei(1)},
		WithdrawRound: 12}
	limits := pm.Limits{MaxEV: core.NewWei(8), MaxTotalEV: core.NewWei(32), DepositMultiplier: 2}
	if err := pm.CheckSender(&p, 4, funds, 10, limits); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		spoil func()
		code  fault.Code
	}{
		{"face value", func() { limits.DepositMultiplier = 3 }, fault.TicketFaceValueHigh},
		{"all tickets", func() { limits.MaxTotalEV = core.NewWei(31) }, fault.TicketTotalEVHigh},
		{"deposit", func() { funds.Deposit = core.Wei{} }, fault.OwnDepositEmpty},
		{"reserve", func() { funds.Reserve.FundsRemaining = core.Wei{} }, fault.OwnReserveEmpty},
		{"unlocking", func() { funds.WithdrawRound = 11 }, fault.OwnFundsUnlocking},
		{"one ticket", func() { limits.MaxEV = core.NewWei(7) }, fault.TicketEVHigh},
		{"certainty", func() { p.WinProb = pm.WinProb(p.FaceValue, p.FaceValue) }, fault.TicketFaceValueLow},
	} {
		c.spoil()
		if err := pm.CheckSender(&p, 4, funds, 10, limits); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	p.WinProb = protocol.Word{}
	if err := pm.CheckSender(&p, 4, funds, 10, limits); err != nil {
		t.Errorf("tickets without value: %v", err)
	}
}

func TestDepositMultiplier(t *testing.T) {
	t.Parallel()
	p := pm.Params{FaceValue: core.NewWei(1000), WinProb: pm.WinProb(core.NewWei(1000), core.NewWei(8))}
	l := pm.Limits{MaxEV: core.NewWei(9), MaxTotalEV: core.NewWei(9)}
	for deposit, ok := range map[uint64]bool{999: false, 1000: true} {
		funds := protocol.Sender{Deposit: core.NewWei(deposit), Reserve: protocol.Reserve{FundsRemaining: core.NewWei(1)}}
		for _, l.DepositMultiplier = range []int{-1, 0, 1} {
			if err := pm.CheckSender(&p, 1, funds, 10, l); (err == nil) != ok {
				t.Errorf("deposit %d, multiplier %d: %v", deposit, l.DepositMultiplier, err)
			}
		}
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	batch, err := d.params.Batch(d.sender, 5, 3, signer(d.key))
	if err != nil || len(batch) != 3 || batch[0].Nonce != 5 || batch[2].Nonce != 7 {
		t.Fatalf("%+v, %v", batch, err)
	}
	for _, c := range []struct {
		first uint32
		n     int
	}{{pm.MaxNonce, 2}, {pm.MaxNonce + 1, 1}, {1, -1}, {1, 1 << 62}} {
		if _, err := d.params.Batch(d.sender, c.first, c.n, signer(d.key)); err == nil {
			t.Errorf("%d from %d: no error", c.n, c.first)
		}
	}
	if none, err := d.params.Batch(d.sender, 1, 0, nil); err != nil || len(none) != 0 {
		t.Errorf("no tickets: %v, %v", none, err)
	}
	refuse := func([32]byte) ([]byte, error) { return nil, fault.Unexpected }
	if _, err := d.params.Batch(d.sender, 1, 1, refuse); fault.CodeOf(err) != fault.Unexpected {
		t.Errorf("the key store fails: %v", err)
	}
}
