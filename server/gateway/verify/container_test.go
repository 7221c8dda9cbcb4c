package verify_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/verify"
)

func containerRead(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func always(byte) bool { return true }

func TestProgram(t *testing.T) {
	t.Parallel()
	b := containerRead(t, "h264.ts")
	var g verify.Program
	for off := 0; verify.WholeBox(b, off) && !g.Found(); off += verify.PacketSize {
		p := b[off:]
		pid, start := verify.PacketHead(p)
		g.Take(pid, start, verify.TSPayload(p[:verify.PacketSize]), func(k byte) bool { return k == 0x1b },
			func(k byte) bool { return k == 0x0f })
	}
	if g.VideoType != 0x1b || g.AudioType != 0x0f || g.VideoPID != 0x100 {
		t.Errorf("%+v", g)
	}
}

func TestSync(t *testing.T) {
	t.Parallel()
	b := containerRead(t, "h264.ts")
	for _, junk := range []int{0, 1, 100, 500} {
		if got := verify.SyncByte(append(bytes.Repeat([]byte{1}, junk), b...), 0); got != junk {
			t.Errorf("found at %d, want %d", got, junk)
		}
	}
	if got := verify.SyncByte(make([]byte, 1000), 0); got != 1000 {
		t.Errorf("found at %d in nothing", got)
	}
}

func TestBoxes(t *testing.T) {
	t.Parallel()
	b := []byte("\x00\x00\x00\x0cftypabcd" + "\x00\x00\x00\x01wide\x00\x00\x00\x00\x00\x00\x00\x12xy" +
		"\x00\x00\x00\x00mdatrest")
	type box struct {
		kind, body string
		at         int
	}
	var got []box
	verify.EachBox(b, func(kind string, body []byte, at int) { got = append(got, box{kind, string(body), at}) })
	if want := []box{{"ftyp", "abcd", 0}, {"wide", "xy", 12}, {"mdat", "rest", 30}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := verify.BoxPath(containerRead(t, "h264.mp4"), "moov", "trak", "mdia", "minf", "stbl", "stsd"); got == nil {
		t.Error("no sample description found")
	}
	if verify.ChildBox(nil, "moov") != nil || verify.BoxPath(b, "moov", "trak") != nil {
		t.Error("found what is not there")
	}
}

func FuzzContainer(f *testing.F) {
	f.Add(containerRead(f, "h264.ts")[:4*verify.PacketSize])
	f.Add(containerRead(f, "h264.mp4")[:2000])
	f.Fuzz(func(t *testing.T, b []byte) {
		last := -1
		verify.EachBox(b, func(kind string, body []byte, at int) {
			if at <= last || at+8+len(body) > len(b) || len(kind) != 4 {
				t.Errorf("box %q of %d bytes at %d of %d", kind, len(body), at, len(b))
			}
			last = at
		})
		var g verify.Program
		for off := verify.SyncByte(b, 0); verify.WholeBox(b, off); off += verify.PacketSize {
			p := b[off : off+verify.PacketSize]
			pid, start := verify.PacketHead(p)
			payload := verify.TSPayload(p)
			g.Take(pid, start, payload, always, always)
			if len(verify.PESPayload(payload)) > len(payload) {
				t.Error("a payload grew")
			}
		}
	})
}
