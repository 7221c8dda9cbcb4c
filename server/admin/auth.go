package admin

import (
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin/token"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/origin"
)

// auditFile is the name of the audit log in the data directory.
const auditFile = "admin-audit.log"

// gate is the state of Open.
type gate struct {
	token token.Token
	// open is false until there is a token: requests that need one are refused.
	open bool
	book *token.AuditLog // nil without a data directory
}

// Open opens the token and the audit log. Run does it first; a caller that uses Handler
// without Run calls it. The error is a fault with a remedy.
func (s *Server) Open() error {
	dir := s.opts.DataDir
	if dir == "" {
		if s.remote {
			return exposed(s.opts.Listen)
		}
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &fault.Fault{Code: fault.DataDirUnusable, Op: "open the admin API", Detail: err.Error(), Err: err}
	}
	t, err := s.openToken(filepath.Join(dir, adminapi.TokenFile))
	if err != nil {
		return err
	}
	book, err := token.OpenAudit(filepath.Join(dir, auditFile), token.MaxAuditSize)
	if err != nil {
		return err
	}
	s.gate = gate{token: t, open: true, book: book}
	return nil
}

// openToken returns the operator's token, or that of the data directory.
func (s *Server) openToken(path string) (token.Token, error) {
	if !s.opts.Token.IsZero() {
		return token.Given(s.opts.Token.Reveal())
	}
	if s.remote && !s.opts.AllowRemote && !token.Exists(path) {
		return token.Token{}, exposed(s.opts.Listen)
	}
	return token.Open(path)
}

func exposed(listen string) error {
	return fault.New(fault.AdminExposed, "open the admin API", listen+" is reachable from other machines")
}

// checkToken returns an error if the request lacks the token.
func (s *Server) checkToken(r *http.Request) error {
	const op = "admin request"
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return fault.New(fault.AdminTokenRequired, op,
			"this needs the header Authorization: Bearer TOKEN, with the token of "+
				adminapi.TokenFile+"; on loopback, -enableCliTxRoutes lets the existing node's tools in without")
	}
	if s.gate.open && s.gate.token.Matches(strings.TrimSpace(given)) {
		admission.Prove(r.Context())
		return nil
	}
	// The right token is accepted even after too many wrong tries: otherwise another user of
	// the machine, or another client behind the same proxy, could lock the operator out. It has
	// too many bits to be guessed.
	from := s.sender(r).key
	if ok, wait := s.tries.Allowed(from); !ok {
		return fault.New(fault.AdminTokenTries, op, fmt.Sprintf("too many wrong tokens; wait %d s", 1+int(wait.Seconds())))
	}
	s.tries.Wrong(from)
	return fault.New(fault.AdminTokenRefused, op, "the token is not this node's")
}

// sender is the client of a request: text for the audit log, key for counting.
type sender struct{ text, key string }

func (s *Server) sender(r *http.Request) sender {
	if isUnix(s.opts.Listen) {
		return sender{"unix", "unix"}
	}
	ip, err := netip.ParseAddr(origin.Host(r.RemoteAddr))
	switch {
	case err != nil:
		return sender{"remote", "unknown"}
	case ip.Unmap().IsLoopback():
		return sender{"loopback", "loopback"}
	case ip.Unmap().Is6():
		// One client usually has all addresses of a /64.
		network, _ := ip.Prefix(64)
		return sender{"remote " + ip.String(), network.String()}
	}
	return sender{"remote " + ip.Unmap().String(), ip.Unmap().String()}
}

// compatAllowed reports whether changes are accepted as by the existing node.
func (s *Server) compatAllowed(r *http.Request) bool {
	return s.opts.CompatTransactions && !s.isRemote(r)
}

// mayChange returns an error if a request may not change anything. Old routes need no token if
// the operator configured it; they need POST too, because browsers follow links, images and
// previews with GET.
func (s *Server) mayChange(r *http.Request, old bool) error {
	if err := checkSite(r); err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		return needsPost("changes need POST, and the token of " + adminapi.TokenFile +
			" unless -enableCliTxRoutes lets the existing node's tools in without, on loopback")
	}
	if old && s.compatAllowed(r) {
		return nil
	}
	return s.checkToken(r)
}

func needsPost(detail string) error { return fault.New(fault.AdminNeedsPost, "admin request", detail) }
