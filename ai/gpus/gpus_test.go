package gpus_test

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/ai/gpus"
	"github.com/tuttinode/tutti/core/fault"
)

func TestFind(t *testing.T) {
	t.Parallel()
	two := func(context.Context) ([]byte, error) { return []byte("0, 24564\n1, 81559\n"), nil }
	missing := func(context.Context) ([]byte, error) {
		return nil, &exec.Error{Name: "nvidia-smi", Err: exec.ErrNotFound}
	}
	broken := func(context.Context) ([]byte, error) { return nil, errors.New("driver/library version mismatch") }
	for _, row := range []struct {
		name string
		all  bool
		ids  []int
		ask  gpus.Tool
		want []gpus.Device
		fail bool
	}{
		{"all and no tool", true, nil, missing, nil, true},
		{"all and a broken driver", true, nil, broken, nil, true},
		{"all and none there", true, nil, func(context.Context) ([]byte, error) { return nil, nil }, nil, true},
		{"one that is not there", false, []int{2}, two, nil, true},
		{"some of those named", false, []int{2, 1, 3}, two, []gpus.Device{{"1", 81559 << 20}}, true},
		{"named and a broken driver", false, []int{0}, broken, nil, true},
		{"nonsense", true, nil, func(context.Context) ([]byte, error) { return []byte("No devices were found\n"), nil }, nil, true},
		{"none asked for", false, nil, broken, nil, false},
		{"named and no tool", false, []int{1, 0}, missing, []gpus.Device{{ID: "1"}, {ID: "0"}}, false},
		{"all", true, nil, two, []gpus.Device{{"0", 24564 << 20}, {"1", 81559 << 20}}, false},
		{"named", false, []int{1}, two, []gpus.Device{{"1", 81559 << 20}}, false},
		{"memory not told", true, nil, func(context.Context) ([]byte, error) { return []byte("0, [N/A]\n"), nil }, []gpus.Device{{ID: "0"}}, false},
	} {
		got, err := gpus.Find(t.Context(), row.all, row.ids, row.ask)
		if (err != nil) != row.fail || row.fail && !errors.Is(err, fault.NoDevices) {
			t.Errorf("%s: error %v", row.name, err)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
}

// TestMissingAreNamed: all of them.
func TestMissingAreNamed(t *testing.T) {
	t.Parallel()
	one := func(context.Context) ([]byte, error) { return []byte("0, 24564\n"), nil }
	_, err := gpus.Find(t.Context(), false, []int{0, 1, 2}, one)
	if _, text := fault.Public(err); text != "there is no GPU 1, 2, the driver shows 1" {
		t.Error(text)
	}
}

func FuzzFind(f *testing.F) {
	f.Add("0, 24564\n1, 81559\n")
	f.Fuzz(func(t *testing.T, out string) {
		got, err := gpus.Find(t.Context(), true, nil, func(context.Context) ([]byte, error) { return []byte(out), nil })
		for _, d := range got {
			if err != nil || d.ID == "" || d.MemoryBytes < 0 {
				t.Errorf("%+v, %v", got, err)
			}
		}
	})
}
