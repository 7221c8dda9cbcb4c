package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/access"
)

// maxBody bounds a request's form or JSON, in bytes.
const maxBody = 64 << 10

// answerTime bounds the write of an answer to a slow reader.
const answerTime = 30 * time.Second

// change is one request that changes something, for the audit log.
type change struct {
	mu  sync.Mutex
	txs []string // guarded by mu, like err
	err error
}

type changeKey struct{}

// changeOf returns the change of ctx, nil for none.
func changeOf(ctx context.Context) *change {
	c, _ := ctx.Value(changeKey{}).(*change)
	return c
}

func (c *change) sent(tx protocol.Transaction) {
	if c == nil || tx.Hash.IsZero() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.txs = append(c.txs, tx.Hash.String())
}

func (c *change) failed(err error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// change checks a request that changes something, extends its deadline for a transaction, and
// writes it to the audit log before and after.
func (s *Server) change(legacy bool, next http.HandlerFunc) http.HandlerFunc {
	return s.changeWithin(s.detached, legacy, next)
}

// changeWithin is change with a context derived from the request's: detached outlives the
// client, context.WithCancel ends with it.
func (s *Server) changeWithin(
	life func(context.Context) (context.Context, context.CancelFunc), legacy bool, next http.HandlerFunc,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.mayChange(r, legacy); err != nil {
			s.refuse(w, r, err)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			s.refuse(w, r, unreadable(err, legacy))
			return
		}
		if !s.begin() {
			s.refuse(w, r, fault.New(fault.Draining, "admin request", "the node is stopping"))
			return
		}
		defer s.changes.Done()
		r.Body = io.NopCloser(bytes.NewReader(body))
		// Not every writer can: a recorder in a test has no connection.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.opts.Wait + answerTime))
		c := &change{}
		line := access.AuditEntry{ID: s.nextChange.Add(1), Method: r.Method, Route: r.URL.Path, From: s.sender(r).text,
			Token: !legacy || !s.compatAllowed(r), Parameters: parameters(r, body, legacy), DryRun: !legacy &&
				flag(r, adminapi.QueryDryRun, "true"), Outcome: access.AuditBegun}
		s.writeAudit(line)
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		ctx, cancel := life(r.Context())
		defer cancel()
		finished := false
		defer func() {
			if !finished { // a panic is on its way to guard
				seen.status = http.StatusInternalServerError
				c.failed(fault.New(fault.Unexpected, "admin request", ""))
			}
			s.writeAudit(c.ended(line, seen.status))
			s.logChange(c, line)
		}()
		next(seen, r.WithContext(context.WithValue(ctx, changeKey{}, c)))
		finished = true
	}
}

// begin counts a change in progress, unless the listener is stopping.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.changes.Add(1)
	return true
}

// ended returns the second audit entry of a change.
func (c *change) ended(line access.AuditEntry, httpStatus int) access.AuditEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	line.Parameters, line.Outcome, line.Status, line.Tx = nil, access.AuditDone, httpStatus, c.txs
	if c.err != nil {
		line.Outcome, line.Code = access.AuditFailed, string(fault.CodeOf(c.err))
	}
	return line
}

func unreadable(err error, legacy bool) error {
	detail := "the body broke off"
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		detail = "the body is larger than 64 KiB"
	}
	code := fault.AdminBadBody
	if legacy {
		code = fault.AdminBadParam
	}
	return fault.New(code, "read an admin request", detail)
}

// detached returns a context that outlives the client, but not the request's time limit or the
// listener.
func (s *Server) detached(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Wait)
	life, ok := ctx.Value(lifeKey{}).(context.Context)
	if !ok {
		return out, cancel
	}
	stop := context.AfterFunc(life, cancel)
	return out, func() { stop(); cancel() }
}

// logChange logs a change with its parameters: begun is its audit entry. A failure is a
// warning with its remedy.
func (s *Server) logChange(c *change, begun access.AuditEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	message, outcome, level := "change made through the admin API", access.AuditDone, slog.LevelInfo
	if begun.DryRun {
		message = "change looked at through the admin API, nothing was done"
	}
	attrs := []slog.Attr{slog.String("path", begun.Route), slog.String("from", begun.From)}
	if text := shortJSON(begun.Parameters); text != "" {
		attrs = append(attrs, slog.String("parameters", text))
	}
	if len(c.txs) > 0 {
		attrs = append(attrs, slog.String("tx", strings.Join(c.txs, " ")))
	}
	if c.err != nil {
		message, outcome, level = "change through the admin API failed", access.AuditFailed, slog.LevelWarn
		attrs = append(attrs, fault.Attr(c.err))
	}
	attrs = append(attrs, slog.String("outcome", string(outcome)))
	s.opts.Log.LogAttrs(context.Background(), level, message, attrs...)
}

// longestParameters bounds a change's parameters in the log, in bytes.
const longestParameters = 256

// shortJSON returns the parameters on one line; "" for none, or too many.
func shortJSON(parameters any) string {
	if parameters == nil {
		return ""
	}
	text, err := json.Marshal(parameters)
	if err != nil || len(text) > longestParameters || string(text) == "{}" || string(text) == "null" {
		return ""
	}
	return string(text)
}

// writeAudit writes an entry to the audit log.
func (s *Server) writeAudit(line access.AuditEntry) {
	line.Time = s.opts.Now().UTC()
	if s.gate.audit == nil {
		return
	}
	if err := s.gate.audit.Append(line); err != nil {
		s.opts.Log.Warn("the log of changes cannot be written", fault.Attr(err))
	}
}

// statusWriter records the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
