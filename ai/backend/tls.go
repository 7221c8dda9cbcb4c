package backend

import (
	"context"
	"errors"
	"strings"
	"syscall"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// tlsFault is the fault of a connection that fails for TLS.
func (s *Server) tlsFault(op, reason string, err error) error {
	return s.fault(fault.RunnerTLS, op, "cannot be reached by TLS: "+reason, err)
}

// explained replaces the error of a plain server's probe where the server in fact expects TLS: what it
// answers then is different for each kind, from an error page over an alert to nothing at all.
func (s *Server) explained(ctx context.Context, err error) error {
	code := fault.CodeOf(err)
	unlike := code != fault.RunnerGarbled && code != fault.RunnerUnreachable
	if err == nil || unlike || s.options.Container || !strings.HasPrefix(s.base, "http://") ||
		errors.Is(err, syscall.ECONNREFUSED) || isTimeout(err) || ctx.Err() != nil || !inference.ExpectsTLS(ctx, s.base) {
		return err
	}
	return s.tlsFault(opProbe, inference.TLSExpected, err)
}
