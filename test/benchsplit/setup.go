package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/netlab"
)

const (
	secret      = "the secret of this pool"
	gatewayURL  = "http://127.0.0.1:9935"
	adminURL    = "http://127.0.0.1:7935"
	ladder      = "P144p30fps16x9,P240p30fps16x9"
	gatewayPort = "9935"
)

// setup is an orchestrator and a gateway on one host and, perhaps, a transcoder on
// another.
type setup struct {
	s    settings
	b    *testbed
	lab  *netlab.Lab
	name string
	host *netlab.Host
	rig  *netlab.Host
	// begin starts the transcoder; nil where the orchestrator works itself.
	begin  func() *harness.Process
	worker *harness.Process
	client *http.Client
	orch   *harness.Process
	// echo answers bare connections on the rig.
	echo net.Listener
}

func (s settings) setup(b *testbed, lab *netlab.Lab, name string) *setup {
	u := &setup{s: s, b: b, lab: lab, name: name, host: lab.Host(name)}
	u.client = &http.Client{Timeout: 60 * time.Second, Transport: &http.Transport{
		DialContext: u.host.Dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 64,
	}}
	b.Cleanup(u.client.CloseIdleConnections)
	return u
}

func (u *setup) service() string { return u.host.Addr.String() + ":8935" }

// start starts orchestrator and gateway; more are the orchestrator's options.
func (u *setup) start(more ...string) {
	u.orch = u.node(u.host, append([]string{"-orchestrator", "-serviceAddr", u.service(), "-encoderPreset", u.s.preset,
		"-testTranscoder=false", "-cliAddr", "127.0.0.1:7935"}, more...)...)
	u.orch.Wait(u.name+" to serve", 60*time.Second, func() bool { return u.get(adminURL+"/healthz", nil) == nil })
	gateway := u.node(u.host, "-gateway", "-orchAddr", u.service(), "-httpAddr", "127.0.0.1:"+gatewayPort,
		"-transcodingOptions", ladder, "-cliAddr", "127.0.0.1:7936")
	gateway.Wait("its gateway to serve", 60*time.Second, func() bool { return u.get(gatewayURL+"/healthz", nil) == nil })
}

// node starts tutti on a host.
func (u *setup) node(h *netlab.Host, args ...string) *harness.Process {
	command := h.Command(u.b.ctx, filepath.Join(u.s.bin, "tutti"), append(args, "-dataDir", u.b.TempDir())...)
	return harness.Start(u.b, command.Path, command.Args[1:]...)
}

// remotely gives the set-up a host for a transcoder of tutti's.
func (u *setup) remotely(more ...string) {
	u.start(append(more, "-orchSecret", secret)...)
	u.rig = u.lab.Host(u.name + "rig")
	u.begin = func() *harness.Process {
		return u.node(u.rig, "-transcoder", "-orchAddr", u.service(), "-orchSecret", secret, "-workerName", "rig",
			"-encoderPreset", u.s.preset, "-testTranscoder=false", "-maxSessions", "64", "-cliAddr", "127.0.0.1:7935")
	}
}

// fetching is remotely with a transcoder that fetches, as unmodified ones do.
func (u *setup) fetching() {
	u.remotely()
	self, err := os.Executable()
	if err != nil {
		u.b.Fatal(err)
	}
	u.begin = func() *harness.Process {
		command := u.rig.Command(u.b.ctx, self, fetcherCommand, u.service(), u.s.preset)
		return harness.Start(u.b, command.Path, command.Args[1:]...)
	}
}

// under puts the set-up under a condition, with a new worker whose connections know
// nothing of the past.
func (u *setup) under(c condition) {
	if u.begin == nil {
		return
	}
	if u.worker != nil {
		u.worker.Signal(syscall.SIGKILL)
		u.worker.Exit(10 * time.Second)
		u.orch.Wait("the worker to be missed", 30*time.Second, func() bool { return u.ready() == 0 })
	}
	// A worker that had registered over a shorter way would take its measure for this one.
	u.lab.Link(u.host, u.rig, c.link())
	for _, h := range []*netlab.Host{u.host, u.rig} {
		h.Sysctl("net.ipv4.tcp_slow_start_after_idle", c.idle)
		h.Sysctl("net.ipv4.tcp_congestion_control", c.control)
		h.Sysctl("net.ipv4.tcp_no_metrics_save", "1")
	}
	u.worker = u.begin()
	u.worker.Wait("the worker to register", 60*time.Second, func() bool { return u.ready() == 1 })
}

// ready is how many workers the orchestrator has.
func (u *setup) ready() (n int) {
	var all adminapi.Workers
	if err := u.get(adminURL+adminapi.PathWorkers, &all); err != nil {
		return -1
	}
	for _, w := range all.Workers {
		if w.Remote && w.State == "ready" {
			n++
		}
	}
	return n
}

func (u *setup) String() string { return fmt.Sprintf("set-up %s", u.name) }
