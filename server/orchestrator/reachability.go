package orchestrator

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Pauses of a Reachability.
const (
	reachabilityDelay    = 2 * time.Second
	reachabilityInterval = 5 * time.Minute
	// visitValid is how long a connection from outside proves that the port is open.
	visitValid = time.Hour
	// visitGrace is how long a node that reaches its own address may be without a connection
	// from outside before this is reported.
	visitGrace     = 15 * time.Minute
	resolveTimeout = 2 * time.Second
)

// ReachabilityOptions are what a Reachability is built from.
type ReachabilityOptions struct {
	// Advertised is the address in offers; it may change.
	Advertised func() string
	// Chosen is -serviceAddr, "" when it was not given.
	Chosen string
	// OnChain is the registered address, and whether it is known; nil off-chain.
	OnChain func() (uri string, known bool)
	// Lookup is the service that returns the public IP address, "" for none. Port is added to
	// its answer.
	Lookup, Port string
	// Certificate is the node's own, in DER; nil when a proxy adds TLS.
	Certificate func() []byte
	// Reach tries to reach the advertised address; off with
	// -startupAvailabilityCheck=false.
	Reach bool
	// Discovered is called with the machine's public address.
	Discovered func(uri string)

	Delay, Interval time.Duration
	Now             func() time.Time
	Board           *health.Board
	Log             *slog.Logger
}

// Reachability looks again and again. It is a lifecycle.Component.
type Reachability struct {
	opt    ReachabilityOptions
	client *http.Client
	// lastVisit is the time of the last connection from outside, zero for never.
	lastVisit core.Instant
	wake      chan struct{}
	since     time.Time

	mu     sync.Mutex
	status doctor.Reachability // guarded by mu
}

// NewReachability makes the checker; it does nothing before Run.
func NewReachability(opt ReachabilityOptions) *Reachability {
	if opt.Delay == 0 {
		opt.Delay = reachabilityDelay
	}
	if opt.Interval == 0 {
		opt.Interval = reachabilityInterval
	}
	return &Reachability{
		opt: opt, client: &http.Client{
			Transport: &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		},
		wake: make(chan struct{}, 1), since: opt.Now(), status: doctor.Reachability{Reach: doctor.ReachUnknown},
	}
}

// Name returns the component's name.
func (*Reachability) Name() string { return "service address check" }

// Status returns the latest result.
func (c *Reachability) Status() doctor.Reachability {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// PeerSeen records the address of a peer that connected to the listener.
func (c *Reachability) PeerSeen(a net.Addr) {
	now, last := c.opt.Now(), c.lastVisit.Load()
	if now.Sub(last) < time.Minute || !fromOutside(a, c.Status().Discovered) {
		return
	}
	if c.lastVisit.Store(now); last.IsZero() {
		c.Recheck()
	}
}

// Recheck requests a check at once: the registered or advertised address may have changed.
func (c *Reachability) Recheck() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Run checks periodically until ctx ends.
func (c *Reachability) Run(ctx context.Context, ready func()) error {
	ready()
	timer := time.NewTimer(c.opt.Delay)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.wake:
		case <-timer.C:
		}
		c.check(ctx)
		timer.Reset(c.opt.Interval)
	}
}

func (c *Reachability) check(ctx context.Context) {
	s := c.Status()
	s.Discovered = c.discover(ctx, s.Discovered)
	s.Advertised = c.opt.Advertised()
	if c.opt.OnChain != nil {
		if uri, known := c.opt.OnChain(); known {
			s.OnChain = uri
		}
	}
	mismatch, known := doctor.CompareAddresses(s.OnChain, s.Discovered, c.opt.Chosen, resolveBy(ctx))
	if known {
		s.Mismatch, s.Detail = mismatch != nil, causeText(mismatch)
	}
	var reach error
	if c.opt.Reach {
		e := probeAddress(ctx, s.Advertised, c.opt.Certificate)
		e.Outside = c.opt.Now().Sub(c.lastVisit.Load()) < visitValid
		s.Reach, reach = doctor.ClassifyReach(s.Advertised, e)
		if reach != nil {
			s.Detail = causeText(reach)
		}
		if e.Ours && c.opt.Now().Sub(c.since) < visitGrace {
			reach = nil // gateways need time to connect
		}
	}
	if ctx.Err() != nil {
		return
	}
	if known {
		c.opt.Board.Report(health.Key{Code: fault.ServiceAddrMismatch}, mismatch)
	}
	for _, code := range []fault.Code{fault.PortClosed, fault.PortUnverified, fault.ServiceAddrForeign} {
		if errors.Is(reach, code) {
			c.opt.Board.Report(health.Key{Code: code}, reach)
		} else {
			c.opt.Board.Clear(health.Key{Code: code})
		}
	}
	c.mu.Lock()
	c.status = s
	c.mu.Unlock()
}

// discover asks for this machine's public address; before is kept without an answer.
func (c *Reachability) discover(ctx context.Context, before string) string {
	if c.opt.Lookup == "" {
		return ""
	}
	ip, err := PublicIP(ctx, c.client, c.opt.Lookup)
	if ctx.Err() != nil {
		return before
	}
	c.opt.Board.Report(health.Key{Code: fault.PublicIPUnknown}, err)
	if err != nil {
		return before
	}
	uri := doctor.ServiceURI(ip, c.opt.Port)
	if uri != before && c.opt.Discovered != nil {
		c.opt.Discovered(uri)
	}
	return uri
}

func resolveBy(ctx context.Context) func(string) []netip.Addr {
	return func(host string) []netip.Addr {
		ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
		defer cancel()
		ips, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		return ips
	}
}

func causeText(err error) string {
	if err == nil {
		return ""
	}
	_, t := fault.Public(err)
	return t
}
