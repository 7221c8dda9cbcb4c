package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fetchurl"
)

// Origin is where an orchestrator is, by the connection of its registration. An
// orchestrator says where inputs are fetched, and gets what is made of them: one that is
// elsewhere must not have its workers read for it what only their own machine or network
// reaches. The zero value is one of the internet.
type Origin struct {
	at netip.Addr
	// here says that it is on this machine.
	here bool
	// stores are the operator's networks that all orchestrators may lead to.
	stores fetchurl.Networks
}

// ErrOrigin is in the errors of Permit.
var ErrOrigin = errors.New("the orchestrator may not lead there")

var (
	errLinkLocal = fmt.Errorf("%w: it is in the network of this machine alone", ErrOrigin)
	errMachine   = fmt.Errorf("%w: it is this machine, where the orchestrator is not, and in no network of "+
		"-objectStoreNetworks", ErrOrigin)
	errPrivate = fmt.Errorf("%w: it is no public address, the orchestrator is at one, and in no network of "+
		"-objectStoreNetworks", ErrOrigin)
)

// OriginOf is that of an orchestrator at one end of a connection, with the worker at the
// other.
func OriginOf(orchestrator, worker netip.Addr) Origin {
	at := orchestrator.Unmap()
	return Origin{at: at, here: at.IsLoopback() || at.IsValid() && at == worker.Unmap()}
}

// Permit is why an orchestrator may not lead the worker to an address, nil where it may.
func (o Origin) Permit(ip netip.Addr) error {
	ip = ip.Unmap()
	switch near := o.at.IsValid() && !core.PublicAddress(o.at); {
	case core.PublicAddress(ip), o.at.IsValid() && ip == o.at, o.stores.Contain(ip):
		return nil
	case core.MachineAddress(ip):
		return errLinkLocal
	case (ip.IsLoopback() || ip.IsUnspecified()) && !o.here:
		return errMachine
	case !near:
		return errPrivate
	}
	return nil
}

type originKey struct{}

// Fetching returns a context for what is fetched on an orchestrator's word.
func (o Origin) Fetching(ctx context.Context) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// ControlFetch is the ControlContext of a net.Dialer for contexts of Fetching. It looks at
// the address that a name has led to.
func ControlFetch(ctx context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	origin, _ := ctx.Value(originKey{}).(Origin)
	return origin.Permit(to.Addr())
}

// Origin returns where the orchestrator was reached last.
func (l *Link) Origin() Origin {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.origin
	o.stores = l.o.Stores
	return o
}

// reached notes where the orchestrator is.
func (l *Link) reached(conn net.Conn) {
	to, ok := conn.RemoteAddr().(*net.TCPAddr)
	from, also := conn.LocalAddr().(*net.TCPAddr)
	if !ok || !also {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.origin = OriginOf(to.AddrPort().Addr(), from.AddrPort().Addr())
}
