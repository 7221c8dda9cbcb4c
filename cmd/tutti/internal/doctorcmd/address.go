package doctorcmd

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/tlscert"
)

// How long the address may take: names, the public address, and a visit.
const (
	askNames = 3 * time.Second
	tryVisit = 6 * time.Second
	// between are the pauses between looks at what a check has found so far.
	between = 20 * time.Millisecond
)

// address finds out where gateways look and whether that leads here. The admin port
// of a running node reports it; otherwise this process listens in its place for as long as it takes.
func (in *inspection) address(ctx context.Context) (doctor.Address, error) {
	a := doctor.Address{Advertised: in.w.Setup.ServiceAddr}
	if in.up(ctx) {
		in.askAddress(ctx, &a)
	} else {
		in.visit(ctx, &a)
	}
	host := in.w.Setup.Host
	if host == "" {
		return a, nil
	}
	if _, err := netip.ParseAddr(host); err == nil {
		a.Resolved = []string{host}
		return a, nil
	}
	for _, ip := range resolve(ctx)(host) {
		a.Resolved = append(a.Resolved, ip.Unmap().String())
	}
	return a, nil
}

func resolve(ctx context.Context) func(string) []netip.Addr {
	return func(host string) []netip.Addr {
		ctx, cancel := context.WithTimeout(ctx, askNames)
		defer cancel()
		ips, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		return ips
	}
}

// timeLeft returns a part's time, and less where the run ends sooner, so that what was found
// until then is reported.
func timeLeft(ctx context.Context, most time.Duration) time.Duration {
	const rest = time.Second
	if until, ok := ctx.Deadline(); ok {
		return max(0, min(most, time.Until(until)-rest))
	}
	return most
}

// askAddress reads what the running node found; what is wrong with it is among its
// conditions.
func (in *inspection) askAddress(ctx context.Context, a *doctor.Address) {
	client, err := in.client()
	if err != nil {
		return
	}
	var s adminapi.ServiceAddress
	if client.Get(ctx, adminapi.PathServiceAddress, &s) != nil {
		return
	}
	a.Advertised, a.OnChain, a.Discovered = s.Advertised, s.OnChain, s.Discovered
	a.Reached = s.Reachable == adminapi.ReachYes || s.Reachable == adminapi.ReachHairpin
}

// visit listens where the node would and tries to get there through the advertised
// address.
func (in *inspection) visit(ctx context.Context, a *doctor.Address) {
	if c, err := in.w.Chain.Get(ctx); err == nil && c.Known {
		a.OnChain = c.URI
		if a.Advertised == "" {
			a.Advertised = c.URI
		}
	}
	// Both want the port, and whether it is free is asked first.
	if _, err := in.w.Ports.Get(ctx); err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeLeft(ctx, tryVisit))
	defer cancel()
	board := health.New(in.log, in.Now, nil)
	opt := orchestrator.ReachabilityOptions{
		Advertised: func() string { return a.Advertised }, Chosen: in.w.Setup.ServiceAddr, Lookup: in.Lookup,
		Port: strconv.Itoa(in.cfg.Addresses.OrchestratorListen.Port), Delay: time.Nanosecond, Now: in.Now, Board: board,
		Log: in.log,
	}
	leaf, stop, listening := in.listen()
	defer stop()
	opt.Certificate = leaf
	opt.Reach = listening && a.Advertised != "" && in.cfg.Addresses.StartupCheck
	if onChain := a.OnChain; onChain != "" {
		opt.OnChain = func() (string, bool) { return onChain, true }
	}
	s := checkOnce(ctx, opt)
	a.Discovered, a.Reached = s.Discovered, s.Reach == doctor.Reachable
	for _, c := range board.Snapshot() {
		a.Findings = append(a.Findings, doctor.Finding{Code: c.Code, Detail: c.Detail})
	}
}

