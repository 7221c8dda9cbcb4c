package manager_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/ai/gpuplacement"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
)

// A program that is no model gets GPUs of the models' plan: none that another has, and one that was given
// back; the others who use the GPU learn what it needs.
func TestClaimGPUs(t *testing.T) {
	t.Parallel()
	reserved := make(map[string]int64)
	m := manager.New(manager.Options{
		Devices: []manager.Device{{ID: "0", MemoryBytes: 8 << 30}, {ID: "1", MemoryBytes: 8 << 30}},
		Reserve: func(device string, bytes int64) { reserved[device] = bytes },
	})
	need := gpuplacement.Need{Devices: 1, Takes: gpuplacement.Memory{Bytes: 6 << 30}}
	waited := make(chan struct{}, 8)
	claim := func(ctx context.Context) ([]string, func(), error) {
		return m.ClaimGPUs(ctx, need, func(error) { waited <- struct{}{} })
	}
	first, release, err := claim(t.Context())
	if err != nil || fmt.Sprint(first) != "[0]" || reserved["0"] != 6<<30 || reserved["1"] != 0 {
		t.Fatal(first, err, reserved)
	}
	second, _, err := claim(t.Context())
	if err != nil || fmt.Sprint(second) != "[1]" {
		t.Fatal(second, err)
	}
	if _, _, err := m.ClaimGPUs(t.Context(), gpuplacement.Need{Devices: 3}, func(error) {}); !errors.Is(err,
		fault.ModelNoRoom) {
		t.Error("three of two GPUs:", err)
	}
	release()
	if reserved["0"] != 0 {
		t.Error("it is reserved after it was given back:", reserved)
	}
	if again, _, err := claim(t.Context()); err != nil || fmt.Sprint(again) != "[0]" {
		t.Error(again, err)
	}
}
