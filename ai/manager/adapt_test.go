package manager_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core"
)

func TestEntries(t *testing.T) {
	t.Parallel()
	llama := &models.LLM{MaxSeqs: 64, Utilization: 0.97, TensorParallel: 2}
	got := manager.Entries(&models.Config{Entries: []models.Entry{
		{Model: llm("a"), Warm: true, Capacity: 2, LLM: llama, GPUs: models.GPUs{Count: 2, IDs: []string{"0", "1"}},
			VRAM: 31},
		{Model: llm("told"), LLM: llama, Image: "mine:1", VRAM: 8, GPUs: models.GPUs{Count: 1},
			Flags: models.Settings{models.NewSetting("GPU_MEMORY_UTILIZATION", "0.5"), models.NewSetting("HF_TOKEN", "hidden")}},
		{Model: llm("server"), URL: "http://one:8000", Token: core.NewSecret("hidden"), ServedModel: "llama3.1:8b",
			Capacity: 4},
	}})
	a, claimed, server := got[0], got[1], got[2]
	if !a.Warm || a.Capacity != 2 || a.AssumedSlots != 64 || a.GPUs != 2 || len(a.GPUIDs) != 2 || a.MemoryBytes != 16 ||
		a.MemoryShare != 0.97 {
		t.Errorf("%+v", a)
	}
	if v, ok := a.Env.Lookup("MAX_NUM_SEQS"); !ok || v != "64" {
		t.Errorf("environment %v", a.Env)
	}
	if claimed.MemoryBytes != 8 || claimed.MemoryShare != 0.97 {
		t.Errorf("%+v", claimed)
	}
	if server.URL != "http://one:8000" || server.Token.Reveal() != "hidden" || server.ServedModel != "llama3.1:8b" ||
		server.Capacity != 4 || len(server.Env) != 0 {
		t.Errorf("%+v", server)
	}
	if text := fmt.Sprintf("%v %+v", got, got); strings.Contains(text, "hidden") {
		t.Errorf("a secret shows: %s", text)
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	images := manager.Images(docker.Images{Batch: map[string]string{"llm": "batch:1"}})
	for want, e := range map[string]*manager.Entry{"batch:1": {Model: llm("a")},
		"mine:1": {Model: llm("a"), Image: "mine:1"}} {
		if got, err := images(e); got != want || err != nil {
			t.Errorf("%q, %v: want %q", got, err, want)
		}
	}
}
