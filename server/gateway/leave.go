package gateway

import (
	"context"
	"net/http"
	"os"
	"strings"

	"github.com/tuttinode/tutti/server/leave"
)

// kindOf: an event stream of players never ends by itself.
func kindOf(r *http.Request) leave.Kind {
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") && r.Method == http.MethodGet {
		return leave.Uncounted
	}
	return leave.Short
}

// Socket is the listener's, for another process; the caller closes it.
func (g *Gateway) Socket() (*os.File, error) { return g.door.File() }

// Leave gives the socket up to another process that has it, too, when what is in hand
// has been answered: segments, and answers of models.
func (g *Gateway) Leave(ctx context.Context) error { return g.door.Leave(ctx) }
