package media

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/harness"
)

// TestATinyStreamTakesNoNode: on a node that admits by what it measured, a stream that costs next
// to nothing, of which a rendition of 16 by 16 pixels is made, keeps no others out.
func TestATinyStreamTakesNoNode(t *testing.T) {
	t.Parallel()
	addr := harness.Address(t)
	p := harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr,
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir(), "-maxSessions", "auto", "-encoderPreset", "ultrafast")
	p.WaitHTTP("https://" + addr + "/healthz")
	profiles := filepath.Join(t.TempDir(), "tiny.json")
	text := `[{"name":"tiny","width":16,"height":16,"bitrate":10000,"fps":1}]`
	if err := os.WriteFile(profiles, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	segments := honest(t, 4)
	_, stranger := gatewayWith(t, addr, profiles)
	_, gw := gateway(t, addr)
	tiny := func(ctx context.Context, n int) (int, string, error) {
		return push(ctx, stranger, "tiny", n, segments[n%len(segments)].Data)
	}
	for n := range 6 {
		if status, answer, err := tiny(t.Context(), n); err != nil || status != http.StatusOK {
			t.Fatalf("tiny segment %d: status %d, %v: %.200s", n, status, err, answer)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		for n := 6; ctx.Err() == nil; n++ {
			_, _, _ = tiny(ctx, n)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second / 4):
			}
		}
	}()
	streams := 2
	if adversary.Long() {
		streams = 4
	}
	for s := range streams {
		name := string(rune('a' + s))
		for n, seg := range segments {
			if status, answer, err := push(t.Context(), gw, name, n, seg.Data); err != nil || status != http.StatusOK {
				t.Errorf("stream %s, segment %d: status %d, %v: %.200s", name, n, status, err, answer)
			}
		}
	}
	cancel()
	<-over
}
