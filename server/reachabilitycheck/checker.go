package reachabilitycheck

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/jobdiagnosis"
)

// Pauses of the Checker.
const (
	DefaultDelay    = 2 * time.Second
	DefaultInterval = 5 * time.Minute
	// visitValid is how long a connection from outside proves that the port is open.
	visitValid = time.Hour
	// visitGrace is how long a node that reaches its own address may be without a connection
	// from outside before this is reported.
	visitGrace   = 15 * time.Minute
	resolveLimit = 2 * time.Second
)

// Options are what a Checker is built from.
type Options struct {
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

// Checker is the service, a lifecycle.Component.
type Checker struct {
	opt    Options
	client *http.Client
	// lastVisit is the time of the last connection from outside, in Unix nanoseconds; 0 for
	// never.
	lastVisit atomic.Int64
	wake      chan struct{}
	since     time.Time

	mu     sync.Mutex
	status jobdiagnosis.Reachability // guarded by mu
}

// New makes the checker; it does nothing before Run.
func New(opt Options) *Checker {
	if opt.Delay == 0 {
		opt.Delay = DefaultDelay
	}
	if opt.Interval == 0 {
		opt.Interval = DefaultInterval
	}
	return &Checker{
		opt: opt, client: &http.Client{
			Transport: &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		},
		wake: make(chan struct{}, 1), since: opt.Now(), status: jobdiagnosis.Reachability{Reach: jobdiagnosis.Unknown},
	}
}

// Name returns the component's name.
func (*Checker) Name() string { return "service address check" }

// Status returns the latest result.
func (c *Checker) Status() jobdiagnosis.Reachability {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// PeerSeen records the address of a peer that connected to the listener.
func (c *Checker) PeerSeen(a net.Addr) {
	now := c.opt.Now().UnixNano()
	if now-c.lastVisit.Load() < int64(time.Minute) || !outside(a, c.Status().Discovered) {
		return
	}
	if c.lastVisit.Swap(now) == 0 {
		c.Recheck()
	}
}

// Recheck requests a check at once: the registered or advertised address may have changed.
func (c *Checker) Recheck() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Run checks periodically until ctx ends.
func (c *Checker) Run(ctx context.Context, ready func()) error {
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

func (c *Checker) check(ctx context.Context) {
	s := c.Status()
	s.Discovered = c.discover(ctx, s.Discovered)
	s.Advertised = c.opt.Advertised()
	if c.opt.OnChain != nil {
		if uri, known := c.opt.OnChain(); known {
			s.OnChain = uri
		}
	}
	mismatch, known := jobdiagnosis.CompareAddresses(s.OnChain, s.Discovered, c.opt.Chosen, resolver(ctx))
	if known {
		s.Mismatch, s.Detail = mismatch != nil, text(mismatch)
	}
	var reach error
	if c.opt.Reach {
		e := probe(ctx, s.Advertised, c.opt.Certificate)
		e.Outside = c.opt.Now().UnixNano()-c.lastVisit.Load() < int64(visitValid)
		s.Reach, reach = jobdiagnosis.Classify(s.Advertised, e)
		if reach != nil {
			s.Detail = text(reach)
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
func (c *Checker) discover(ctx context.Context, before string) string {
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
	uri := jobdiagnosis.ReachabilityOf(ip, c.opt.Port)
	if uri != before && c.opt.Discovered != nil {
		c.opt.Discovered(uri)
	}
	return uri
}

func resolver(ctx context.Context) func(string) []netip.Addr {
	return func(host string) []netip.Addr {
		ctx, cancel := context.WithTimeout(ctx, resolveLimit)
		defer cancel()
		ips, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		return ips
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	_, t := fault.Public(err)
	return t
}
