package device_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/device"
)

func TestParseSelection(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "all": "all", "0": "0", "1, 0": "1,0", "GPU-8F2a": "GPU-8f2a", "gpu-8f2a,3": "3,GPU-8f2a",
		"GPU-8932f937-d72c-4106-c12f-20bd9faed9f6": "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6",
	} {
		got, err := device.ParseSelection(in)
		if err != nil || got.String() != want || got.None() != (in == "") {
			t.Errorf("%q: %+v, %v", in, got, err)
		}
	}
	for in, want := range map[string]string{
		"-1": "not a list", "x": "not a list", "1,,2": "not a list", "1024": "not a list", "GPU-": "not a list",
		"GPU-xyz": "not a list", "ALLES": "not a list",
		"GPU-" + strings.Repeat("1", 37): "not a list", "0,1,0": "device 0 is named twice",
		"GPU-1,gpu-1": "device GPU-1 is named twice",
		"all,1":       "name it alone", "1,ALL": "name it alone", "MIG-1234": "cannot transcode",
	} {
		if _, err := device.ParseSelection(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	have := []device.GPU{{Index: 0, UUID: "GPU-aa10"}, {Index: 1, UUID: "GPU-aa1"}, {Index: 2, UUID: "GPU-BB"}}
	for in, want := range map[string]string{
		"":                   "[] [] []",
		"all":                "[0 1 2] [] []",
		"2,0":                "[0 2] [] []",
		"1,3,7":              "[1] [3 7] []",
		"GPU-aa1":            "[1] [] []",
		"GPU-aa10":           "[0] [] []",
		"GPU-aa":             "[] [] [GPU-aa]",
		"GPU-b,2,GPU-cc,9":   "[2] [9 GPU-cc] []",
		"gpu-BB,GPU-a,GPU-f": "[2] [GPU-f] [GPU-a]",
	} {
		s, err := device.ParseSelection(in)
		if err != nil {
			t.Fatal(err)
		}
		c := s.Choose(have)
		ids := []string{}
		for _, d := range c.Devices {
			ids = append(ids, d.ID())
		}
		if got := fmt.Sprint(ids, c.Unknown, c.Ambiguous); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestChooseAccountsForAll: whatever is requested is found or named.
func TestChooseAccountsForAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var have []device.GPU
		for i := range rapid.IntRange(0, 6).Draw(t, "devices") {
			have = append(
				have,
				device.GPU{
					Index: i,
					UUID:  device.UUID(fmt.Sprintf("GPU-%s%d", rapid.StringMatching("[ab]{1,3}").Draw(t, "uuid"), i)),
				},
			)
		}
		s := device.Selection{
			IDs: slices.Compact(
				slices.Sorted(slices.Values(rapid.SliceOfN(rapid.IntRange(0, 8), 0, 5).Draw(t, "ids"))),
			),
		}
		c := s.Choose(have)
		if len(c.Devices)+len(c.Unknown) != len(s.IDs) || len(c.Ambiguous) > 0 {
			t.Fatalf("%v of %v: %+v", s, have, c)
		}
		for _, d := range have {
			one := device.Selection{UUIDs: []device.UUID{d.UUID}}.Choose(have)
			if len(one.Devices) != 1 || one.Devices[0] != d {
				t.Fatalf("%s of %v: %+v", d.UUID, have, one)
			}
		}
	})
}

func FuzzParseSelection(f *testing.F) {
	for _, s := range []string{"", "all", "0,1", "GPU-8f,2", "vaapi:/dev/dri/renderD128"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s, err := device.ParseSelection(in)
		if err != nil {
			return
		}
		if again, err := device.ParseSelection(s.String()); err != nil || again.String() != s.String() {
			t.Errorf("%q became %q and then %q, %v", in, s, again, err)
		}
	})
}

func TestTooOld(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"470.256.02": true, "530.30.02": true, "530.41": true, "530.41.03": false, "530.41.04": false, "535.54": false,
		"550.54.15": false,
		"":          false, "strange": false, "530.-1": false,
	} {
		if got := (device.Driver{Version: version}).TooOld(); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}
