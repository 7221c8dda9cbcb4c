package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// nodes are an orchestrator and a gateway in front of it, as two processes.
type nodes struct {
	cmds    []*exec.Cmd
	gateway string
}

// startNodes starts both. If preset is "", it uses that of the settings.
func (s settings) startNodes(ctx context.Context, preset string) (*nodes, error) {
	if preset == "" {
		preset = s.preset
	}
	ladder, err := s.profiles()
	if err != nil {
		return nil, err
	}
	service, gateway := freeAddress(), freeAddress()
	n := &nodes{gateway: "http://" + gateway}
	for _, args := range [][]string{
		{"-orchestrator", "-transcoder", "-serviceAddr", service, "-httpAddr", service, "-encoderPreset", preset,
			"-maxSessions", "100"},
		{"-gateway", "-orchAddr", service, "-httpAddr", gateway, "-transcodingOptions", ladder},
	} {
		if _, err := n.start(s, args); err != nil {
			n.stop()
			return nil, err
		}
	}
	return n, errors.Join(reach(ctx, "https://"+service+"/healthz"), reach(ctx, n.gateway+"/healthz"))
}

func (n *nodes) start(s settings, args []string) (*exec.Cmd, error) {
	dir, err := os.MkdirTemp(s.dir, "node")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(s.bin, "tutti"), append(args, "-dataDir", dir, "-cliAddr", freeAddress())...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the node: %w (make build first)", err)
	}
	n.cmds = append(n.cmds, cmd)
	return cmd, nil
}

func (n *nodes) stop() {
	for _, cmd := range n.cmds {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// freeAddress returns a loopback address whose port was free a moment ago.
func freeAddress() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // a machine without loopback measures nothing
	}
	defer l.Close()
	return l.Addr().String()
}

var anyCertificate = &http.Client{Transport: &http.Transport{
	TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // nodes sign their own certificates
}}

// reach waits until a GET answers with 200.
func reach(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		resp, err := anyCertificate.Get(url)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: no answer within 20 s", url)
		case <-tick.C:
		}
	}
}
