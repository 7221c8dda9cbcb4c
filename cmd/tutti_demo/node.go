package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// node is the tutti process that the demonstration runs.
type node struct {
	cmd     *exec.Cmd
	exited  chan error
	log     *os.File
	gateway string // base address of the gateway, no trailing slash
	status  string // the orchestrator's /status
	// orchestrator and admin are host:port of the listeners.
	orchestrator, admin string
}

// ladder is what the demonstration asks for: three renditions of a 720p source.
const ladder = "P576p30fps16x9,P360p30fps16x9,P240p30fps16x9"

// startNode starts gateway, orchestrator and transcoder in one process on loopback,
// off-chain unless flags say otherwise, and returns once the gateway answers.
func startNode(ctx context.Context, binary, dir string, flags []string, stderr io.Writer) (*node, error) {
	orchestrator, err := freeAddress("127.0.0.1:8935")
	if err != nil {
		return nil, err
	}
	gateway, err := freeAddress("127.0.0.1:9935")
	if err != nil {
		return nil, err
	}
	admin, err := freeAddress("127.0.0.1:7935")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a data directory: %w", err)
	}
	logPath := filepath.Join(dir, "tutti.log")
	logFile, err := os.Create(logPath)
	if err != nil {
		return nil, fmt.Errorf("open the node's log: %w", err)
	}
	cmd := exec.Command(binary, append([]string{"-orchestrator", "-transcoder", "-gateway",
		"-serviceAddr", orchestrator, "-httpAddr", orchestrator,
		"-gatewayAddr", gateway, "-orchAddr", orchestrator, "-cliAddr", admin,
		"-dataDir", dir, "-monitor", "-transcodingOptions", ladder}, flags...)...)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		logFile.Close()
		return nil, fmt.Errorf("start %s: %w (make build puts it there)", binary, err)
	}
	n := &node{
		cmd: cmd, exited: make(chan error, 1), log: logFile,
		gateway: "http://" + gateway, status: "https://" + orchestrator + "/status", orchestrator: orchestrator, admin: admin,
	}
	go func() { n.exited <- cmd.Wait() }()
	if err := n.waitReady(ctx); err != nil {
		n.stop()
		text, _ := os.ReadFile(logPath)
		fmt.Fprintf(stderr, "the node's last lines:\n%s\n", lastLines(text, 20))
		return nil, err
	}
	return n, nil
}

// freeAddress returns the wanted loopback address when nothing listens there, or
// one with a port the system chooses.
func freeAddress(wanted string) (string, error) {
	for _, addr := range []string{wanted, "127.0.0.1:0"} {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		defer l.Close()
		return l.Addr().String(), nil
	}
	return "", fmt.Errorf("no loopback port is free (wanted %s)", wanted)
}

func (n *node) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if resp, err := http.Get(n.gateway + "/healthz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case err := <-n.exited:
			n.exited <- err
			return fmt.Errorf("the node ended before it was ready: %w", err)
		case <-ctx.Done():
			return errors.New("the node was not ready within 20 s")
		}
	}
}

// stop asks the node to drain and ends it when it does not.
func (n *node) stop() {
	defer n.log.Close()
	_ = n.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-n.exited:
	case <-time.After(40 * time.Second):
		_ = n.cmd.Process.Kill()
		<-n.exited
	}
}

func lastLines(text []byte, count int) string {
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}
