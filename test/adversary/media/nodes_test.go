package media

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// ladder has one rendition of the honest source's own size, at a fixed rate.
const ladder = "P240p30fps16x9,P144p30fps16x9"

// orchestrator starts an off-chain orchestrator with a transcoder on the CPU and
// returns it with its service address.
func orchestrator(t *testing.T, args ...string) (*harness.Process, string) {
	t.Helper()
	addr := harness.Address(t)
	p := harness.Start(t, binary, append([]string{"-orchestrator", "-transcoder", "-serviceAddr", addr,
		"-httpAddr", addr, "-cliAddr", harness.Address(t), "-dataDir", t.TempDir(), "-maxSessions", "100",
		"-encoderPreset", "ultrafast"}, args...)...)
	p.WaitHTTP("https://" + addr + "/healthz")
	return p, addr
}

// gateway starts a gateway before an orchestrator and returns it with its base address.
func gateway(t *testing.T, orchestrator string, args ...string) (*harness.Process, string) {
	t.Helper()
	return gatewayWith(t, orchestrator, ladder, args...)
}

// gatewayWith is gateway with renditions of its own.
func gatewayWith(t *testing.T, orchestrator, renditions string, args ...string) (*harness.Process, string) {
	t.Helper()
	addr := harness.Address(t)
	p := harness.Start(t, binary, append([]string{"-gateway", "-orchAddr", orchestrator, "-httpAddr", addr,
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir(), "-transcodingOptions", renditions}, args...)...)
	p.WaitHTTP("http://" + addr + "/healthz")
	return p, "http://" + addr
}

// honest makes the segments of a stream of the ladder's largest size.
func honest(t *testing.T, count int) []clip.Segment {
	t.Helper()
	out, err := clip.GenerateAll(t.Context(), clip.Options{Width: 426, Height: 240, FPSNum: 30, FPSDen: 1,
		Segment: time.Second, Segments: count, Bitrate: 400_000})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ffmpeg makes a clip with the program of the build's own prefix.
func ffmpeg(t *testing.T, ext, args string) []byte {
	t.Helper()
	prefix := os.Getenv("TUTTI_DEPS")
	if prefix == "" {
		t.Fatal(`TUTTI_DEPS is not set: run the tests through make, or eval "$(make -s env)" first`)
	}
	out := filepath.Join(t.TempDir(), "clip"+ext)
	full := append([]string{"-nostdin", "-v", "error", "-y"}, strings.Fields(args)...)
	cmd := exec.Command(filepath.Join(prefix, "bin", "ffmpeg"), append(full, out)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %s: %v: %s", args, err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// push sends a segment to a gateway with further headers, name and value in turn, and
// returns the status and the answer.
func push(ctx context.Context, gateway, stream string, n int, data []byte, headers ...string) (int, string, error) {
	url := fmt.Sprintf("%s/live/%s/%d.ts", gateway, stream, n)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(data))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Accept", "multipart/mixed")
	req.Header.Set("Content-Duration", "1000")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := harness.Client().Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

// deaths is how many media workers of a node died.
func deaths(p *harness.Process) int {
	return strings.Count(p.Log(), "a media worker ended")
}