// checkOnce runs a check until it has looked once.
func checkOnce(ctx context.Context, opt orchestrator.ReachabilityOptions) doctor.Reachability {
	c := orchestrator.NewReachability(opt)
	if !opt.Reach && opt.Lookup == "" {
		return c.Status()
	}
	running, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Run(running, func() {}) }()
	defer func() { cancel(); <-ended }()
	tick := time.NewTicker(between)
	defer tick.Stop()
	for {
		s := c.Status()
		if s.Reach != doctor.ReachUnknown || !opt.Reach && s.Discovered != "" {
			return s
		}
		select {
		case <-ctx.Done():
			return c.Status()
		case <-tick.C:
		}
	}
}

// listen answers at the public port as a node does, if the port is free. leaf is nil
// where a proxy adds TLS.
func (in *inspection) listen() (leaf func() []byte, stop func(), ok bool) {
	stop = func() {}
	at := in.cfg.Addresses.OrchestratorListen
	cert, err := tlscert.Open(tlscert.Options{Host: in.w.Setup.Host, Now: in.Now, Rand: rand.Reader, Log: in.log})
	if err != nil || at.Port == 0 {
		return nil, stop, false
	}
	listener, err := net.Listen("tcp", at.Addr())
	if err != nil {
		return nil, stop, false
	}
	if !at.Plaintext {
		listener = tls.NewListener(listener, cert.Config())
		leaf = func() []byte { return cert.Certificate().Certificate[0] }
	}
	server := &http.Server{ReadHeaderTimeout: tryVisit, ErrorLog: nil,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/healthz" {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(listener) }()
	return leaf, func() { _ = server.Close(); <-ended }, true
}

// certificate reads the listener's.
func (in *inspection) certificate(context.Context) (doctor.Certificate, error) {
	var c doctor.Certificate
	certFile, keyFile := in.cfg.TLS.Cert, in.cfg.TLS.Key
	c.Own = certFile != ""
	if !c.Own {
		if in.cfg.Storage.DataDir == "" {
			return c, nil
		}
		certFile, keyFile = in.cfg.Storage.DataDir+"/cert.pem", in.cfg.Storage.DataDir+"/key.pem"
		if !exists(certFile) || !exists(keyFile) {
			return c, nil
		}
	}
	pair, err := tlscert.ReadPair(certFile, keyFile)
	if err != nil {
		if c.Own {
			c.Findings = append(c.Findings, doctor.Finding{Code: fault.CodeOf(err),
				Detail: certFile + ": " + errors.Unwrap(err).Error()})
		}
		return c, nil
	}
	c.From, c.To = pair.Leaf.NotBefore, pair.Leaf.NotAfter
	return c, nil
}

// peers returns the orchestrators that a worker or a gateway was given.
func (in *inspection) peers(ctx context.Context) ([]doctor.Peer, error) {
	r := in.cfg.Roles
	if r.Orchestrator && !r.Gateway {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askEngine)
	defer cancel()
	out := make([]doctor.Peer, len(in.cfg.Addresses.Orchestrators))
	done := make(chan struct{}, len(out))
	for i, o := range in.cfg.Addresses.Orchestrators {
		out[i].Address = o.String()
		go func() {
			out[i].Err = dial(ctx, o.Authority(), !o.Plaintext)
			done <- struct{}{}
		}()
	}
	for range out {
		<-done
	}
	return out, nil
}

// dial connects, and shakes hands where TLS is spoken; nodes sign their own
// certificates, so that none is verified.
func dial(ctx context.Context, authority string, secure bool) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", authority)
	if err == nil && secure {
		err = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}).HandshakeContext(ctx)
		// A peer that refuses, for want of a certificate of ours, is there all the same.
		if refusal, ok := errors.AsType[*net.OpError](err); ok && refusal.Op == "remote error" {
			err = nil
		}
	}
	if conn != nil {
		_ = conn.Close()
	}
	if err != nil {
		return errors.New(reason(err))
	}
	return nil
}
