package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

func workerEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathWorkers, "Devices, and workers on other machines", adminapi.Workers{}), serve: workforceV1},
		{Route: post(adminapi.PathWorker, "Drain a worker, or give it work again", adminapi.WorkerChange{},
			adminapi.Workers{}), serve: changeWorkerV1},
	}
}

func workforceV1(s *Server, _ *http.Request) (any, error) {
	if s.opts.Work.Workers == nil {
		return nil, absent("devices and workers")
	}
	return adminapi.Workers{Workers: orEmpty(s.opts.Work.Workers.Workers())}, nil
}

func changeWorkerV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.WorkerChange](r)
	switch {
	case err != nil:
		return nil, err
	case s.opts.Work.Workers == nil:
		return nil, absent("devices and workers")
	case in.Drain:
		err = s.opts.Work.Workers.Drain(in.Name)
	default:
		err = s.opts.Work.Workers.Resume(in.Name)
	}
	if err != nil {
		return nil, err
	}
	return workforceV1(s, r)
}
