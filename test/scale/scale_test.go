package scale_test

import (
	"errors"
	"math"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// size is how many transcoders the largest simulation has.
func size() int {
	if testing.Short() || raced {
		return 1000
	}
	return 10_000
}

// TestLifeOfACluster fills a cluster to two thirds, lets sessions come and go and
// transcoders fail and come back, and fills it to the end.
func TestLifeOfACluster(t *testing.T) {
	n := size()
	c := newCluster(t, n)
	start := c.PlacementStats()
	var ids []core.SessionID
	admit := func() error {
		r := request(len(ids))
		err := c.Admit(r)
		if err == nil {
			ids = append(ids, r.ID)
		}
		return err
	}
	for len(ids) < c.capacity*2/3 {
		if err := admit(); err != nil {
			t.Fatalf("session %d of %d: %v", len(ids), c.capacity, err)
		}
	}
	t.Logf("%d transcoders, room for %d sessions, %d admitted, %.1f nodes a placement", n, c.capacity, len(ids),
		c.perSearch(start))
	balanced(t, c)

	live := churn(t, c, ids, n)
	if lost, why := c.sendAll(live); lost > 0 {
		t.Errorf("%d segments of %d failed: %v", lost, len(live), why)
	}
	live = failures(t, c, live, n/20)
	balanced(t, c)
	if bound := 6*math.Log2(float64(n)) + 12; c.perSearch(start) > bound {
		t.Errorf("%.1f nodes a placement, bound %.1f", c.perSearch(start), bound)
	}

	// Whatever room there is is found, and not one place more.
	for k := len(live); k < c.capacity; k++ {
		if err := admit(); err != nil {
			t.Fatalf("refused at %d of %d: %v", k, c.capacity, err)
		}
	}
	if err := admit(); !errors.Is(err, fault.OrchestratorCapped) {
		t.Errorf("more than there is room for: %v", err)
	}
	if u := c.Usage(); !u.Full() || u.Sessions != c.capacity {
		t.Errorf("usage %v", u)
	}
	for _, u := range c.Devices() {
		if u.Sessions != u.Limit {
			t.Fatalf("%+v", u)
		}
	}
}

// churn ends sessions and admits others in their place. It returns those that are left.
func churn(t *testing.T, c *cluster, ids []core.SessionID, rounds int) []core.SessionID {
	t.Helper()
	live := append([]core.SessionID(nil), ids...)
	before := c.PlacementStats()
	for k := range rounds {
		i := c.random.IntN(len(live))
		c.EndSession(live[i])
		r := request(1<<24 + k)
		if err := c.Admit(r); err != nil {
			t.Fatalf("a place was given back, and yet: %v", err)
		}
		live[i] = r.ID
	}
	t.Logf("%d came for as many that went, %.1f nodes a placement", rounds, c.perSearch(before))
	if u := c.Usage(); u.Sessions != len(live) {
		t.Errorf("%d sessions, want %d", u.Sessions, len(live))
	}
	return live
}

// failures lets transcoders die with their sessions, and as many others come. No
// segment may be lost: there is room for all sessions elsewhere.
func failures(t *testing.T, c *cluster, live []core.SessionID, number int) []core.SessionID {
	t.Helper()
	before := c.PlacementStats()
	var dead []*worker
	for range number {
		dead = append(dead, c.fail())
	}
	// Half is noticed by the segments, half before.
	for _, w := range dead[:number/2] {
		w.at.Detach()
	}
	if lost, why := c.sendAll(live); lost > 0 {
		t.Errorf("%d segments of %d failed: %v", lost, len(live), why)
	}
	for _, w := range dead[number/2:] {
		w.at.Detach()
	}
	for range number {
		c.attach(t)
	}
	if lost, why := c.sendAll(live); lost > 0 {
		t.Errorf("%d segments of %d failed after others came: %v", lost, len(live), why)
	}
	t.Logf("%d transcoders failed, %.1f nodes a placement", number, c.perSearch(before))
	placed := 0
	for _, u := range c.Devices() {
		placed += u.Sessions
	}
	if placed != len(live) {
		t.Errorf("%d sessions have a place, want %d", placed, len(live))
	}
	return live
}

// balanced holds the fullest transcoder against the mean.
func balanced(t *testing.T, c *cluster) {
	t.Helper()
	var sum, fullest float64
	uses := c.Devices()
	for _, u := range uses {
		part := float64(u.Sessions) / float64(u.Limit)
		sum += part
		fullest = max(fullest, part)
	}
	mean := sum / float64(len(uses))
	t.Logf("the fullest has %.2f of its room in use, the mean is %.2f", fullest, mean)
	if fullest > 1.25*mean+0.05 {
		t.Errorf("out of balance: %.2f against %.2f", fullest, mean)
	}
}

// TestPlacingGrowsLikeALogarithm compares clusters of different sizes by the nodes that
// a placement looks at, which no busy machine can change.
func TestPlacingGrowsLikeALogarithm(t *testing.T) {
	perStep := make(map[int]float64)
	for _, n := range []int{10, 100, 1000, size()} {
		c := newCluster(t, n)
		before := c.PlacementStats()
		for k := range 5 * n {
			if err := c.Admit(request(k)); err != nil {
				t.Fatal(err)
			}
		}
		perStep[n] = c.perSearch(before) / math.Log2(float64(n))
		t.Logf("%6d transcoders: %5.1f nodes a placement", n, c.perSearch(before))
	}
	if small, large := perStep[100], perStep[size()]; large > 1.5*small {
		t.Errorf("%.2f nodes per doubling in small clusters, %.2f in large ones", small, large)
	}
}
