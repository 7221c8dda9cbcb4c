package gpuplacement

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// gb is a gigabyte.
const gb = 1_000_000_000

// bruteFits tries every placement.
func bruteFits(containers []Need, devices []Device, free []int64, slots []int) bool {
	if len(containers) == 0 {
		return true
	}
	c, rest := containers[0], containers[1:]
	for set := range 1 << len(devices) {
		left, slots := slices.Clone(free), slices.Clone(slots)
		ok, used := true, 0
		for i, d := range devices {
			if set>>i&1 == 0 {
				continue
			}
			used++
			left[i] -= c.Takes.On(d)
			slots[i]--
			allowed := c.IDs == nil || slices.Contains(c.IDs, d.ID)
			ok = ok && allowed && left[i] >= 0 && slots[i] >= 0
		}
		if ok && used == c.Devices && bruteFits(rest, devices, left, slots) {
			return true
		}
	}
	return false
}

// ground draws devices, and and containers for them.
func ground(t *rapid.T) (g Set, containers []Need) {
	g.PerDevice = rapid.SampledFrom([]int{1, 2, 9}).Draw(t, "slots")
	for i := range rapid.IntRange(1, 4).Draw(t, "devices") {
		size := rapid.Int64Range(1, 6).Draw(t, "size") * 4 * gb
		g.Devices = append(g.Devices, Device{ID: strconv.Itoa(i), MemoryBytes: size})
	}
	for range rapid.IntRange(0, 5).Draw(t, "containers") {
		c := Need{Takes: Memory{Bytes: rapid.Int64Range(0, 20).Draw(t, "need") * gb},
			Devices: rapid.IntRange(1, 3).Draw(t, "spread")}
		if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			c.Takes.Share = rapid.Float64Range(0.1, 1).Draw(t, "share")
		}
		if rapid.IntRange(0, 4).Draw(t, "pin") == 0 {
			c.Devices = 1
			c.IDs = []string{strconv.Itoa(rapid.IntRange(0, 3).Draw(t, "device"))}
		}
		containers = append(containers, c)
	}
	return g, containers
}

// The search finds a placement exactly when there is one, and the placement is one.
func TestFitsIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, containers := ground(t)
		var free []int64
		var slots []int
		for _, d := range g.Devices {
			free, slots = append(free, d.MemoryBytes), append(slots, g.PerDevice)
		}
		want := bruteFits(containers, g.Devices, free, slots)
		if got := g.Fits(containers); got != want {
			t.Fatalf("%+v on %+v: %v, want %v", containers, g, got, want)
		}
		all := true
		for i, at := range g.Assign(containers) {
			all = all && at != nil
			if at == nil {
				continue
			}
			if len(at) != containers[i].Devices || len(slices.Compact(slices.Sorted(slices.Values(at)))) != len(at) {
				t.Fatalf("%v for %+v", at, containers[i])
			}
			for _, d := range at {
				free[d] -= containers[i].Takes.On(g.Devices[d])
				slots[d]--
				if ids := containers[i].IDs; free[d] < 0 || slots[d] < 0 ||
					ids != nil && !slices.Contains(ids, g.Devices[d].ID) {
					t.Fatalf("%v for %+v on %+v", at, containers[i], g)
				}
			}
		}
		if all != want {
			t.Fatalf("%+v on %+v: devices for all: %v, want %v", containers, g, all, want)
		}
	})
}

// However many there are, the search ends, and some get their devices.
func TestFitsEnds(t *testing.T) {
	t.Parallel()
	g := Set{PerDevice: 4}
	var containers []Need
	for i := range 64 {
		g.Devices = append(g.Devices, Device{ID: strconv.Itoa(i), MemoryBytes: int64(24*gb + i)})
	}
	for i := range 1000 {
		containers = append(containers, Need{Takes: Memory{Bytes: int64(7*gb+i) / int64(1+i%5)}, Devices: 1 + i%5})
	}
	g.Fits(containers)
	if n := len(slices.DeleteFunc(g.Assign(containers), func(at []int) bool { return at == nil })); n < 64 ||
		n == len(containers) {
		t.Errorf("%d of %d get devices", n, len(containers))
	}
}

// One more than there are places for, or than the memory suffices for, is seen
// also where no search comes to an end.
func TestOneTooMany(t *testing.T) {
	t.Parallel()
	g := Set{PerDevice: 2}
	var containers []Need
	for i := range 12 {
		g.Devices = append(g.Devices, Device{ID: strconv.Itoa(i), MemoryBytes: int64(24*gb + i)})
		containers = append(containers, Need{Takes: Memory{Bytes: int64(gb + i)}, Devices: 1},
			Need{Takes: Memory{Bytes: int64(gb - i)}, Devices: 1})
	}
	if !g.Fits(containers) {
		t.Error("24 containers do not fit into 24 places")
	}
	if g.Fits(append(containers, Need{Devices: 1})) {
		t.Error("25 containers fit into 24 places")
	}
	large := slices.Repeat(
		[]Need{{Takes: Memory{Bytes: 13 * gb}, Devices: 1},
			{Takes: Memory{Bytes: 12*gb - 1}, Devices: 1}},
		12,
	)
	if g.Fits(large) {
		t.Error("300 GB fit into 288")
	}
}
