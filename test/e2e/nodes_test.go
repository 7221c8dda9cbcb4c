package e2e

import (
	"fmt"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// orchestrator starts an off-chain orchestrator with a transcoder and returns it
// with its service address.
func orchestrator(t *testing.T, args ...string) (*harness.Process, string) {
	t.Helper()
	addr := harness.Address(t)
	p := harness.Start(t, binary, append([]string{"-orchestrator", "-transcoder", "-serviceAddr", addr,
		"-httpAddr", addr, "-cliAddr", harness.Address(t), "-dataDir", t.TempDir()}, args...)...)
	p.WaitHTTP("https://" + addr + "/healthz")
	return p, addr
}

// gateway starts a gateway before the given orchestrators and returns it with its
// base address.
func gateway(t *testing.T, orchestrators string, args ...string) (*harness.Process, string) {
	t.Helper()
	return gatewayAt(t, orchestrators, harness.Address(t), args...)
}

// gatewayAt is gateway with its admin listener at a known address.
func gatewayAt(t *testing.T, orchestrators, admin string, args ...string) (*harness.Process, string) {
	t.Helper()
	addr := harness.Address(t)
	p := harness.Start(t, binary, append([]string{"-gateway", "-orchAddr", orchestrators, "-httpAddr", addr,
		"-cliAddr", admin, "-dataDir", t.TempDir(), "-transcodingOptions", ladder}, args...)...)
	p.WaitHTTP("http://" + addr + "/healthz")
	p.WaitHTTP("http://" + admin + "/-/healthy")
	return p, "http://" + addr
}

// segments makes a short generated stream.
func segments(t *testing.T, opt clip.Options) []clip.Segment {
	t.Helper()
	out, err := clip.GenerateAll(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// small is a stream that costs little: 320×180, 15 frames a second.
func small(count int) clip.Options {
	return clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: count, Bitrate: 300_000}
}

// streams pushes the same segments on several streams at once, each stream in
// order, and calls between after every segment. It returns what failed.
func streams(gateway string, count int, segs []clip.Segment, between func(stream, segment int)) []error {
	var (
		mu     sync.Mutex
		failed []error
		wg     sync.WaitGroup
	)
	for i := range count {
		wg.Go(func() {
			for n, s := range segs {
				out, err := harness.Push(gateway, fmt.Sprintf("stream%d", i), fmt.Sprintf("%d.ts", s.Number), s.Data, s.Duration)
				if err == nil && len(out) != 2 {
					err = fmt.Errorf("stream %d segment %d: %d renditions, want 2", i, s.Number, len(out))
				}
				if err != nil {
					mu.Lock()
					failed = append(failed, err)
					mu.Unlock()
				}
				if between != nil {
					between(i, n)
				}
			}
		})
	}
	wg.Wait()
	return failed
}
