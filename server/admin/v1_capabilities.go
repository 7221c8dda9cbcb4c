package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

func capabilityEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathCapabilities, "External capabilities, their slots and what they earned",
			adminapi.Capabilities{}), serve: capabilitiesV1},
		{Route: post(adminapi.PathCapabilityRemove, "Remove an external capability; work in progress goes on",
			adminapi.CapabilityName{}, adminapi.Capabilities{}), serve: removeCapabilityV1},
	}
}

func capabilitiesV1(s *Server, _ *http.Request) (any, error) {
	if s.opts.Work.Capabilities == nil {
		return nil, absent("external capabilities")
	}
	return adminapi.Capabilities{Capabilities: orEmpty(s.opts.Work.Capabilities.Capabilities())}, nil
}

func removeCapabilityV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.CapabilityName](r)
	switch {
	case err != nil:
		return nil, err
	case s.opts.Work.Capabilities == nil:
		return nil, absent("external capabilities")
	}
	if err := s.opts.Work.Capabilities.Remove(in.Name); err != nil {
		return nil, err
	}
	return capabilitiesV1(s, r)
}
