package redeemer_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/redeemer"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
)

// far is a redeemer at an address of its own, over all lives of its process. What it
// took is on its disk, so to say.
type far struct {
	*testing.T
	addr string
	cert *tlscert.Source
	// plain serves the network's own kind of redeemer: no code with a refusal, and no
	// word about how its own service works.
	plain bool
	kill  func()

	mu       sync.Mutex // covers the fields below
	taken    map[protocol.Hash]int
	refuse   error
	refuseOf core.Address // zero: everybody's
	hangOf   core.Address // zero: no gateway's
	tries    int          // how often a ticket was offered
	first    []protocol.Hash
	mute     bool
	floats   map[core.Address]core.Wei
	changed  map[chan struct{}]core.Address
}

func newFar(t *testing.T) *far {
	t.Helper()
	cert, err := tlscert.Open(tlscert.Options{Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	f := &far{T: t, cert: cert, addr: "127.0.0.1:0", kill: func() {}, taken: make(map[protocol.Hash]int),
		floats: make(map[core.Address]core.Wei), changed: make(map[chan struct{}]core.Address)}
	l := f.listen()
	f.addr = l.Addr().String()
	l.Close()
	t.Cleanup(func() { f.kill() })
	return f
}

func (f *far) listen() net.Listener {
	f.Helper()
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		f.Fatal(err)
	}
	return l
}

// start gives the redeemer another life.
func (f *far) start() {
	f.Helper()
	l := f.listen()
	if f.plain {
		server := grpc.NewServer(grpc.Creds(credentials.NewTLS(f.cert.Config())), grpc.WaitForHandlers(true))
		rpc.RegisterTicketRedeemerServer(server, &network{far: f})
		var serving sync.WaitGroup
		serving.Go(func() { _ = server.Serve(l) })
		f.kill = sync.OnceFunc(func() { server.Stop(); serving.Wait() })
		return
	}
	s, err := redeemer.New(redeemer.Options{Listener: l, Cert: f.cert, Redeemer: f, Recipient: clientMe,
		Log:   slog.New(slog.DiscardHandler),
		Taken: func(context.Context, protocol.Hash) (bool, error) { return false, nil },
		Funds: func(context.Context, core.Address) (protocol.SenderFunds, error) {
			return protocol.SenderFunds{Sender: protocol.Sender{Deposit: core.NewWei(1)}}, nil
		}})
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = s.Run(ctx, func() {}) })
	f.kill = sync.OnceFunc(func() { cancel(); running.Wait() })
}

func (f *far) Pending(core.Address) core.Wei { return core.Wei{} }

// order are the tickets that were taken, in their order.
func (f *far) order() []protocol.Hash {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]protocol.Hash(nil), f.first...)
}

// hangsWith has it answer nothing about the tickets of a gateway.
func (f *far) hangsWith(sender core.Address) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hangOf = sender
}

func (f *far) Queue(ctx context.Context, w pm.Winner) error {
	f.mu.Lock()
	mute, refuse := f.mute, f.refuse
	f.tries++
	if of := f.refuseOf; !of.IsZero() && of != w.Ticket.Sender {
		refuse = nil
	}
	mute = mute || !f.hangOf.IsZero() && f.hangOf == w.Ticket.Sender
	if refuse == nil && !mute {
		if f.taken[w.Hash]++; f.taken[w.Hash] == 1 {
			f.first = append(f.first, w.Hash)
		}
	}
	f.mu.Unlock()
	if mute {
		<-ctx.Done()
		return ctx.Err()
	}
	return refuse
}

func (f *far) MaxFloat(ctx context.Context, sender core.Address) (core.Wei, error) {
	f.mu.Lock()
	mute, v, err := f.mute, f.floats[sender], f.refuse
	f.mu.Unlock()
	if mute {
		<-ctx.Done()
		return v, ctx.Err()
	}
	return v, err
}

func (f *far) WatchMaxFloat(ctx context.Context, sender core.Address, notify func(core.Wei) error) error {
	changed := make(chan struct{}, 1)
	f.mu.Lock()
	f.changed[changed] = sender
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.changed, changed)
	}()
	for {
		if v, err := f.MaxFloat(ctx, sender); err == nil {
			if err := notify(v); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

func (f *far) set(sender core.Address, v uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.floats[sender] = core.NewWei(v)
	for c, of := range f.changed {
		if of == sender {
			select {
			case c <- struct{}{}:
			default:
			}
		}
	}
}

func (f *far) refuses(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = err
}

// refusesOf refuses one gateway's tickets alone.
func (f *far) refusesOf(sender core.Address, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse, f.refuseOf = err, sender
}

func (f *far) falls(mute bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mute = mute
}

func (f *far) has() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.taken)
}

func (f *far) watched() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.changed)
}

// network answers as a redeemer of the network does.
type network struct {
	rpc.UnimplementedTicketRedeemerServer
	far *far
}

func (n *network) QueueTicket(ctx context.Context, m *rpc.Ticket) (*rpc.QueueTicketRes, error) {
	t, expires, err := rpc.FromTicket(m)
	if err == nil {
		err = n.far.Queue(ctx, pm.Winner{Hash: t.Hash(), Ticket: t, ExpirationBlock: expires})
	}
	switch {
	case err == nil:
		return &rpc.QueueTicketRes{}, nil
	case fault.CodeOf(err) == fault.TicketForeign:
		return nil, status.Error(codes.PermissionDenied, "invalid ticket recipient")
	}
	return nil, status.Error(codes.Internal, "could not queue ticket")
}

func (n *network) MaxFloat(ctx context.Context, m *rpc.MaxFloatReq) (*rpc.MaxFloatUpdate, error) {
	v, err := n.far.MaxFloat(ctx, core.Address(m.GetSender()))
	if err != nil {
		return nil, status.Error(codes.Internal, "no max float")
	}
	return &rpc.MaxFloatUpdate{MaxFloat: rpc.ToWei(v)}, nil
}

// MonitorMaxFloat says nothing before the first change.
func (n *network) MonitorMaxFloat(m *rpc.MaxFloatReq, stream grpc.ServerStreamingServer[rpc.MaxFloatUpdate]) error {
	first := true
	return n.far.WatchMaxFloat(stream.Context(), core.Address(m.GetSender()), func(v core.Wei) error {
		if first {
			first = false
			return nil
		}
		return stream.Send(&rpc.MaxFloatUpdate{MaxFloat: rpc.ToWei(v)})
	})
}
