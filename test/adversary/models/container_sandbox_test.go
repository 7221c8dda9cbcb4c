package models_test

import (
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/engine"
)

// canary counts connections at an address of the machine.
func canary(t *testing.T, host string) (addr string, met *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	met = new(atomic.Int64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			met.Add(1)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String(), met
}

// otherAddresses are the machine's addresses besides loopback and the bridges of
// containers: to a container they stand for the rest of the world.
func otherAddresses(t *testing.T) (out []string) {
	t.Helper()
	list, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		if i.Flags&net.FlagLoopback != 0 || i.Flags&net.FlagUp == 0 {
			continue
		}
		if _, err := os.Stat("/sys/class/net/" + i.Name + "/bridge"); err == nil {
			continue
		}
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil {
				out = append(out, ip.IP.String())
			}
		}
	}
	return out
}

// A model's container has no way out: not to the internet, the link's metadata
// service, other addresses of the machine, its loopback services or other models.
func TestNoWayOutOfAContainer(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	n := start(t, e, []entry{hostile(t, e, "own/hostile"), hostile(t, e, "own/victim")})
	const model = "own/hostile"

	n.allFail(model, "dial", "1.1.1.1:443", "169.254.169.254:80", "10.0.0.1:80", "[2606:4700:4700::1111]:443",
		"[fd00::1]:80")
	n.allFail(model, "dial on link", "1.1.1.1:443", "169.254.169.254:80", inside(n.container("own/victim")), n.admin)
	others := otherAddresses(t)
	if len(others) == 0 {
		t.Log("the machine has no address besides loopback: only the routes tell")
	}
	for _, host := range others {
		addr, met := canary(t, host)
		n.fails(model, "dial", addr)
		packets := packetCanary(t, host)
		n.attempt(model, "dial udp", packets.LocalAddr().String())
		if met.Load() != 0 || received(t, packets) {
			t.Errorf("the container reached the machine at %s", host)
		}
	}
	loopback, met := canary(t, "127.0.0.1")
	_, port, _ := net.SplitHostPort(loopback)
	_, admin, _ := net.SplitHostPort(n.admin)
	machine := gateway(n.container(model))
	services := []string{net.JoinHostPort(machine, admin)}
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", machine} {
		services = append(services, net.JoinHostPort(host, port))
	}
	n.allFail(model, "dial", services...)
	n.allFail(model, "dial on link", services...)
	if met.Load() != 0 {
		t.Error("the container reached a loopback service of the machine")
	}
	n.fails(model, "dial", inside(n.container("own/victim")))
	n.allFail(model, "resolve", "example.com", "own-victim")
	n.fails(model, "route", gateway(n.container(model)))
	if o := n.attempt(model, "read", "/proc/net/if_inet6"); o.Text != "" {
		t.Errorf("IPv6 addresses: %+v", o)
	}
	if o := n.attempt(model, "routes", ""); !o.Done || leadsOut(t, o.Text) {
		t.Errorf("routes: %+v", o)
	}
}

// leadsOut reports whether a default route in the kernel's table has a gateway that
// is there.
func leadsOut(t *testing.T, table string) bool {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(table) {
		cells := strings.Fields(line)
		if len(cells) < 3 || cells[1] != "00000000" {
			continue
		}
		raw, err := hex.DecodeString(cells[2])
		if err != nil || len(raw) != 4 {
			t.Fatalf("route %q", line)
		}
		via := net.IPv4(raw[3], raw[2], raw[1], raw[0])
		for _, a := range addrs {
			if here, ok := a.(*net.IPNet); ok && here.IP.Equal(via) {
				return true
			}
		}
	}
	return false
}

