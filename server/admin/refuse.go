package admin

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/status"
)

// refuse answers with a fault: JSON under /api/v1, else a line of text.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	changeOf(r.Context()).failed(err)
	level := refusalLevel(r, err)
	if level > slog.LevelDebug && !s.allowLog() {
		level = slog.LevelDebug
	}
	s.opts.Log.Log(r.Context(), level, "admin request refused", "path", r.URL.Path, fault.Attr(err))
	switch fault.CodeOf(err) {
	case fault.AdminNeedsPost:
		if w.Header().Get("Allow") == "" {
			w.Header().Set("Allow", http.MethodPost)
		}
	case fault.AdminTokenRequired, fault.AdminTokenRefused:
		w.Header().Set("WWW-Authenticate", `Bearer realm="tutti admin"`)
	}
	writeRefusal(w, r, err)
}

// allowLog rate-limits the log of refusals: the first ones, then one every two seconds, because
// any client can cause them.
func (s *Server) allowLog() bool {
	const all = "" // from whatever address
	ok, _ := s.lines.Allowed(all)
	if ok {
		s.lines.Wrong(all)
	}
	return ok
}

// refusalLevel keeps frequent refusals out of the log: wrong tokens, pages that poll while the
// chain is unreachable, which is a condition of its own, and reads of parts that this node does
// not have, as tools for every kind of node send them. logChange logs changes.
func refusalLevel(r *http.Request, err error) slog.Level {
	if changeOf(r.Context()) != nil || errors.Is(err, fault.AdminTokenTries) {
		return slog.LevelDebug
	}
	code := fault.CodeOf(err)
	row, _ := fault.Lookup(code)
	away := row.Class == fault.Upstream || row.Class == fault.Config
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if away || reads && slices.Contains([]fault.Code{fault.MissingETHClient, fault.AdminPartAbsent,
		fault.AdminPathUnknown}, code) {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

func writeRefusal(w http.ResponseWriter, r *http.Request, err error) {
	if strings.HasPrefix(r.URL.Path, adminapi.Prefix+"/") {
		writeJSONStatus(w, status.HTTP(err), adminapi.ErrorBody{Error: errorOf(err)})
		return
	}
	http.Error(w, legacyText(err), legacyStatus(err))
}

// errorOf returns an error's form in version 1.
func errorOf(err error) adminapi.Error {
	code, text := fault.Public(err)
	row, _ := fault.Lookup(fault.Code(code))
	return adminapi.Error{Code: code, Message: text, Cause: row.Cause, Remedy: row.Remedy, Retryable: row.Retryable}
}

// legacyStatus returns the status on legacy routes: 400 for parameters, 500 for failures, and our own
// for what the existing node does not refuse.
func legacyStatus(err error) int {
	switch fault.CodeOf(err) {
	case fault.AdminBadParam, fault.OrchestratorRegistered, fault.TypedDataInvalid:
		return http.StatusBadRequest
	case fault.AdminHostRefused, fault.AdminCrossSite, fault.AdminNeedsPost, fault.AdminTokenRequired,
		fault.AdminTokenRefused, fault.AdminTokenTries, fault.AdminPartAbsent, fault.MessageRefused:
		return status.HTTP(err)
	}
	return http.StatusInternalServerError
}

// legacyText returns the text on legacy routes: the fault's detail where it is the existing node's text,
// else with the code first, which identifies the remedy.
func legacyText(err error) string {
	code, text := fault.Public(err)
	switch fault.Code(code) {
	case fault.MissingETHClient:
		return fault.Wire(err)
	case fault.AdminBadParam, fault.OrchestratorRegistered, fault.AdminHostRefused, fault.AdminCrossSite,
		fault.TransactionPending:
		return text
	case fault.Unexpected:
		return text
	}
	if text == roundLocked {
		return text
	}
	return code + ": " + text
}

// roundLocked is the existing node's text when cuts cannot be changed.
const roundLocked = "current round is locked"
