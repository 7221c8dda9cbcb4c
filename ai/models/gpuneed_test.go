package models_test

import (
	"testing"

	"github.com/tuttinode/tutti/ai/models"
)

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
