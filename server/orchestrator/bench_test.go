package orchestrator_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
)

// BenchmarkSegment is everything but the media work, as a gateway sees it: 1.5
// MB up over HTTP/2, three renditions of 0.5 MB down over HTTP/1.1, both ends on
// this machine. The time includes what the client side does: encrypting,
// hashing and reading. Under way the median is the figure to look at.
func BenchmarkSegment(b *testing.B) {
	n := newNode(b)
	n.fake.RenditionBytes = 500_000
	tok := n.offer().GetAuthToken()
	body := make([]byte, 1_500_000)
	var whole, up []time.Duration
	for b.Loop() {
		start := time.Now()
		m := meta(tok, body)
		hashed := time.Since(start)
		m.Profiles = ladder3
		_, answer := do(b, n.h2, n.post(m, bytes.NewReader(body)))
		up = append(up, time.Since(start)-hashed)
		var wg sync.WaitGroup
		for _, seg := range result(b, answer).GetData().GetSegments() {
			wg.Go(func() { fetch(b, n, seg) })
		}
		wg.Wait()
		whole = append(whole, time.Since(start))
	}
	b.ReportMetric(median(whole).Seconds()*1000, "p50-ms")
	b.ReportMetric(median(up).Seconds()*1000, "p50-upload-ms")
}

var ladder3 = []core.Profile{{Name: "a", Width: 1280, Height: 720}, {Name: "b", Width: 854, Height: 480},
	{Name: "c", Width: 640, Height: 360}}

// fetch reads a rendition into a buffer of its size, as a gateway that keeps it.
func fetch(b *testing.B, n *node, seg *rpc.TranscodedSegmentData) {
	res, err := n.h1.Get(seg.GetUrl())
	if err != nil {
		b.Error(err)
		return
	}
	defer res.Body.Close()
	data := make([]byte, res.ContentLength)
	if _, err := io.ReadFull(res.Body, data); err != nil || res.StatusCode != http.StatusOK {
		b.Error(err, res.StatusCode)
	}
	_, _ = io.Copy(io.Discard, res.Body)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
