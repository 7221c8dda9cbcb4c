package orchestrator

import (
	"context"
	"net/http"
	"os"
	"strings"

	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/handover"
)

// kindOf tells the answers of models, which may take minutes, and segments with what is
// fetched of them, from what anyone may ask, which is answered at once.
func kindOf(r *http.Request) handover.Kind {
	if workerDoor(r.URL.Path) {
		return handover.Uncounted
	}
	for _, p := range pipeline.Table() {
		if strings.HasPrefix(r.URL.Path, p.Path) {
			return handover.Long
		}
	}
	if r.URL.Path == "/segment" || strings.HasPrefix(r.URL.Path, orchestrate.StreamPath) {
		return handover.Short
	}
	return handover.Brief
}

// Socket is the listener's, for another process; the caller closes it.
func (s *Server) Socket() (*os.File, error) { return s.door.File() }

// Leave gives the socket up to another process that has it, too. Segments in hand are
// finished; the answers of models go on after Run has returned, see Finish.
func (s *Server) Leave(ctx context.Context) error { return s.door.Leave(ctx) }

// LeaveAfter has Leave keep the socket, for some seconds at most, until f returns: a gateway
// in this process opens further connections to it for its current segments.
func (s *Server) LeaveAfter(f func(context.Context) error) { s.door.Hold(f) }

// Finish waits until the answers that were under way at Leave have ended, or for ctx,
// and closes what is left.
func (s *Server) Finish(ctx context.Context) error {
	err := s.door.Await(ctx)
	_ = s.http.Close()
	return err
}

// Unfinished is how many answers still go on.
func (s *Server) Unfinished() int {
	_, long := s.door.InHand()
	return long
}
