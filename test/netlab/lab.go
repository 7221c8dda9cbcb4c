package netlab

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Needs is why no lab can be made here, nil when one can.
func Needs() error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("network namespaces need root")
	}
	for _, path := range []string{"/dev/net/tun", "/proc/self/ns/net"} {
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	_, err := exec.LookPath("ip")
	return err
}

// Lab is a network of hosts.
type Lab struct {
	t    testing.TB
	name string
	wire *wire
	wg   sync.WaitGroup

	mu    sync.Mutex
	hosts map[string]*Host
	ports []net.Listener
	conns map[net.Conn]struct{}
	done  bool
}

// Host is a network namespace with one address.
type Host struct {
	lab *Lab
	// Name is the test's; Addr its address, which the other hosts reach.
	Name string
	Addr netip.Addr
	ns   string
	tun  *os.File
}

// New makes an empty network that ends with the test.
func New(t testing.TB) *Lab {
	t.Helper()
	var id [3]byte
	if _, err := rand.Read(id[:]); err != nil {
		t.Fatal(err)
	}
	l := &Lab{t: t, name: "tt" + hex.EncodeToString(id[:]), hosts: make(map[string]*Host),
		conns: make(map[net.Conn]struct{})}
	l.wire = newWire()
	t.Cleanup(l.close)
	return l
}

// Host adds a host.
func (l *Lab) Host(name string) *Host {
	l.t.Helper()
	l.mu.Lock()
	n := len(l.hosts) + 1
	l.mu.Unlock()
	h := &Host{lab: l, Name: name, ns: l.name + name, Addr: netip.AddrFrom4([4]byte{10, 77, 0, byte(n)})}
	l.run("netns", "add", h.ns)
	// One that fails below is taken away at the end all the same.
	l.mu.Lock()
	l.hosts[name] = h
	l.mu.Unlock()
	err := h.inside(func() (err error) {
		h.tun, err = openTUN("tun0")
		return err
	})
	if err != nil {
		l.t.Fatalf("host %s: %v", name, err)
	}
	l.run("-n", h.ns, "link", "set", "lo", "up")
	l.run("-n", h.ns, "addr", "add", h.Addr.String()+"/24", "dev", "tun0")
	l.run("-n", h.ns, "link", "set", "tun0", "up", "mtu", "1500", "txqueuelen", "10000")
	l.wire.attach(h.Addr, h.tun)
	l.wg.Go(func() { l.wire.read(h.Addr, h.tun) })
	return h
}

func (l *Lab) run(args ...string) {
	l.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		l.t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// Command is a program that runs on the host.
func (h *Host) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "ip", append([]string{"netns", "exec", h.ns, name}, args...)...)
}

// Sysctl sets a network setting of the host, "net.ipv4.tcp_slow_start_after_idle".
func (h *Host) Sysctl(name, value string) {
	h.lab.t.Helper()
	path := "/proc/sys/" + strings.ReplaceAll(name, ".", "/")
	if err := h.inside(func() error { return os.WriteFile(path, []byte(value), 0) }); err != nil {
		h.lab.t.Fatalf("%s on %s: %v", name, h.Name, err)
	}
}

// Dial connects as a program on the host would.
func (h *Host) Dial(ctx context.Context, network, addr string) (conn net.Conn, err error) {
	err = h.inside(func() (err error) {
		conn, err = new(net.Dialer).DialContext(ctx, network, addr)
		return err
	})
	return conn, err
}

// Alias gives the host one more address, which only its own programs reach.
func (h *Host) Alias(addr netip.Addr) {
	h.lab.t.Helper()
	h.lab.run("-n", h.ns, "addr", "add", netip.PrefixFrom(addr, addr.BitLen()).String(), "dev", "lo")
}

// DialFrom is Dial from one of the host's addresses.
func (h *Host) DialFrom(ctx context.Context, from netip.Addr, network, addr string) (conn net.Conn, err error) {
	err = h.inside(func() (err error) {
		d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))}
		conn, err = d.DialContext(ctx, network, addr)
		return err
	})
	return conn, err
}

// Listen listens as a program on the host would.
func (h *Host) Listen(addr string) (l net.Listener, err error) {
	err = h.inside(func() (err error) {
		l, err = net.Listen("tcp", addr)
		return err
	})
	return l, err
}

// inside does something in the host's namespace, on a thread that returns to ours.
func (h *Host) inside(f func() error) error {
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer own.Close()
	there, err := os.Open("/run/netns/" + h.ns)
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer there.Close()
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	err = f()
	// A thread that cannot come back stays locked, and ends with its goroutine.
	if back := unix.Setns(int(own.Fd()), unix.CLONE_NEWNET); back != nil {
		return back
	}
	runtime.UnlockOSThread()
	return err
}

func (l *Lab) close() {
	l.mu.Lock()
	l.done = true
	for _, p := range l.ports {
		p.Close()
	}
	for c := range l.conns {
		c.Close()
	}
	hosts := l.hosts
	l.mu.Unlock()
	for _, h := range hosts {
		if h.tun != nil {
			h.tun.Close()
		}
	}
	l.wire.close()
	l.wg.Wait()
	for _, h := range hosts {
		if out, err := exec.Command("ip", "netns", "del", h.ns).CombinedOutput(); err != nil {
			l.t.Logf("take host %s away: %v: %s", h.Name, err, out)
		}
	}
}
