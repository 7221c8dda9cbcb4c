package liverunner

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/admission"
)

// idMark stands for the id in the form of proxy URLs.
const idMark = "{proxy}"

// maxProxies bounds the proxy URLs of a session.
const maxProxies = 64

var errProxyForm = errors.New(
	"the proxy URL must be absolute, with {proxy} once, in its host or as the last part of its path",
)

// proxyForm is the form of proxy URLs: the id is in the host, or the last part of a path.
type proxyForm struct {
	scheme string
	// host is the whole host with a path form, else what surrounds the id.
	host, before, after string
	// service is the node's own host, which may look like one with an id.
	service string
	// path is what precedes the id in a path form.
	path   string
	inPath bool
}

func parseProxyForm(text, serviceURI string) (proxyForm, error) {
	if text == "" {
		text = serviceURI + "/run/" + idMark
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme != "http" && scheme != "https" || strings.Count(text, idMark) != 1 {
		return proxyForm{}, errProxyForm
	}
	host, path, _ := strings.Cut(rest, "/")
	path = "/" + path
	f := proxyForm{scheme: scheme, host: host}
	if before, after, ok := strings.Cut(host, idMark); ok {
		if path != "/" || after == "" {
			return proxyForm{}, errProxyForm
		}
		f.before, f.after = strings.ToLower(before), strings.ToLower(after)
		_, own, _ := strings.Cut(strings.ToLower(serviceURI), "://")
		f.service, _, _ = strings.Cut(own, "/")
		return f, nil
	}
	if f.path, ok = strings.CutSuffix(strings.TrimSuffix(path, "/"), idMark); !ok ||
		!strings.HasSuffix(f.path, "/") {
		return proxyForm{}, errProxyForm
	}
	f.inPath = true
	return f, nil
}

// url is the proxy URL of an id.
func (f *proxyForm) url(id string) string {
	if f.inPath {
		return f.scheme + "://" + f.host + f.path + pathEscape(id)
	}
	return f.scheme + "://" + f.before + id + f.after
}

// match takes a request to a proxy URL apart.
func (f *proxyForm) match(r *http.Request) (id, path string, ok bool) {
	if f.inPath {
		rest, under := strings.CutPrefix(r.URL.Path, f.path)
		if !under || !strings.EqualFold(r.Host, f.host) {
			return "", "", false
		}
		id, path, _ = strings.Cut(rest, "/")
		return id, path, true
	}
	host := strings.ToLower(r.Host)
	rest, begins := strings.CutPrefix(host, f.before)
	id, ends := strings.CutSuffix(rest, f.after)
	return id, strings.TrimPrefix(r.URL.Path, "/"), begins && ends && id != "" && host != f.service
}

// proxy is where a proxy URL leads.
type proxy struct {
	session *liverunner.Session
	target  *url.URL
}

// addProxy makes a proxy URL of a session.
func (s *Server) addProxy(session *liverunner.Session, target *url.URL) (address, id string, err error) {
	id = s.registry.NewProxyID()
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.sessions[session]
	switch {
	case o == nil:
		return "", "", errEnded
	case len(o.proxies) >= maxProxies:
		return "", "", &liverunner.Refusal{
			Reason: liverunner.Full,
			Text:   "the session has too many proxy URLs",
		}
	}
	o.proxies = append(o.proxies, id)
	s.byProxy[id] = &proxy{session, target}
	return s.proxies.url(id), id, nil
}

// Errors of targets, as the network's nodes word them.
var (
	errRelative = errors.New("target_url must be an absolute URL")
	errScheme   = errors.New("target_url scheme must be http or https")
	errHost     = errors.New("target_url hostname must match registered runner_url hostname")
	errFragment = errors.New("target_url must not have a fragment")
)

// openProxy makes a proxy URL to the runner's address, or to another one of the same host.
func (s *Server) openProxy(w http.ResponseWriter, r *http.Request, session *liverunner.Session) {
	var want struct {
		Target string `json:"target_url"`
	}
	data, err := readBody(w, r)
	if err == nil && len(bytes.TrimSpace(data)) > 0 {
		err = json.Unmarshal(data, &want)
	}
	target := session.Target()
	if err == nil && want.Target != "" {
		target, err = proxyTarget(want.Target, target)
	}
	var out struct {
		ID  string `json:"proxy_id"`
		URL string `json:"url"`
	}
	if err == nil {
		out.URL, out.ID, err = s.addProxy(session, target)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	writeJSON(w, out)
}

func proxyTarget(text string, runner *url.URL) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "":
		return nil, errRelative
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errScheme
	case !strings.EqualFold(u.Hostname(), runner.Hostname()):
		return nil, errHost
	case u.Fragment != "":
		return nil, errFragment
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}, nil
}

// byProxyURL serves a request to a proxy URL: of a session, or of a single-shot runner, by its route.
func (s *Server) byProxyURL(w http.ResponseWriter, r *http.Request, id, path string) {
	s.mu.Lock()
	p := s.byProxy[id]
	s.mu.Unlock()
	if p != nil {
		if _, err := s.registry.Session(p.session.Route, p.session.ID); err == nil {
			admission.Prove(r.Context())
			s.forward(w, r, p.session, p.target, path)
			return
		}
	} else if s.proxiedSingleShot(id) {
		s.once(w, r, id, path)
		return
	}
	http.Error(w, "live runner proxy not found", http.StatusNotFound)
}

func (s *Server) proxiedSingleShot(route string) bool {
	r, ok := s.registry.Runner(route)
	return ok && r.Spec.Proxy && r.Spec.Mode == liverunner.SingleShot
}
