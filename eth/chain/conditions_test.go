package chain

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// condition is a condition's detail; false when it does not hold.
func condition(c *Chain, code fault.Code) (string, bool) {
	all := c.opt.Board.Snapshot()
	i := slices.IndexFunc(all, func(o health.Condition) bool { return o.Code == code })
	if i < 0 {
		return "", false
	}
	return all[i].Detail, true
}

// live mines a block each second for some seconds.
func (w *world) live(seconds int) {
	for range seconds {
		w.mine(0, nil)
		pass(time.Second)
	}
}

// Between the two transactions of an activation no service URI is missed.
func TestServiceURIIsMissedLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			w.live(110)
			if _, set := condition(c, fault.ServiceURIUnset); set {
				t.Error("missed in less than two minutes")
			}
			w.live(30)
			if _, set := condition(c, fault.ServiceURIUnset); !set {
				t.Error("not missed after more than two minutes")
			}
		})
	})
}

func TestNoService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.follow(w, func(c *Chain) {
			w.live(200)
			if _, set := condition(c, fault.ServiceURIUnset); set {
				t.Error("a node without service misses a service URI")
			}
		}, func(o *Options) { o.NoService = true })
	})
}

// outside takes the registration away, or gives it back.
func (w *world) outside(is bool) {
	w.mine(0, func(t *truth) []types.Log {
		t.outside = is
		return nil
	})
}

// An orchestrator that takes work without being registered is published so, and not in the first minute.
func TestUnregisteredIsReportedLater(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		noService bool
		want      bool
	}{"takes work": {false, true}, "takes no work": {true, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(addressOf(1))
				w.outside(true)
				w.follow(w, func(c *Chain) {
					w.live(50)
					if _, set := condition(c, fault.NotRegistered); set {
						t.Error("reported within the first minute")
					}
					w.live(20)
					if text, set := condition(c, fault.NotRegistered); set != tt.want || set &&
						!strings.Contains(text, addressOf(1).String()) {
						t.Errorf("after more than a minute: %t %q", set, text)
					}
					w.outside(false)
					w.live(310) // until the whole state is read again
					if _, set := condition(c, fault.NotRegistered); set {
						t.Error("reported although it is registered")
					}
				}, func(o *Options) { o.NoService = tt.noService })
			})
		})
	}
}

// A node that starts with a view of before has no condition for that alone.
func TestStaleViewIsNoConditionAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			w.live(3)
			f := newFollower(c)
			f.cur, f.stale = state{Head: w.last().head}, true
			f.updateStale()
			if _, set := condition(c, fault.ChainStale); set {
				t.Error("a condition at once")
			}
			pass(31 * time.Second)
			f.updateStale()
			if _, set := condition(c, fault.ChainStale); !set {
				t.Error("no condition after 31 s")
			}
			f.clock.head, f.clock.good, f.known = time.Now(), time.Now(), true
			f.updateStale()
			if _, set := condition(c, fault.ChainStale); set || f.stale {
				t.Error("it does not end")
			}
		})
	})
}

// The same block all the time is no sign of life, and said to be what it is.
func TestChainThatStands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			w.live(3)
			pass(40 * time.Second)
			if text, set := condition(c, fault.ChainStale); !set || !strings.Contains(text, "know no later one") {
				t.Errorf("%v %s", set, text)
			}
		})
	})
}
