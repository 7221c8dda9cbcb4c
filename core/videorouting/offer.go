package videorouting

import (
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// Bounds of texts that peers choose and tables keep, in bytes.
const (
	maxURI     = 256
	maxSession = 64
)

// Offer is an orchestrator's answer to discovery, as far as the rules use it.
type Offer struct {
	// URI is where it accepts segments, as it says itself. An empty one means that it does no work
	// itself.
	URI string
	// Asked is the listed address that was asked, Registered the account that registered it on the
	// chain, zero without one. Failures are recorded against both.
	Asked      string
	Registered core.Address
	// Got is when the offer came.
	Got time.Time
	// Address is the key that signs for it, zero off-chain.
	Address core.Address
	// Session is the token's session; Token says whether there was a token.
	Session core.SessionID
	Token   bool
	Expires time.Time
	// Capabilities is nil when the answer had none.
	Capabilities *capability.Capabilities

	// Owner is the account whose stake counts, Stake its amount; both are zero off-chain. Price is
	// in wei per pixel, nil is free. It is read-only.
	Owner core.Address
	Stake core.LPT
	Price *big.Rat
}

// NeedsRefresh reports whether the token expires soon, or has expired, so that a new one should be
// fetched before the next segment.
func (o *Offer) NeedsRefresh(now time.Time) bool { return now.After(o.Expires.Add(-RefreshBefore)) }

// Expired reports whether the token has expired.
func (o *Offer) Expired(now time.Time) bool { return now.After(o.Expires) }

// Wants are a stream's requirements on orchestrators.
type Wants struct {
	Capabilities capability.Capabilities
	// Blocked addresses are never used.
	Blocked []core.Address
}

// Usable returns nil if an offer can serve a stream, or a fault OrchestratorUnusable or
// OrchestratorBlocked with the reason.
func (w *Wants) Usable(o *Offer) error {
	const op = "check an orchestrator's offer"
	for _, a := range w.Blocked {
		if a == o.Address {
			return fault.New(fault.OrchestratorBlocked, op, a.String())
		}
	}
	unusable := func(why string) error { return fault.New(fault.OrchestratorUnusable, op, why) }
	switch {
	case o.URI == "":
		return unusable("it does no work itself")
	case len(o.URI) > maxURI, len(o.Session) > maxSession:
		return unusable("its service address or its session name is too long")
	case !isService(o.URI):
		return unusable("its service address is not an http(s) URL of a host and a path")
	case !o.Token:
		return unusable("it sent no auth token")
	case o.Capabilities == nil:
		return unusable("it sent no capabilities")
	}
	if why := capability.Mismatch(&w.Capabilities, o.Capabilities); why != "" {
		return &fault.Fault{Code: fault.OrchestratorUnusable, Op: op, Detail: why, Err: w.lacking(o)}
	}
	if !w.modelsOffered(o.Capabilities) {
		return unusable("it does not offer the model")
	}
	return nil
}

// isService reports whether paths for segments and jobs can be appended to an address. A query or a
// fragment would swallow what is appended: the orchestrator could have the gateway post to any URL,
// also behind the gateway's firewall.
func isService(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil &&
		!strings.ContainsAny(address, "?#")
}

// Lacking lists the wanted capabilities that an offer does not have.
type Lacking []capability.ID

func (l Lacking) Error() string { return fmt.Sprintf("lacks %v", []capability.ID(l)) }

// lacking is nil for an offer that has every capability and is unusable for another reason.
func (w *Wants) lacking(o *Offer) error {
	if ids := w.Capabilities.Bits.Missing(o.Capabilities.Bits, maxLacking); len(ids) > 0 {
		return Lacking(ids)
	}
	return nil
}

// maxLacking is more capabilities than one segment may need.
const maxLacking = 64

// LackedByAll returns the capabilities that every orchestrator lacks; empty where one of them is
// unusable for another reason.
func LackedByAll(errs []error) (all Lacking) {
	for n, err := range errs {
		one, ok := errors.AsType[Lacking](err)
		if !ok {
			return nil
		}
		if n == 0 {
			all = slices.Clone(one)
			continue
		}
		all = slices.DeleteFunc(all, func(id capability.ID) bool { return !slices.Contains(one, id) })
	}
	return all
}

// modelsOffered reports whether an offer names every wanted model. An offer that does not list a
// pipeline's models is compatible, but cannot serve a job for one of them.
func (w *Wants) modelsOffered(offer *capability.Capabilities) bool {
	for id, models := range w.Capabilities.Constraints.PerCapability {
		for name := range models {
			if _, ok := offer.Constraints.PerCapability[id][name]; !ok {
				return false
			}
		}
	}
	return true
}