// packetCanary waits for packets at an address of the machine.
func packetCanary(t *testing.T, host string) net.PacketConn {
	t.Helper()
	c, err := net.ListenPacket("udp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// received reports whether a packet has come, or comes within a moment.
func received(t *testing.T, c net.PacketConn) bool {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	_, _, err := c.ReadFrom(make([]byte, 1))
	return err == nil
}

// A model's server has no privileges and changes nothing: no weights, no file of its
// image, no kernel setting.
func TestNoPrivilegesInAContainer(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	n := start(t, e, []entry{hostile(t, e, "own/hostile")})
	const model = "own/hostile"
	for _, attempt := range []struct{ what, target string }{
		{"write", "/models/new"}, {"replace", "/models/weights"}, {"write", "/models/weights"},
		{"own", "/models/weights"},
		{"write", "/new"}, {"write", "/etc/passwd"}, {"write", "/hostile"}, {"write", "/opt/new"},
		{"own", "/etc/passwd"},
		{"write", "/proc/sys/kernel/core_pattern"}, {"write", "/proc/sysrq-trigger"},
		{"write", "/sys/fs/cgroup/memory/new"},
		{"read", "/var/run/docker.sock"}, {"read", "/dev/kmsg"}, {"device", "/tmp/disk"},
		{"mount", "/tmp"}, {"namespace", ""}, {"raw socket", ""}, {"change clock", ""},
	} {
		n.fails(model, attempt.what, attempt.target)
	}
	if b, err := os.ReadFile(filepath.Join(n.models, "weights")); err != nil || string(b) != "good weights" {
		t.Errorf("the weights are %q, %v", b, err)
	}
	if o := n.attempt(model, "read", "/models/weights"); o.Text != "good weights" {
		t.Errorf("the weights cannot be read: %+v", o)
	}
	if o := n.attempt(model, "write", "/tmp/scratch"); !o.Done {
		t.Errorf("nothing can be written in /tmp: %+v", o)
	}
	status := n.attempt(model, "privileges", "").Text
	for _, want := range []string{
		"CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1",
		"Seccomp:\t2",
	} {
		if !strings.Contains(status, want) {
			t.Errorf("no %q in\n%s", want, status)
		}
	}
}

// What an entry permits is permitted, and no more than that.
func TestWhatAnEntryPermits(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	n := start(t, e, []entry{hostile(t, e, "own/open").with(entry{
		"network": true, "read_only": false, "write_models": true, "capabilities": []string{"SETUID", "CHOWN"},
	})})
	const model = "own/open"
	if at := address(n.container(model)); !strings.HasPrefix(at, "127.0.0.1:") {
		t.Errorf("its port is published at %s", at)
	}
	for _, path := range []string{"/models/new", "/new"} {
		if o := n.attempt(model, "write", path); !o.Done {
			t.Errorf("write %s: %+v", path, o)
		}
	}
	for _, attempt := range []struct{ what, target string }{
		{"mount", "/opt"}, {"namespace", ""}, {"raw socket", ""}, {"device", "/disk"},
		{"route", gateway(n.container(model))},
	} {
		n.fails(model, attempt.what, attempt.target)
	}
	status := n.attempt(model, "privileges", "").Text
	for _, want := range []string{"CapBnd:\t0000000000000081", "NoNewPrivs:\t1"} {
		if !strings.Contains(status, want) {
			t.Errorf("no %q in\n%s", want, status)
		}
	}
}

// Bombs hit their own container only, and its model comes back if it went.
func TestBombsInAContainer(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	e.NeedMemoryLimits(t)
	n := start(t, e, []entry{
		hostile(t, e, "own/small").with(entry{"memory_gb": 0.1, "processes": 60}),
		hostile(t, e, "own/usual"),
	})
	bombs := 1
	if adversary.Long() {
		bombs = 20
	}
	neighbor := n.container("own/usual").ID
	for range bombs {
		if o := n.attempt("own/small", "eat", "300"); o.Done || o.Text != "killed" {
			t.Errorf("300 MiB of at most 100 MB: %+v", o)
		}
	}
	// At its limit of processes and threads the server itself may end.
	o, err := tryAt(address(n.container("own/small")), "fork", "100")
	if err == nil && (o.Done || o.Text == "0") {
		t.Errorf("100 processes of at most 60: %+v", o)
	}
	n.awaitReady("own/small")
	if n.state("own/usual") != "ready" || n.container("own/usual").ID != neighbor {
		t.Error("another model noticed the bombs")
	}
	// An entry that says nothing is bounded too: below the machine's memory.
	h := n.container("own/usual").HostConfig
	if h.PidsLimit == nil || *h.PidsLimit < 1000 || *h.PidsLimit > 10000 {
		t.Errorf("processes of a usual container: %v", h.PidsLimit)
	}
	machine := memoryOfMachine(t)
	if h.Memory <= machine/2 || h.Memory >= machine || h.MemorySwap != h.Memory {
		t.Errorf("memory of a usual container: %d, with swap %d, of %d", h.Memory, h.MemorySwap, machine)
	}
	if h.OomScoreAdj <= 0 {
		t.Errorf("the kernel would end the node before its containers: %d", h.OomScoreAdj)
	}
}

func memoryOfMachine(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b))
	kib, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
