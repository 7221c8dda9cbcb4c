package models_test

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/ai/models"
)

// bruteFits tries every placement.
func bruteFits(containers []models.Container, devices []models.Device, free []int64) bool {
	if len(containers) == 0 {
		return true
	}
	c, rest := containers[0], containers[1:]
	for set := range 1 << len(devices) {
		left := append([]int64(nil), free...)
		ok, used := true, 0
		for i, d := range devices {
			if set>>i&1 == 0 {
				continue
			}
			used++
			left[i] -= models.TakesOn(c, d.MemoryBytes)
			allowed := c.Pinned == nil
			for _, p := range c.Pinned {
				allowed = allowed || p == d.ID
			}
			ok = ok && allowed && left[i] >= 0
		}
		if ok && used == c.Devices && bruteFits(rest, devices, left) {
			return true
		}
	}
	return false
}

// The search finds a placement exactly when there is one.
func TestFitsIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var devices []models.Device
		var free []int64
		for i := range rapid.IntRange(1, 4).Draw(t, "devices") {
			size := rapid.Int64Range(1, 6).Draw(t, "size") * 4 * models.GB
			devices = append(devices, models.Device{ID: strconv.Itoa(i), MemoryBytes: size})
			free = append(free, size)
		}
		var containers []models.Container
		for range rapid.IntRange(0, 5).Draw(t, "containers") {
			c := models.Container{Total: rapid.Int64Range(0, 20).Draw(t, "need") * models.GB, Devices: rapid.IntRange(1, 3).Draw(t, "spread")}
			if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
				c.Share = rapid.Float64Range(0.1, 1).Draw(t, "share")
			}
			if rapid.IntRange(0, 4).Draw(t, "pin") == 0 {
				c.Devices = 1
				c.Pinned = []string{strconv.Itoa(rapid.IntRange(0, 3).Draw(t, "device"))}
			}
			containers = append(containers, c)
		}
		if got, want := models.Fits(containers, devices), bruteFits(containers, devices, free); got != want {
			t.Fatalf("%+v on %+v: %v, want %v", containers, devices, got, want)
		}
	})
}

// However many there are, the search ends.
func TestFitsEnds(t *testing.T) {
	t.Parallel()
	var devices []models.Device
	var containers []models.Container
	for i := range 64 {
		devices = append(devices, models.Device{ID: strconv.Itoa(i), MemoryBytes: int64(24*models.GB + i)})
	}
	for i := range 1000 {
		containers = append(containers, models.Container{Total: int64(7*models.GB + i), Devices: 1 + i%5})
	}
	models.Fits(containers, devices)
}

func TestMemoryOn(t *testing.T) {
	t.Parallel()
	cfg, _, err := models.Load(models.Options{Value: "m.json", Offchain: true, Devices: devices(t, "24,24"), ReadFile: files(map[string]string{"m.json": `[
		{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": false, "optimization_flags": {"GPU_MEMORY_UTILIZATION": 0.5}},
		{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": false, "image": "own/ollama:1", "vram_gb": 9},
		{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": false, "vram_gb": 60, "gpus": 2},
		{"pipeline": "upscale", "model_id": "stabilityai/stable-diffusion-x4-upscaler", "warm": false},
		{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": false, "url": "http://h"}]`})})
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
