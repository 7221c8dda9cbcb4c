package admin

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/status"
)

// endpoint is a route of version 1.
type endpoint struct {
	adminapi.Route
	// chain: it needs the chain.
	chain bool
	serve func(s *Server, r *http.Request) (any, error)
}

// pending is the answer for transactions that are not mined yet.
type pending struct{ answer any }

// partialError is an error after a part of the request was done, with the answer for that part.
type partialError struct {
	answer any
	err    error
}

func (p partialError) Error() string { return p.err.Error() }

func (p partialError) Unwrap() error { return p.err }

// Routes returns the table of version 1, for the documentation.
func Routes() []adminapi.Route {
	var out []adminapi.Route
	for _, e := range endpoints() {
		out = append(out, e.Route)
	}
	return out
}

func endpoints() (all []endpoint) {
	for _, some := range [][]endpoint{nodeEndpoints(), chainEndpoints(), ownEndpoints(), settingEndpoints(),
		actionEndpoints(), planEndpoints(), bookEndpoints(), workerEndpoints(), runnerEndpoints(), modelEndpoints(),
		capabilityEndpoints(), keyEndpoints(), reloadEndpoints(), drainEndpoints(), explainEndpoints(), dashboardEndpoints(),
		logEndpoints()} {
		all = append(all, some...)
	}
	return all
}

// routesV1 registers version 1. The answer to a wrong method names the right one.
func (s *Server) routesV1(mux *router) {
	byPath := map[string]map[string]http.HandlerFunc{}
	for _, e := range endpoints() {
		if byPath[e.Path] == nil {
			byPath[e.Path] = map[string]http.HandlerFunc{}
		}
		byPath[e.Path][e.Method] = s.v1(e)
	}
	for path, methods := range byPath {
		mux.HandleFunc(path, s.byMethod(methods))
	}
	mux.HandleFunc(adminapi.Prefix+"/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, fault.New(fault.AdminPathUnknown, "admin request", quote(r.URL.Path)+" is no path of this API"))
	})
}

func (s *Server) byMethod(methods map[string]http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if h, ok := methods[method]; ok {
			h(w, r)
			return
		}
		if method == http.MethodPost {
			w.Header().Set("Allow", http.MethodGet)
			s.refuse(w, r, needsPost("this path is read with GET"))
			return
		}
		s.refuse(w, r, needsPost("this path takes changes, which need POST and the token of "+adminapi.TokenFile))
	}
}

// v1 makes a handler of an endpoint.
func (s *Server) v1(e endpoint) http.HandlerFunc {
	handler := func(w http.ResponseWriter, r *http.Request) {
		if e.chain && s.opts.Chain == nil {
			s.missingChain(w, r)
			return
		}
		if err := checkQuery(e.Route, r); err != nil {
			s.refuse(w, r, err)
			return
		}
		answer, err := e.serve(s, r)
		s.answer(w, r, answer, err)
	}
	switch {
	case e.Lines:
		return s.changeWithin(context.WithCancel, false, handler)
	case e.Change:
		return s.change(false, handler)
	case e.Stream: // goes on until its reader leaves
		return handler
	}
	return reading(handler)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, answer any, err error) {
	if p, ok := err.(partialError); ok { // outermost: no handler wraps it
		changeOf(r.Context()).failed(p.err)
		s.opts.Log.Warn("admin request failed on the way", "path", r.URL.Path, fault.Attr(p.err))
		writeJSONStatus(w, status.HTTP(p.err), p.answer)
		return
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	if out, ok := answer.(csvReport); ok {
		s.writeCSV(w, r, out)
		return
	}
	if out, ok := answer.(pullStream); ok {
		s.writePull(w, r, out)
		return
	}
	if out, ok := answer.(stream); ok {
		s.writeStream(w, r, out)
		return
	}
	if p, ok := answer.(pending); ok {
		writeJSONStatus(w, http.StatusAccepted, p.answer)
		return
	}
	writeJSON(w, answer)
}

// checkQuery refuses unknown parameters: a misspelled dryRun would spend money.
func checkQuery(route adminapi.Route, r *http.Request) error {
	known := map[string]adminapi.QueryParameter{}
	for _, q := range route.Query {
		known[q.Name] = q
	}
	query := r.URL.Query()
	for name, values := range query {
		q, ok := known[name]
		if !ok || len(values) != 1 {
			return badParam("the query parameter %s is unknown here, or given twice", quote(name))
		}
		if !q.Allows(values[0]) {
			return badParam("the query parameter %s cannot be %s", name, quote(values[0]))
		}
	}
	for _, q := range route.Query {
		if q.Required && !query.Has(q.Name) {
			return badParam("the query parameter %s is missing", q.Name)
		}
	}
	return nil
}

// body reads the JSON of a request into a struct.
func body[T any](r *http.Request) (out T, err error) {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = adminapi.DecodeBody(data, &out)
	}
	if err != nil {
		return out, fault.New(fault.AdminBadBody, "admin request", err.Error())
	}
	return out, nil
}

func flag(r *http.Request, name, value string) bool { return r.URL.Query().Get(name) == value }

func boolParameter(name, about string) adminapi.QueryParameter {
	return adminapi.QueryParameter{Name: name, About: about,
		Values: []string{strconv.FormatBool(true), strconv.FormatBool(false)}}
}
