package models_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/ai/models"
)

// bruteFits tries every placement.
func bruteFits(containers []models.Need, devices []models.Device, free []int64, slots []int) bool {
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
			left[i] -= models.TakesOn(c, d.MemoryBytes)
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
func ground(t *rapid.T) (g models.GPUSet, containers []models.Need) {
	g.Slots = rapid.SampledFrom([]int{1, 2, 9}).Draw(t, "slots")
	for i := range rapid.IntRange(1, 4).Draw(t, "devices") {
		size := rapid.Int64Range(1, 6).Draw(t, "size") * 4 * models.GB
		g.Devices = append(g.Devices, models.Device{ID: strconv.Itoa(i), MemoryBytes: size})
	}
	for range rapid.IntRange(0, 5).Draw(t, "containers") {
		c := models.Need{Bytes: rapid.Int64Range(0, 20).Draw(t, "need") * models.GB,
			Devices: rapid.IntRange(1, 3).Draw(t, "spread")}
		if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			c.Share = rapid.Float64Range(0.1, 1).Draw(t, "share")
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
			free, slots = append(free, d.MemoryBytes), append(slots, g.Slots)
		}
		want := bruteFits(containers, g.Devices, free, slots)
		if got := models.Fits(g, containers); got != want {
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
				free[d] -= models.TakesOn(containers[i], g.Devices[d].MemoryBytes)
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
	g := models.GPUSet{Slots: 4}
	var containers []models.Need
	for i := range 64 {
		g.Devices = append(g.Devices, models.Device{ID: strconv.Itoa(i), MemoryBytes: int64(24*models.GB + i)})
	}
	for i := range 1000 {
		containers = append(containers, models.Need{Bytes: int64(7*models.GB+i) / int64(1+i%5), Devices: 1 + i%5})
	}
	models.Fits(g, containers)
	if n := len(slices.DeleteFunc(g.Assign(containers), func(at []int) bool { return at == nil })); n < 64 ||
		n == len(containers) {
		t.Errorf("%d of %d get devices", n, len(containers))
	}
}

// One more than there are places for, or than the memory suffices for, is seen
// also where no search comes to an end.
func TestOneTooMany(t *testing.T) {
	t.Parallel()
	g := models.GPUSet{Slots: 2}
	var containers []models.Need
	for i := range 12 {
		g.Devices = append(g.Devices, models.Device{ID: strconv.Itoa(i), MemoryBytes: int64(24*models.GB + i)})
		containers = append(containers, models.Need{Bytes: int64(models.GB + i), Devices: 1},
			models.Need{Bytes: int64(models.GB - i), Devices: 1})
	}
	if !models.Fits(g, containers) {
		t.Error("24 containers do not fit into 24 places")
	}
	if models.Fits(g, append(containers, models.Need{Devices: 1})) {
		t.Error("25 containers fit into 24 places")
	}
	large := slices.Repeat(
		[]models.Need{{Bytes: 13 * models.GB, Devices: 1}, {Bytes: 12*models.GB - 1, Devices: 1}},
		12,
	)
	if models.Fits(g, large) {
		t.Error("300 GB fit into 288")
	}
}

func TestMemoryOn(t *testing.T) {
	t.Parallel()
	cfg, _, err := models.Load(
		models.Options{
			Value:    "m.json",
			Offchain: true,
			Devices:  devices(t, "24,24"),
			ReadFile: files(map[string]string{"m.json": `[
		{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": false, "optimization_flags": ` +
				`{"GPU_MEMORY_UTILIZATION": 0.5}},
		{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": false, "image": "own/ollama:1", "vram_gb": 9},
		{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": false, "vram_gb": 60, "gpus": 2},
		{"pipeline": "upscale", "model_id": "stabilityai/stable-diffusion-x4-upscaler", "warm": false},
		{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": false, "url": "http://h"}]`}),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.5, 0, 0.97, 0, 0} {
		if got := cfg.Entries[i].MemoryShare(); got != want {
			t.Errorf("entry %d takes the share %g, want %g", i+1, got, want)
		}
	}
	for i, want := range []int64{24, 9, 46, 24, 0} {
		got := cfg.Entries[i].MemoryOn(48 * models.GB)
		if got/models.GB != want {
			t.Errorf("entry %d takes %d, want %d GB", i+1, got, want)
		}
	}
}
