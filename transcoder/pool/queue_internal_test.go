package pool

import (
	"testing"
	"testing/synctest"
	"time"
)

// A segment that waits has none behind it refused because its session was slow before.
func TestAMistakenEstimateRefusesNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{slots: 1, typical: [2]time.Duration{200 * time.Millisecond, 0}}
		enter := func(seniority uint64, takes, within time.Duration) chan error {
			done := make(chan error, 1)
			go func() {
				leave, err := q.enter(t.Context(), &segmentTicket{
					seniority: seniority, estimate: takes, dueBy: time.Now().Add(within),
					started: make(chan struct{}), refused: make(chan struct{}),
				})
				if err == nil {
					<-time.After(200 * time.Millisecond)
					leave(200 * time.Millisecond)
				}
				done <- err
			}()
			synctest.Wait()
			return done
		}
		busy := enter(1, 200*time.Millisecond, 7*time.Second)
		slow := enter(2, 30*time.Second, 35*time.Second)
		other := enter(3, 200*time.Millisecond, 7*time.Second)
		for name, done := range map[string]chan error{"busy": busy, "slow": slow, "other": other} {
			if err := <-done; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
