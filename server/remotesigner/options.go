package remotesigner

import (
	"log/slog"
	"math/big"
	"net"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm/remotesigner"
)

// Caps are the operator's highest prices of a unit; nil accepts any. pricing.Caps implements them.
type Caps interface {
	MaxTranscoding() *big.Rat
	MaxModel(m inference.Model) *big.Rat
	// Highest is the highest of all limits, nil where there is none.
	Highest() *big.Rat
}

// Options make a Server. Addr or Listener, Signer, Sign, Caps and Now must be set.
type Options struct {
	Addr     string
	Listener net.Listener
	// Open: the address may be reached from other machines.
	Open   bool
	Signer *remotesigner.Signer
	Sign   func(m signature.Message) ([]byte, error)
	Caps   Caps
	// Authorizer is called before segments are signed; nil signs for every caller that reaches the signer.
	Authorizer remotesigner.Authorizer
	// Discover lists the orchestrators that callers may use; nil without -remoteDiscovery.
	Discover Discoverer
	// Connections bounds those of all peers, PerAddress those of one; Known count as known.
	Connections, PerAddress int
	Known                   []netip.Prefix
	Scarce                  func(error)
	Version                 string
	Log                     *slog.Logger
	Now                     func() time.Time
}
