package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// TestTwoProcesses is the network's ordinary shape: a gateway here, an
// orchestrator with a transcoder there.
func TestTwoProcesses(t *testing.T) {
	_, addr := orchestrator(t)
	_, gw := gateway(t, addr)
	for _, s := range segments(t, small(3)) {
		out, err := harness.Push(gw, "movie", fmt.Sprintf("%d.ts", s.Number), s.Data, s.Duration)
		if err != nil {
			t.Fatal(err)
		}
		checkRenditions(t, s, out)
	}
	master := string(body(t, gw+"/stream/movie.m3u8"))
	for _, want := range []string{"#EXTM3U", "P240p30fps16x9", "P144p30fps16x9"} {
		if !strings.Contains(master, want) {
			t.Errorf("the master playlist lacks %s:\n%s", want, master)
		}
	}
	for _, line := range strings.Split(master, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		media := string(body(t, absolute(gw+"/stream/", line)))
		if got := strings.Count(media, "#EXTINF"); got != 3 {
			t.Errorf("%s lists %d segments, want 3:\n%s", line, got, media)
		}
	}
	var status map[string]any
	if err := json.Unmarshal(body(t, "https://"+addr+"/status"), &status); err != nil {
		t.Errorf("/status: %v", err)
	}
}

// TestOneProcess runs gateway, orchestrator and transcoder together.
func TestOneProcess(t *testing.T) {
	gw := harness.Address(t)
	_, _ = orchestrator(t, "-gateway", "-gatewayAddr", gw, "-transcodingOptions", ladder)
	for _, s := range segments(t, small(2)) {
		out, err := harness.Push("http://"+gw, "movie", fmt.Sprintf("%d.ts", s.Number), s.Data, s.Duration)
		if err != nil {
			t.Fatal(err)
		}
		checkRenditions(t, s, out)
	}
}

func body(t *testing.T, url string) []byte {
	t.Helper()
	status, text := harness.Get(t, url)
	if status != 200 {
		t.Fatalf("%s answered %d: %s", url, status, text)
	}
	return text
}

// absolute resolves a playlist's reference against the playlist's directory.
func absolute(dir, ref string) string {
	if strings.Contains(ref, "://") {
		return ref
	}
	if strings.HasPrefix(ref, "/") {
		return dir[:strings.Index(dir, "/stream/")] + ref
	}
	return dir + ref
}
