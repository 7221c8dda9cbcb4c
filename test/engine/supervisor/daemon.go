package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	startLimit = time.Minute
	stopLimit  = 30 * time.Second
	look       = 20 * time.Millisecond
	// tailBytes of the engine's log are what a failure shows.
	tailBytes = 800
)

// daemon is dockerd, which starts containerd itself.
type daemon struct {
	cmd     *exec.Cmd
	workdir *workdir
	exited  chan struct{}
}

// startDaemon starts dockerd. It touches no firewall and no forwarding of the
// machine: containers are reached at published ports, through its own proxy.
func startDaemon(p *workdir) (*daemon, error) {
	log, err := os.Create(p.path("dockerd.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	// The machine's own configuration is not this engine's.
	settings := p.path("daemon.json")
	if err := os.WriteFile(settings, []byte("{}"), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command("dockerd",
		"--host", p.address(), "--pidfile", p.path("pid"),
		"--data-root", p.path("data"), "--exec-root", p.path("exec"),
		"--bridge", p.bridge.name(), "--default-address-pool", p.bridge.pool(), "--iptables=false", "--ip6tables=false",
		"--ip-forward=false", "--ip-masq=false",
		"--config-file", settings)
	cmd.Stdout, cmd.Stderr = log, log
	// containerd's client makes its sockets' directory there.
	cmd.Env = append(os.Environ(), "TMPDIR="+p.dir)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start dockerd: %w", err)
	}
	d := &daemon{cmd: cmd, workdir: p, exited: make(chan struct{})}
	go func() {
		defer close(d.exited)
		_ = cmd.Wait()
	}()
	return d, nil
}

// await returns once the engine answers.
func (d *daemon) await() error {
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn,
		error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", d.workdir.path("docker.sock"))
	}}}
	defer client.CloseIdleConnections()
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	limit := time.After(startLimit)
	for {
		answer, err := client.Get("http://engine/_ping")
		if err == nil {
			answer.Body.Close()
			return nil
		}
		select {
		case <-ticks.C:
		case <-d.exited:
			return fmt.Errorf("dockerd did not start: %s", d.lastWords())
		case <-limit:
			return errors.New("dockerd does not answer: " + d.lastWords())
		}
	}
}

// stop ends the engine and its containers.
func (d *daemon) stop() {
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(stopLimit):
		_ = d.cmd.Process.Kill()
		<-d.exited
	}
}

// lastWords is the end of the engine's log, on one line.
func (d *daemon) lastWords() string {
	text, _ := os.ReadFile(d.workdir.path("dockerd.log"))
	return strings.Join(strings.Fields(string(text[max(0, len(text)-tailBytes):])), " ")
}
