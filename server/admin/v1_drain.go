package admin

import (
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
)

// maxDrain bounds the deadline of a drain.
const maxDrain = 7 * 24 * time.Hour

func drainEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathDrain, "Whether the node takes new work, and what is left of a drain", adminapi.Drain{}),
			serve: drainV1},
		{Route: post(adminapi.PathDrain, "Take no new work, or take it again", adminapi.DrainChange{}, adminapi.Drain{}),
			serve: changeDrainV1},
		{Route: post(adminapi.PathUpgrade, "Start the program on disk in this one's place, without losing a session", nil,
			adminapi.Upgrade{}), serve: upgradeV1},
	}
}

func drainV1(s *Server, _ *http.Request) (any, error) {
	if s.opts.Node.Drains == nil {
		return nil, absent("work that it could drain")
	}
	return s.opts.Node.Drains.Drain(), nil
}

func changeDrainV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.DrainChange](r)
	switch {
	case err != nil:
		return nil, err
	case s.opts.Node.Drains == nil:
		return nil, absent("work that it could drain")
	case in.DeadlineSeconds < 0 || in.DeadlineSeconds > int(maxDrain/time.Second):
		return nil, badBody("field deadlineSeconds: must be 0 to a week")
	case in.Cancel && (in.Stop || in.DeadlineSeconds > 0):
		return nil, badBody("field cancel: goes with nothing else")
	case in.Cancel:
		err = s.opts.Node.Drains.Cancel()
	default:
		err = s.opts.Node.Drains.Begin(time.Duration(in.DeadlineSeconds)*time.Second, in.Stop)
	}
	if err != nil {
		return nil, err
	}
	return s.opts.Node.Drains.Drain(), nil
}

func upgradeV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Node.Upgrade == nil {
		return nil, absent("way to be replaced by another process")
	}
	return s.opts.Node.Upgrade(r.Context())
}
