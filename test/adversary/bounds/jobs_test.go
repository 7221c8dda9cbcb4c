package bounds

import (
	"context"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// TestHeadersAloneTakeNoPaidWork: requests of which only the headers come, 520 on one
// connection and more every second, take no job and no segment from a gateway.
func TestHeadersAloneTakeNoPaidWork(t *testing.T) {
	o := orchestrator(t, 0)
	g := gateway(t, 0, o.front)
	seg := segments(t, 1)[0]
	g.await(t, seg)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := strangerAt(0, o.front)
	over, opened := make(chan struct{}), make(chan struct{}, 1)
	go func() {
		defer close(over)
		s.connectMany(ctx, 4, func(ctx context.Context) {
			left := 520
			s.over(ctx, false, func(c *h2) error {
				if left--; left == 0 {
					select {
					case opened <- struct{}{}:
					default:
					}
					<-ctx.Done()
					return ctx.Err()
				}
				_, err := c.open(c.request("/llm", "application/json", 0,
					hpack.HeaderField{Name: "content-length", Value: "8000000"}), true)
				return err
			})
		})
	}()
	<-opened
	for n := range 20 {
		if err := complete(t.Context(), g.base()); err != nil {
			t.Errorf("completion %d: %v", n, err)
		}
	}
	for n := range 3 {
		if err := push(g.base(), "stream", n, seg); err != nil {
			t.Errorf("segment %d: %v", n, err)
		}
	}
	cancel()
	<-over
}
