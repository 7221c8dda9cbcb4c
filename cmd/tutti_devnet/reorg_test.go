package main_test

import (
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

func TestReorg(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reorg control.Reorg
		mined bool // right after
		later bool // a block later
	}{
		{control.Reorg{Depth: 1, Keep: true}, true, true},
		{control.Reorg{Depth: 1}, false, true},
		{control.Reorg{Depth: 1, Forget: true}, false, false},
		{control.Reorg{Depth: 12, Keep: true}, true, true},
		{control.Reorg{Depth: 12}, false, true},
		{control.Reorg{Depth: 12, Forget: true}, false, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%+v", tt.reorg), func(t *testing.T) {
			t.Parallel()
			c := devnet.Start(t, devnet.Options{})
			client := dial(t, c.URL(0))
			ctx := t.Context()
			c.Mine(12)
			if err := c.Control.SetAutomine(ctx, false); err != nil {
				t.Fatal(err)
			}
			tx := pay(c, 0, 0, fee)
			if err := client.SendTransaction(ctx, tx); err != nil {
				t.Fatal(err)
			}
			c.AdvanceL1(3)
			c.Mine(1)
			before, err := client.HeaderByNumber(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Control.Reorg(ctx, tt.reorg); err != nil {
				t.Fatal(err)
			}
			after, err := client.HeaderByNumber(ctx, nil)
			if err != nil || after.Number.Cmp(before.Number) != 0 || after.Hash() == before.Hash() ||
				after.MixDigest != before.MixDigest {
				t.Errorf("head %v %v became %v %v, %v", before.Number, before.MixDigest, after.Number, after.MixDigest, err)
			}
			if mined(t, client, tx.Hash()) != tt.mined {
				t.Errorf("mined after the fork: %v", !tt.mined)
			}
			c.Mine(1)
			if mined(t, client, tx.Hash()) != tt.later {
				t.Errorf("mined a block later: %v", !tt.later)
			}
		})
	}
}

func TestReorgTakesEventsBack(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{})
	ctx := t.Context()
	if err := c.Control.Pause(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Control.Reorg(ctx, control.Reorg{Depth: 1, Forget: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Control.NextRound(ctx, true); err != nil {
		t.Errorf("the pause was not taken back: %v", err)
	}
	if _, err := c.Control.Reorg(ctx, control.Reorg{Depth: 1 << 40}); err == nil {
		t.Error("more blocks are replaced than there are")
	}
}
