package gateway

import (
	"context"
	"net/http"
	"os"
	"strings"

	"github.com/tuttinode/tutti/server/handover"
)

// kindOf: an event stream of players never ends by itself, and the answer of a model may
// take minutes.
func kindOf(r *http.Request) handover.Kind {
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") && r.Method == http.MethodGet {
		return handover.Uncounted
	}
	if strings.HasPrefix(r.URL.Path, pushPath) {
		return handover.Short
	}
	return handover.Long
}

// Socket is the listener's, for another process; the caller closes it.
func (g *Gateway) Socket() (*os.File, error) { return g.door.File() }

// Leave gives the socket up to another process that has it, too, when what is in hand
// has been answered: segments, and answers of models.
func (g *Gateway) Leave(ctx context.Context) error {
	if err := g.door.Release(ctx); err != nil {
		return err
	}
	return g.door.WaitIdle(ctx)
}

// Settled waits until the socket was given up and no segment is in progress, or for ctx: the
// renditions of all of them were fetched.
func (g *Gateway) Settled(ctx context.Context) error { return g.door.WaitReleased(ctx) }
