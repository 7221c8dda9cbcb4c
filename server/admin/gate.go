package admin

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin/audit"
	"github.com/tuttinode/tutti/server/admin/token"
	"github.com/tuttinode/tutti/server/admission"
)

// auditFile is the name of the log of changes in the data directory.
const auditFile = "admin-audit.log"

// gate is what Open made ready.
type gate struct {
	token token.Token
	// open is false until there is a token: then nothing that needs one is done.
	open bool
	book *audit.Log // nil without a data directory
}

// Open makes token and log of changes ready. Run does it first; who uses Handler
// alone calls it. The error is a fault that says what to do.
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
	book, err := audit.Open(filepath.Join(dir, auditFile), audit.DefaultMaxSize)
	if err != nil {
		return err
	}
	s.gate = gate{token: t, open: true, book: book}
	return nil
}

// openToken is the operator's token, or the one that is kept.
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

// checkToken says why the request may not do what needs the token.
func (s *Server) checkToken(r *http.Request) error {
	const op = "admin request"
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return fault.New(fault.AdminTokenRequired, op, "this needs the header Authorization: Bearer TOKEN, with the token of "+
			adminapi.TokenFile+"; on loopback, -enableCliTxRoutes lets the existing node's tools in without")
	}
	if s.gate.open && s.gate.token.Matches(strings.TrimSpace(given)) {
		admission.Prove(r.Context())
		return nil
	}
	// The right token is never counted: another user of the machine, or a stranger behind
	// the same proxy, would keep the operator out. It has too many bits to be guessed.
	from := s.sender(r).key
	if ok, wait := s.tries.Allowed(from); !ok {
		return fault.New(fault.AdminTokenTries, op, fmt.Sprintf("too many wrong tokens; wait %d s", 1+int(wait.Seconds())))
	}
	s.tries.Wrong(from)
	return fault.New(fault.AdminTokenRefused, op, "the token is not this node's")
}

// sender is who asks: text for the log of changes, key for counting.
type sender struct{ text, key string }

func (s *Server) sender(r *http.Request) sender {
	if isUnix(s.opts.Listen) {
		return sender{"unix", "unix"}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return sender{"remote", "unknown"}
	case ip.Unmap().IsLoopback():
		return sender{"loopback", "loopback"}
	case ip.Unmap().Is6():
		// Whoever has one address of a /64 has all of them.
		network, _ := ip.Prefix(64)
		return sender{"remote " + ip.String(), network.String()}
	}
	return sender{"remote " + ip.Unmap().String(), ip.Unmap().String()}
}

// oldWay reports whether changes are taken as the existing node takes them.
func (s *Server) oldWay(r *http.Request) bool { return s.opts.CompatTransactions && !s.distant(r) }

// mayChange says why a request may not change anything. Old routes need no token where
// the operator said so; POST they need as well, because links, images and previews
// of pages are followed by GET.
func (s *Server) mayChange(r *http.Request, old bool) error {
	if err := checkSite(r); err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		return needsPost("changes need POST, and the token of " + adminapi.TokenFile +
			" unless -enableCliTxRoutes lets the existing node's tools in without, on loopback")
	}
	if old && s.oldWay(r) {
		return nil
	}
	return s.checkToken(r)
}

func needsPost(detail string) error { return fault.New(fault.AdminNeedsPost, "admin request", detail) }
