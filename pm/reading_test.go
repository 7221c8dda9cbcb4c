package pm_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// TestReadAtOnce: payments that share tickets are read at once and judged one after
// another; each ticket counts in one of them, and all say the same of what won.
func TestReadAtOnce(t *testing.T) {
	t.Parallel()
	d := newDeal(t)
	payments := []*pm.Payment{d.pay(t, 1, 2, 3, 4), d.pay(t, 3, 4, 5), d.pay(t, 6, 1)}
	var (
		mu       sync.Mutex
		wg       sync.WaitGroup
		accepted []uint32
	)
	for _, p := range payments {
		for range 3 {
			wg.Go(func() {
				reading := d.checker.Read(p, d.rand, false)
				mu.Lock()
				defer mu.Unlock()
				v := reading.Verify(&d.nonces)
				accepted = append(accepted, v.Accepted...)
				if v.Refused != nil && !errors.Is(v.Refused, fault.TicketNonceSeen) {
					t.Error(v.Refused)
				}
				for i, ticket := range p.Tickets {
					if pm.Wins(ticket.Sig, d.rand, d.params.WinProb) != slices.Contains(v.Winners, i) {
						t.Errorf("ticket %d: winners %v", i, v.Winners)
					}
				}
			})
		}
	}
	wg.Wait()
	slices.Sort(accepted)
	if !slices.Equal(accepted, d.nonces.All()) || len(slices.Compact(slices.Clone(accepted))) != len(accepted) ||
		len(accepted) < 4 {
		t.Errorf("accepted %v, nonces %v", accepted, d.nonces.All())
	}
}
