package aiapi_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// images answers every job at an orchestrator with one image of so many bytes.
func pictures(t *testing.T, orchestrator string, size int) func(context.Context, *inference.Job) (*broker.Answer,
	error) {
	t.Helper()
	answer := says(images(dataURL(pictureOf(t, size)), 1))
	return func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
		a, err := answer(ctx, job)
		a.Orchestrator = orchestrator
		return a, err
	}
}

// makeResult has an image made and returns its path.
func (n *node) makeResult(t *testing.T) string {
	t.Helper()
	g := n.post("/text-to-image", imageBody)
	found := resultURL.FindStringSubmatch(g.body)
	if found == nil {
		t.Fatalf("status %d, %.200s", g.status, g.body)
	}
	return found[1]
}

// An orchestrator whose answers are far larger than any has its own results dropped, not those
// of others. What is larger than usual drops nothing but its own.
func TestLargeResultsDropNoOthers(t *testing.T) {
	t.Parallel()
	const size = 64 << 10
	n := start(t, func(o *aiapi.Options) { o.Limits.Results = 10 * size }).serve()
	n.broker.answer = pictures(t, "https://honest:8935", size)
	var kept []string
	for range 2 {
		kept = append(kept, n.makeResult(t))
	}
	n.broker.answer = pictures(t, "https://hostile:8935", 4*size)
	for range 5 {
		n.makeResult(t)
	}
	n.broker.answer = pictures(t, "https://hostile:8935", 9*size)
	if g := n.post("/text-to-image", imageBody); g.status != http.StatusServiceUnavailable {
		t.Errorf("an answer that fits besides nothing: status %d, %.200s", g.status, g.body)
	}
	n.broker.answer = pictures(t, "https://honest:8935", size)
	kept = append(kept, n.makeResult(t))
	for _, path := range kept {
		if g := n.get(path); g.status != http.StatusOK || len(g.body) != size {
			t.Errorf("an honest orchestrator's result: status %d, %d bytes", g.status, len(g.body))
		}
	}
	if g := n.get(kept[0], "Range", "bytes=1-3"); g.status != http.StatusPartialContent || g.body != "PNG" {
		t.Errorf("a part: status %d, %q", g.status, g.body)
	}
}

// Clients that fetch results slowly hold what is not kept any more in bounded memory.
func TestSlowFetchesAreBounded(t *testing.T) {
	t.Parallel()
	const size = 16 << 20
	n := start(t, func(o *aiapi.Options) { o.Limits.Results = 5 * size / 2 }).serve()
	n.broker.answer = pictures(t, "https://o:8935", size)
	var fetches []*http.Response
	for range 3 {
		transport := &http.Transport{DisableCompression: true}
		t.Cleanup(transport.CloseIdleConnections)
		resp, err := transport.RoundTrip(n.request(http.MethodGet, n.makeResult(t), ""))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		fetches = append(fetches, resp)
	}
	for i, resp := range fetches {
		whole, err := io.Copy(io.Discard, resp.Body)
		if first := i == 0; first != (err != nil) || !first && whole != size {
			t.Errorf("fetch %d: %d bytes, %v", i, whole, err)
		}
	}
	if g := n.get("/results/" + strings.Repeat("0", 32) + "/0.png"); g.status != http.StatusNotFound {
		t.Errorf("status %d", g.status)
	}
}
