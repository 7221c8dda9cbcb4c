package gateway_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sort"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/tlscert"
	"github.com/tuttinode/tutti/test/coretest"
)

// ours starts this project's own orchestrator over a transcoder.
func ours(t testing.TB, tc core.Transcoder) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	uri := "https://" + l.Addr().String()
	quiet := slog.New(slog.DiscardHandler)
	rules, err := orchestrate.New(orchestrate.Options{
		Capabilities: func() capability.Capabilities { return capability.Offer(capability.Default(), "0.9.1") },
		Transcoder:   tc, Limit: 10, Now: time.Now, Rand: rand.Reader, Log: quiet, ServiceURI: uri,
	})
	if err != nil {
		t.Fatal(err)
	}
	cert, err := tlscert.Open(tlscert.Options{Host: "127.0.0.1", Now: time.Now, Rand: rand.Reader, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := orchestrator.New(orchestrator.Options{
		Listener: l, Version: "0.1.0", Roles: []string{"orchestrator"}, Now: time.Now, Log: quiet,
		Cert: cert, Orchestrator: rules,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- srv.Run(ctx, func() { close(ready) }) }()
	<-ready
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return uri
}

func TestWithOurOrchestrator(t *testing.T) {
	t.Parallel()
	fake := &coretest.Fake{}
	n := start(t, []string{ours(t, fake)})
	for i := range 4 {
		a := n.push(fmt.Sprintf("/live/show/%d.ts", i), media)
		if a.status != http.StatusOK || len(a.parts) != 2 {
			t.Fatalf("%d %s", a.status, a.text)
		}
	}
	if err := n.stop(); err != nil {
		t.Fatal(err)
	}
	for _, v := range fake.Violations() {
		t.Error(v)
	}
}

// ready is a transcoder whose work is done already.
type ready struct{ sizes []int }

func (r ready) Transcode(_ context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	res := &core.TranscodeResult{}
	for _, size := range r.sizes[:len(job.Profiles)] {
		res.Renditions = append(res.Renditions, core.Rendition{Data: make([]byte, size), Frames: 60, Pixels: 1})
	}
	return res, nil
}

func (ready) EndSession(core.SessionID) {}

// BenchmarkSegment is everything but libav: client → gateway → TLS →
// orchestrator → back, with a segment of 1080p30, 2 s, and three renditions. It
// reports the median and the 95th percentile.
func BenchmarkSegment(b *testing.B) {
	profiles, err := core.ParsePresets("P720p30fps16x9,P576p30fps16x9,P360p30fps16x9")
	if err != nil {
		b.Fatal(err)
	}
	uri := ours(b, ready{[]int{1_000_000, 375_000, 300_000}})
	n := start(b, []string{uri}, func(o *gateway.Options) { o.Profiles = profiles })
	data := make([]byte, 1_500_000)
	_, _ = io.ReadFull(rand.Reader, data)
	var took []time.Duration
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		begin := time.Now()
		req, err := http.NewRequest(http.MethodPost, fmt.Sprintf("%s/live/show/%d.ts", n.url, i), bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Accept", "multipart/mixed")
		resp, err := n.client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		size, err := io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || size < 1_675_000 {
			b.Fatalf("%s %v, %d bytes", resp.Status, err, size)
		}
		took = append(took, time.Since(begin))
		i++
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
