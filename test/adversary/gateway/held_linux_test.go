package gateway

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// withoutPictures is a segment that declares video and sound and has neither, which needs no
// orchestrator.
func withoutPictures(t *testing.T, size int) []byte {
	t.Helper()
	c, err := clip.Generate(clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: 1, Bitrate: 200_000,
		Segment: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const packet, tables, programs = 188, 0, 0x1000
	var out []byte
	for at := 0; at+packet <= len(s.Data); at += packet {
		p := s.Data[at : at+packet]
		if pid := int(p[1]&0x1f)<<8 | int(p[2]); pid == tables || pid == programs {
			out = append(out, p...)
		}
	}
	empty := append([]byte{0x47, 0x1f, 0xff, 0x10}, bytes.Repeat([]byte{0xff}, packet-4)...)
	return append(out, bytes.Repeat(empty, (size-len(out))/packet)...)
}

// TestSegmentsThatWaitAreBounded: segments that wait for an earlier one, which does not come to
// its end, do not fill the machine's memory.
func TestSegmentsThatWaitAreBounded(t *testing.T) {
	t.Parallel()
	g := start(t, "-streamAccess", "open")
	const segments, size, most = 64, 16 << 20, 700 << 20
	data := withoutPictures(t, size)
	g.drip(attacker, "PUT /live/held/1.ts HTTP/1.1\r\nContent-Length: 1000", []byte("G"))
	g.node.Wait("the stream to begin", 20*time.Second, func() bool {
		_, list := g.ask("GET", "/api/streams", nil)
		return strings.Contains(list, `"held"`)
	})
	before, answers := g.resident(), map[int]int{}
	for n := range segments {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, fmt.Sprintf("%s/live/held/%d.ts", g.base, n+2),
			bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := clientAt(attacker).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		answers[resp.StatusCode]++
	}
	grown := g.resident() - before
	t.Logf("%d MB more after %v", grown>>20, answers)
	if grown > most || answers[http.StatusOK] == 0 {
		t.Errorf("%d segments of %d MB behind one that does not come cost %d MB", segments, size>>20, grown>>20)
	}
}

// resident is how many bytes of memory the node has.
func (g *target) resident() (bytes int64) {
	g.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.node.PID()))
	if err != nil {
		g.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	if _, err := fmt.Sscan(rest, &bytes); err != nil {
		g.Fatal(err)
	}
	return bytes << 10
}
