package liverunner

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fetchurl"
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
	if err == nil && session.SingleShot {
		err = errSessionGone // its request is what was paid, and has the slot
	}
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
	session, _, ok := s.begin(w, r, route, liverunner.SingleShot)
	if !ok {
		return
	}
	admission.Prove(r.Context()) // as by a session, which is as free: its body may be large, and last
	defer s.registry.End(session)
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
	if fetchurl.Climbs(path) {
		http.Error(w, "the path leads out of the runner's", http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodTrace { // many servers answer it with the request, in which is the session's token
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	s.slots.serve(w, r, func(w http.ResponseWriter, r *http.Request) { s.pass(w, r, session, target, path) })
}

func (s *Server) pass(
	w http.ResponseWriter,
	r *http.Request,
	session *liverunner.Session,
	target *url.URL,
	path string,
) {
	defer session.Use(s.o.Now)()
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		r.Header.Del("Upgrade") // over HTTP/2 in it a client could say what only this node may
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(session.Context(), cancel)()
	if r.Header.Get("Upgrade") != "" {
		w.Header().Del("Connection") // what a handover says of connections is not for a socket
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{})
	_ = rc.SetWriteDeadline(time.Time{})
	_ = rc.EnableFullDuplex()
	prefix := prefixOf(r.URL.Path, path)
	proxy := httputil.ReverseProxy{
		Transport: s.upstream, FlushInterval: -1,
		ModifyResponse: func(res *http.Response) error {
			ownCookies(res, target.Path, prefix)
			return s.upgrade(res)
		},
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug), // runners may break off each answer
		Rewrite:  func(p *httputil.ProxyRequest) { s.rewrite(p.Out, session, target, path) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			s.o.Log.Debug("a live runner cannot be reached", "runner", session.RunnerID, "err", err)
			http.Error(w, "runner cannot be reached", http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
}

var errOfMachine = errors.New("it is an address for this machine alone")

// Permit is the Control of the dialer to runners: one that registered itself, perhaps on another machine, must not
// lead the node to a cloud's metadata, which are for this machine.
func Permit(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err == nil && core.MachineAddress(to.Addr()) {
		err = errOfMachine
	}
	return err
}

// passesFor reports whether a header has an underscore in its name and with hyphens were one that this node sets or
// removes: what runs applications behind CGI or WSGI reads both as one, and could take the client's for the node's.
func passesFor(name string) bool {
	hyphens := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	return strings.Contains(name, "_") &&
		(strings.HasPrefix(hyphens, "livepeer-") || strings.HasPrefix(hyphens, "x-forwarded-"))
}

// rewrite makes a client's request one to the runner.
func (s *Server) rewrite(out *http.Request, session *liverunner.Session, target *url.URL, path string) {
	out.URL.Scheme, out.URL.Host, out.URL.RawPath = target.Scheme, target.Host, ""
	out.URL.Path = target.Path
	if path != "" {
		out.URL.Path = strings.TrimSuffix(target.Path, "/") + "/" + path
	}
	out.Host = ""
	// A server that does not read a body reads it as the next request on its connection, with whatever session it names.
	out.Close = out.Body != nil
	for _, h := range forNode {
		out.Header.Del(h)
	}
	maps.DeleteFunc(out.Header, func(name string, _ []string) bool { return passesFor(name) })
	out.Header.Set(headerRoute, session.Route)
	out.Header.Set(headerSession, session.ID)
	out.Header.Set(headerToken, session.Token())
	out.Header.Set(headerControl, s.o.InternalURI+"/runner/"+pathEscape(session.Route)+"/session/"+session.ID)
}
