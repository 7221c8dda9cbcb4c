package gateway

import (
	"context"
	"net/http"
	"os"
	"strings"

	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/server/admission"
)

var _ lifecycle.SocketOwner = (*Gateway)(nil)

// requestKind classifies requests for the handover: an event stream never ends by itself, and a
// model's answer may take minutes.
func requestKind(r *http.Request) admission.RequestKind {
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") && r.Method == http.MethodGet {
		return admission.UncountedRequest
	}
	if strings.HasPrefix(r.URL.Path, pushPath) {
		return admission.ShortRequest
	}
	return admission.LongRequest
}

// Socket returns the listener's socket for another process; the caller closes it.
func (g *Gateway) Socket() (*os.File, error) { return g.handover.File() }

// HandOver hands the socket over to another process that has it too, once the segments and model
// answers in progress are finished.
func (g *Gateway) HandOver(ctx context.Context) error {
	if err := g.handover.Release(ctx); err != nil {
		return err
	}
	return g.handover.WaitIdle(ctx)
}

// Settled waits until the socket was handed over and no segment is in progress, or for ctx.
func (g *Gateway) Settled(ctx context.Context) error { return g.handover.WaitReleased(ctx) }
