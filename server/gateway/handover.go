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
// model's answer may take minutes. Live video and jobs of capabilities end with this process: they are paid for while
// they last.
func requestKind(r *http.Request) admission.RequestKind {
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") && r.Method == http.MethodGet {
		return admission.UncountedRequest
	}
	for _, path := range []string{"/live/", "/process/"} {
		if strings.HasPrefix(r.URL.Path, path) {
			return admission.ShortRequest
		}
	}
	return admission.LongRequest
}

// Socket returns the listener's socket for another process; the caller closes it.
func (g *Gateway) Socket() (*os.File, error) { return g.handover.File() }

// HandOver hands the socket over to another process that has it too, once the segments in progress are finished. The
// answers of models continue after Run has returned, see Finish.
func (g *Gateway) HandOver(ctx context.Context) error { return g.handover.Release(ctx) }

// Unfinished returns how many answers are still in progress.
func (g *Gateway) Unfinished() int {
	_, long := g.handover.InProgress()
	return long
}

// Finish waits until the answers in progress have ended, or for ctx, and closes the rest. It is called after Run.
func (g *Gateway) Finish(ctx context.Context) error {
	err := g.handover.Finish(ctx, g.http, shutdownTime)
	g.retiring.Wait()
	if g.opt.AI != nil {
		g.opt.AI.Close()
	}
	return err
}

// Settled waits until the socket was handed over and no segment is in progress, or for ctx.
func (g *Gateway) Settled(ctx context.Context) error { return g.handover.WaitReleased(ctx) }
