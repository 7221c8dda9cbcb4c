package verify_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// TestFlood is a transport stream of nothing but tiny units: it ends with a fault and
// not with the last of them.
func TestFlood(t *testing.T) {
	t.Parallel()
	ts, err := os.ReadFile("testdata/h264.ts")
	if err != nil {
		t.Fatal(err)
	}
	packet := append([]byte{0x47, 0x41, 0, 0x10, 0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0},
		bytes.Repeat([]byte{0, 0, 1, 0x67, 0x64}, 35)...)
	data := append(ts[:3*verify.PacketSize:3*verify.PacketSize], bytes.Repeat(packet, 70_000)...)
	if _, err := verify.Count(data); fault.CodeOf(err) != fault.RenditionUnreadable {
		t.Errorf("%v", err)
	}
}

const maxSamplesAndOne = 1<<20 + 1

// TestTablesThatLie has sample tables point outside, overlap or never end.
func TestTablesThatLie(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile("testdata/h264.mp4")
	if err != nil {
		t.Fatal(err)
	}
	before, err := verify.Count(good)
	if err != nil || before.Frames == 0 {
		t.Fatalf("%+v, %v", before, err)
	}
	// Within a full box, the count or the first entry is overwritten.
	for name, row := range map[string]struct {
		box   string
		at    int
		value uint32
	}{
		"sizes of the largest kind": {"stsz", 8, 0xffffffff},
		"samples without end":       {"stsz", 12, maxSamplesAndOne},
		"more samples than chunks":  {"stsz", 12, 30_000},
		"chunk outside":             {"stco", 12, 0x7fffffff},
		"no chunk":                  {"stco", 8, 0},
		"no run":                    {"stsc", 8, 0},
	} {
		data := bytes.Clone(good)
		i := bytes.Index(data, []byte(row.box))
		binary.BigEndian.PutUint32(data[i+row.at:], row.value)
		if _, err := verify.Count(data); fault.CodeOf(err) != fault.RenditionUnreadable {
			t.Errorf("%s: %v", name, err)
		}
	}
}
