package gpuplacement

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func at(seconds int64) time.Time { return time.Unix(seconds, 0) }

func TestPlace(t *testing.T) {
	t.Parallel()
	three := Set{Devices: []Device{{ID: "0"}, {ID: "1"}, {ID: "2"}}, PerDevice: 2}
	small := Set{Devices: []Device{{ID: "0", MemoryBytes: 24}, {ID: "1", MemoryBytes: 8}}, PerDevice: 4}
	at0 := func(device, slot int) []Slot { return []Slot{{Device: device, Slot: slot}} }
	for _, tt := range []struct {
		name      string
		ground    Set
		occupants []Occupant
		need      Need
		want      string
	}{
		{"nothing there", Set{}, nil, Need{}, "none"},
		{"the first slot of the first device", three, nil, Need{}, "[{0 0}] []"},
		{"every device before a second slot", three, []Occupant{{Slots: at0(0, 0)}, {Slots: at0(1, 0)}},
			Need{}, "[{2 0}] []"},
		{"then the second slots", three, []Occupant{{Slots: at0(0, 0)}, {Slots: at0(1, 0)}, {Slots: at0(2, 0)}},
			Need{}, "[{0 1}] []"},
		{"two devices", three, []Occupant{{Slots: at0(0, 0)}}, Need{Devices: 2}, "[{1 0} {2 0}] []"},
		{"more devices than there are", three, nil, Need{Devices: 4}, "none"},
		{"named devices", three, nil, Need{Devices: 2, IDs: []string{"2", "1"}}, "[{1 0} {2 0}] []"},
		{"a device that is not there", three, nil, Need{IDs: []string{"7"}}, "none"},
		{"where the memory is", small, nil, Need{Takes: Memory{Bytes: 10}}, "[{0 0}] []"},
		{"no memory left", small, []Occupant{{Slots: at0(0, 0), Takes: Memory{Bytes: 16}}},
			Need{Takes: Memory{Bytes: 10}}, "none"},
		{"memory made free", small, []Occupant{{Slots: at0(0, 0), Takes: Memory{Bytes: 16},
			Evictable: true}}, Need{Takes: Memory{Bytes: 10}}, "[{0 0}] [0]"},
		{"a runner that takes nearly all of it", small, []Occupant{{Slots: at0(0, 0),
			Takes: Memory{Bytes: 8, Share: 0.97}}}, Need{Takes: Memory{Bytes: 2}}, "[{1 0}] []"},
		{"too much for any device", small, nil, Need{Takes: Memory{Bytes: 25}}, "none"},
		{"the least recently used goes", Set{Devices: three.Devices}, []Occupant{
			{Slots: at0(0, 0), Evictable: true, Used: at(2)}, {Slots: at0(1, 0), Evictable: true, Used: at(1)},
			{Slots: at0(2, 0)},
		}, Need{}, "[{1 0}] [1]"},
		{"one whose going does not help stays, though used least", small, []Occupant{
			{Slots: at0(1, 0), Takes: Memory{Bytes: 8}, Evictable: true, Used: at(1)},
			{Slots: at0(0, 0), Takes: Memory{Bytes: 20}, Evictable: true, Used: at(2)},
		}, Need{Takes: Memory{Bytes: 10}}, "[{0 0}] [1]"},
		{"as many as it takes", Set{Devices: three.Devices}, []Occupant{
			{Slots: at0(0, 0), Evictable: true, Used: at(3)}, {Slots: at0(1, 0), Evictable: true, Used: at(1)},
			{Slots: at0(2, 0), Evictable: true, Used: at(2)},
		}, Need{Devices: 2}, "[{1 0} {2 0}] [1 2]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := "none"
			if c, ok := Place(tt.ground, tt.occupants, tt.need); ok {
				got = fmt.Sprint(c.Slots, c.Evict)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestPlacementFits: a choice collides with no container that stays, fits the
// memory, is of distinct and allowed devices, and evicts no container without need.
func TestPlacementFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		g := Set{PerDevice: rapid.IntRange(1, 3).Draw(rt, "slots")}
		for i := range rapid.IntRange(1, 4).Draw(rt, "devices") {
			g.Devices = append(g.Devices, Device{ID: fmt.Sprint(i),
				MemoryBytes: rapid.SampledFrom([]int64{0, 8, 24}).Draw(rt, "memory")})
		}
		draw := func() Need {
			n := Need{Devices: rapid.IntRange(0, 3).Draw(rt, "spread"),
				Takes: Memory{Bytes: rapid.Int64Range(0, 12).Draw(rt, "needs"),
					Share: rapid.SampledFrom([]float64{0, 0, 0.9}).Draw(rt, "share")}}
			if rapid.IntRange(0, 3).Draw(rt, "named") == 0 {
				n.IDs = []string{"0", "2"}
			}
			return n
		}
		var all []Occupant
		for range rapid.IntRange(0, 10).Draw(rt, "containers") {
			need := draw()
			c, ok := Place(g, all, need)
			if !ok {
				continue
			}
			check(rt, g, all, need, c)
			for _, i := range slices.Backward(slices.Sorted(slices.Values(c.Evict))) {
				all = slices.Delete(all, i, i+1)
			}
			all = append(all, Occupant{
				Slots: c.Slots, Takes: need.Takes,
				Evictable: rapid.Bool().Draw(rt, "cold"), Used: at(rapid.Int64Range(0, 5).Draw(rt, "used")),
			})
		}
	})
}

func check(rt *rapid.T, g Set, all []Occupant, need Need, c Placement) {
	if len(c.Slots) != max(need.Devices, 1) {
		rt.Fatalf("%d places for %+v", len(c.Slots), need)
	}
	seen := map[int]bool{}
	for _, p := range c.Slots {
		if seen[p.Device] || p.Slot >= g.PerDevice || !need.allows(g.Devices[p.Device]) {
			rt.Fatalf("places %v for %+v", c.Slots, need)
		}
		seen[p.Device] = true
		used := on(need.Takes, g.Devices[p.Device])
		for i, o := range all {
			for _, q := range o.Slots {
				if slices.Contains(c.Evict, i) || q.Device != p.Device {
					continue
				}
				used += on(o.Takes, g.Devices[p.Device])
				if q == p {
					rt.Fatalf("%v is taken", p)
				}
			}
		}
		if m := g.Devices[p.Device].MemoryBytes; m > 0 && used > m {
			rt.Fatalf("%d bytes on a device of %d", used, m)
		}
	}
	checkEvicted(rt, g, all, need, c)
}

func on(m Memory, d Device) int64 {
	return max(m.Bytes, int64(m.Share*float64(d.MemoryBytes)))
}

// checkEvicted: only those that may be evicted are, and with any one of them left there
// would be too little memory.
func checkEvicted(rt *rapid.T, g Set, all []Occupant, need Need, c Placement) {
	for _, spared := range c.Evict {
		if !all[spared].Evictable {
			rt.Fatalf("%d may not be evicted", spared)
		}
		var rest []Occupant
		for i, o := range all {
			if i == spared || !slices.Contains(c.Evict, i) {
				o.Evictable = false
				rest = append(rest, o)
			}
		}
		if _, ok := Place(g, rest, need); ok {
			rt.Fatalf("%d was evicted without need: %v", spared, c)
		}
	}
}
