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
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
)

// auditFile is the name of the audit log in the data directory.
const auditFile = "admin-audit.log"

// gate is what Open opened.
type gate struct {
	token access.AdminToken
	// open is false until there is a token: requests that need one are refused.
	open  bool
	audit *access.AuditLog // nil without a data directory
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
	audit, err := access.OpenAudit(filepath.Join(dir, auditFile), access.MaxAuditSize)
	if err != nil {
		return err
	}
	s.gate = gate{token: t, open: true, audit: audit}
	return nil
}

// openToken returns the operator's token, or that of the data directory.
func (s *Server) openToken(path string) (access.AdminToken, error) {
	if !s.opts.Token.IsZero() {
		return access.GivenAdminToken(s.opts.Token.Reveal())
	}
	if s.remote && !s.opts.AllowRemote && !access.AdminTokenExists(path) {
		return access.AdminToken{}, exposed(s.opts.Listen)
	}
	return access.OpenAdminToken(path)
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
				adminapi.TokenFile+"; the existing node's tools need none on loopback with -enableCliTxRoutes")
	}
	if s.gate.open && s.gate.token.Matches(strings.TrimSpace(given)) {
		admission.Prove(r.Context())
		return nil
	}
	// The right token is accepted even after too many wrong tokens: otherwise another user of
	// the machine, or another client behind the same proxy, could lock the operator out. It has
	// too many bits to be guessed.
	from := s.sender(r).key
	if ok, wait := s.tries.Allowed(from); !ok {
		return fault.New(fault.AdminTokenTries, op, fmt.Sprintf("too many wrong tokens; wait %d s", 1+int(wait.Seconds())))
	}
	s.tries.Wrong(from)
	return fault.New(fault.AdminTokenRefused, op, "the token is not this node's")
}

// sender identifies the client of a request: text in the audit log, key when wrong tokens are counted.
type sender struct{ text, key string }

func (s *Server) sender(r *http.Request) sender {
	if isUnix(s.opts.Listen) {
		return sender{"unix", "unix"}
	}
	ip, err := netip.ParseAddr(access.Host(r.RemoteAddr))
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

// compatAllowed reports whether changes are accepted without a token, as by the existing node.
func (s *Server) compatAllowed(r *http.Request) bool {
	return s.opts.CompatTransactions && !s.isRemote(r)
}

// mayChange returns an error if a request may not change anything. Routes of the existing node's API
// need no token if the operator set -enableCliTxRoutes. All need POST: browsers send GET for
// links, images and previews that another site chose.
func (s *Server) mayChange(r *http.Request, legacy bool) error {
	if err := checkSite(r); err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		return needsPost("changes need POST, and the token of " + adminapi.TokenFile +
			"; the existing node's tools need no token on loopback with -enableCliTxRoutes")
	}
	if legacy && s.compatAllowed(r) {
		return nil
	}
	return s.checkToken(r)
}

func needsPost(detail string) error { return fault.New(fault.AdminNeedsPost, "admin request", detail) }
