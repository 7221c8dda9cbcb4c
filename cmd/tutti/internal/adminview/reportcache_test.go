package adminview

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A report that is cheap is always fresh; an expensive one is kept in proportion to its
// cost, each kind by itself; after an error the next read tries again.
func TestRemembered(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	made, cost := map[string]int{}, cheap
	var fail error
	r := newRemembered(func() time.Time { return now }, func(_ context.Context, kind string) (int, error) {
		made[kind]++
		now = now.Add(cost)
		return made[kind], fail
	})
	get := func(kind string, want int) {
		t.Helper()
		if got, err := r.get(t.Context(), kind); got != want || !errors.Is(err, fail) {
			t.Errorf("%s: %d %v, want %d", kind, got, err, want)
		}
	}
	get("a", 1)
	get("a", 2)
	cost = 100 * time.Millisecond
	get("a", 3)
	get("a", 3)
	get("b", 1)
	now = now.Add(restFactor*cost - 150*time.Millisecond)
	get("a", 3)
	get("b", 1)
	now = now.Add(51 * time.Millisecond)
	get("a", 4)
	now = now.Add(time.Minute)
	fail = errors.New("no")
	get("a", 5)
	get("a", 6)
	fail = nil
	get("a", 7)
}
