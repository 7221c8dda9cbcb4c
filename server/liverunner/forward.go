package liverunner

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/admission"
)

// Headers that runners get.
const (
	headerRoute   = "Livepeer-Runner-Route"
	headerSession = "Livepeer-Session-Id"
	headerToken   = "Livepeer-Session-Token"
	headerControl = "Livepeer-Session-Control"
)

// forNode are the headers that are for this node alone. Read-only.
var forNode = []string{"Livepeer-Payment", "Livepeer-Segment", "Livepeer-Payer-Address"}

// app passes a request of a session on.
func (s *Server) app(w http.ResponseWriter, r *http.Request) {
	session, err := s.registry.Session(r.PathValue("route"), r.PathValue("sid"))
	if err != nil {
		refuse(w, err)
		return
	}
	admission.Prove(r.Context()) // the session's id is a credential
	s.forward(w, r, session, session.Target(), r.PathValue("path"))
}

// singleShot passes a request on that is a session of its own.
func (s *Server) singleShot(w http.ResponseWriter, r *http.Request) {
	s.once(w, r, r.PathValue("route"), r.PathValue("path"))
}

func (s *Server) once(w http.ResponseWriter, r *http.Request, route, path string) {
	session, _, err := s.registry.Reserve(route, liverunner.SingleShot)
	if err != nil {
		refuse(w, err)
		return
	}
	defer func() { _ = s.registry.Stop(session.Route, session.ID) }()
	s.forward(w, r, session, session.Target(), path)
}

// forward passes a request on to a runner, until either side or the session ends.
func (s *Server) forward(
	w http.ResponseWriter,
	r *http.Request,
	session *liverunner.Session,
	target *url.URL,
	path string,
) {
	defer session.Use(s.o.Now)()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(session.Context(), cancel)()
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{})
	_ = rc.SetWriteDeadline(time.Time{})
	_ = rc.EnableFullDuplex()
	proxy := httputil.ReverseProxy{
		Transport: s.upstream, FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) { s.rewrite(p.Out, session, target, path) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			s.o.Log.Debug("a live runner cannot be reached", "runner", session.RunnerID, "err", err)
			http.Error(w, "runner cannot be reached", http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
}

// rewrite makes a client's request one to the runner.
func (s *Server) rewrite(out *http.Request, session *liverunner.Session, target *url.URL, path string) {
	out.URL.Scheme, out.URL.Host, out.URL.RawPath = target.Scheme, target.Host, ""
	out.URL.Path = target.Path
	if path != "" {
		out.URL.Path = strings.TrimSuffix(target.Path, "/") + "/" + path
	}
	out.Host = ""
	for _, h := range forNode {
		out.Header.Del(h)
	}
	out.Header.Set(headerRoute, session.Route)
	out.Header.Set(headerSession, session.ID)
	out.Header.Set(headerToken, session.Token())
	out.Header.Set(headerControl, s.o.InternalURI+"/runner/"+pathEscape(session.Route)+"/session/"+session.ID)
}
