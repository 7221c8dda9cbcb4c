package orchestrator

import (
	"context"
	"net/http"
	"os"
	"strings"

	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/byoc"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/livevideo"
)

var _ lifecycle.SocketOwner = (*Server)(nil)

// kindOf distinguishes the answers of models, which may take minutes, and segments with what is
// fetched of them, from requests without credentials, which are answered at once.
//
// Requests to live runners may last for hours and go on as long as those answers; those on channels are
// cut off, see liverunner.Server.HandOver.
func (s *Server) kindOf(r *http.Request) admission.RequestKind {
	switch {
	case isWorkerPath(r.URL.Path), strings.HasPrefix(r.URL.Path, liverunner.ChannelPath):
		return admission.UncountedRequest
	case s.opt.Live != nil && s.opt.Live.IsLong(r):
		return admission.LongRequest
	}
	if r.URL.Path == livevideo.Path || r.URL.Path == livevideo.ServerlessPath ||
		strings.HasPrefix(r.URL.Path, byoc.RequestPath) {
		return admission.LongRequest
	}
	for _, p := range pipeline.Table() {
		if strings.HasPrefix(r.URL.Path, p.Path) {
			return admission.LongRequest
		}
	}
	switch {
	case r.URL.Path == "/segment":
		return admission.FollowedRequest
	case strings.HasPrefix(r.URL.Path, orchestrate.StreamPath):
		return admission.FollowingRequest
	}
	return admission.BriefRequest
}

// Socket returns the listener's, for another process; the caller closes it.
func (s *Server) Socket() (*os.File, error) { return s.handover.File() }

// HandOver releases the socket to another process that holds it too. Segments in progress are
// finished; the answers of models continue after Run has returned, see Finish.
func (s *Server) HandOver(ctx context.Context) error { return s.handover.Release(ctx) }

// BeforeHandOver makes HandOver keep the socket until f returns, for some seconds at most: a
// gateway in this process opens more connections to it for its current segments.
func (s *Server) BeforeHandOver(f func(context.Context) error) { s.handover.BeforeRelease(f) }

// Finish waits until the answers in progress have ended, or for ctx, and closes the rest.
func (s *Server) Finish(ctx context.Context) error {
	err := s.handover.Finish(ctx, s.http, stopGrace)
	s.retiring.Wait()
	return err
}

// Unfinished returns how many answers are still in progress.
func (s *Server) Unfinished() int {
	_, long := s.handover.InProgress()
	return long
}
