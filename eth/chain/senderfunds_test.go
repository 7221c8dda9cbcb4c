package chain

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// batches is how many batches of questions the world answered.
func (w *world) batches() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls["batch"]
}

func TestSenderFunds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.mine(worldStart, w.fund)
		w.run(func(c *Chain) {
			pass(20 * time.Second)
			before := w.batches()
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					f, err := c.SenderFunds(t.Context(), addressOf(50))
					if err != nil || f.Deposit.Cmp(core.NewWei(9)) != 0 || f.Claimed.Cmp(core.NewWei(3)) != 0 {
						t.Errorf("%+v, %v", f, err)
					}
				})
			}
			all.Wait()
			if n := w.batches() - before; n != 1 {
				t.Errorf("50 concurrent callers cost %d calls", n)
			}
			pass(time.Minute)
			before = w.batches()
			w.mine(worldStart, w.fund)
			pass(20 * time.Second)
			f, err := c.SenderFunds(t.Context(), addressOf(50))
			if err != nil || f.Deposit.Cmp(core.NewWei(18)) != 0 || f.Claimed.Cmp(core.NewWei(6)) != 0 {
				t.Errorf("after more was added: %+v, %v", f, err)
			}
			if n := w.batches() - before; n != 1 {
				t.Errorf("a change cost %d calls", n)
			}
		})
	})
}

// Whoever names addresses that do not exist cannot make the node ask for them all
// the time, and does not push out funded senders.
func TestUnknownSendersAreCheap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.mine(worldStart, w.fund)
		w.run(func(c *Chain) {
			pass(20 * time.Second)
			if _, err := c.SenderFunds(t.Context(), addressOf(50)); err != nil {
				t.Fatal(err)
			}
			pass(10 * time.Second)
			before, refused, began := w.batches(), 0, time.Now()
			var all sync.WaitGroup
			var mu sync.Mutex
			for i := range 5000 {
				all.Go(func() {
					stranger := core.Address{7, byte(i), byte(i >> 8)}
					f, err := c.SenderFunds(t.Context(), stranger)
					if err == nil && !f.Deposit.IsZero() {
						t.Errorf("a stranger has %v", f.Deposit)
					}
					if errors.Is(err, fault.SendersUnread) {
						mu.Lock()
						defer mu.Unlock()
						refused++
					}
				})
			}
			all.Wait()
			if n := w.batches() - before; n > firstReads+5+int(time.Since(began)/readEvery) || n < 1 {
				t.Errorf("5000 strangers cost %d calls in %v", n, time.Since(began))
			}
			if refused == 0 {
				t.Error("as many as want may wait")
			}
			pass(time.Minute)
			before = w.batches()
			for range 300 {
				for i := range 10 {
					_, _ = c.SenderFunds(t.Context(), core.Address{8, byte(i)})
				}
			}
			if n := w.batches() - before; n != 10 {
				t.Errorf("naming ten strangers again and again cost %d calls", n)
			}
			if _, known := c.Watched(addressOf(50)); !known {
				t.Error("a funded sender was pushed out")
			}
		})
	})
}

// A sender that funds itself is not underfunded any longer, at the latest a moment after.
func TestUnfundedSenderGetsFunds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			pass(20 * time.Second)
			if f, err := c.SenderFunds(t.Context(), addressOf(50)); err != nil || !f.Deposit.IsZero() {
				t.Fatalf("%+v, %v", f, err)
			}
			w.mine(worldStart, w.fund)
			pass(unfundedTTL + time.Second)
			if f, err := c.SenderFunds(t.Context(), addressOf(50)); err != nil || f.Deposit.Cmp(core.NewWei(9)) != 0 {
				t.Errorf("%+v, %v", f, err)
			}
		})
	})
}

func TestSenderFundsFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			pass(20 * time.Second)
			w.mu.Lock()
			w.down = true
			w.mu.Unlock()
			if _, err := c.SenderFunds(t.Context(), addressOf(50)); !errors.Is(err, errWorld) {
				t.Errorf("%v", err)
			}
			w.mu.Lock()
			w.down = false
			w.mu.Unlock()
			if _, err := c.SenderFunds(t.Context(), addressOf(50)); err != nil {
				t.Errorf("a failure is remembered: %v", err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := c.SenderFunds(ctx, addressOf(51)); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	})
}
