package orchestrator

import (
	"net/http"

	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/livevideo"
)

// liveVideoRoutes adds the paths of live video, and those of channels where no live runners have them.
func (s *Server) liveVideoRoutes(mux *http.ServeMux) {
	if s.opt.LiveVideo != nil {
		mux.HandleFunc("POST "+livevideo.Path, s.liveVideo)
	}
	if s.opt.Serverless != nil {
		mux.HandleFunc("POST "+livevideo.ServerlessPath, s.opt.Serverless.Start)
		if s.opt.Live == nil {
			mux.HandleFunc("GET /discovery", s.opt.Serverless.Discovery)
		}
	}
	if s.opt.Live == nil && s.opt.Channels != nil {
		mux.Handle(liverunner.ChannelPath, liverunner.Channels(s.opt.Channels, max(1, s.opt.Connections/4*3)))
	}
}

// liveVideo starts a session. Its credentials are those of an AI job.
func (s *Server) liveVideo(w http.ResponseWriter, r *http.Request) {
	s.opt.LiveVideo.Start(w, r, func() (party string, err error) {
		credentials, err := s.credentials.read(r.Header)
		if err != nil {
			return "", err
		}
		credentials.From = access.Host(r.RemoteAddr)
		sender, err := s.orch.CheckJob(credentials)
		if err != nil {
			return "", err
		}
		admission.Prove(r.Context())
		return sender.Party(), nil
	})
}
