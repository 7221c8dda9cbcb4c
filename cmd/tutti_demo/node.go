package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"

	clinode "github.com/tuttinode/tutti/cmd/tutti_cli/node"
)

// node is the demonstration's two processes: an orchestrator that does all the
// work, and a gateway that pays it.
type node struct {
	orchestrator, gatewayProcess *process
	// gateway is the base address of the gateway, no trailing slash, status the
	// orchestrator's /status.
	gateway, status string
	// service, admin and gatewayAdmin are host:port of the listeners.
	service, admin, gatewayAdmin string
	// moved says of listeners where they are instead of at their usual ports, and why.
	moved []string
	// dir and gatewayDir are the data directories.
	dir, gatewayDir string
}

// ladder is what the demonstration asks for: three renditions of a 720p source.
const ladder = "P576p30fps16x9,P360p30fps16x9,P240p30fps16x9"

// newNode chooses addresses on loopback: the usual ones where they are free.
func newNode(dir string) (*node, error) {
	n := &node{dir: filepath.Join(dir, "orchestrator"), gatewayDir: filepath.Join(dir, "gateway")}
	var gateway string
	for _, l := range []struct {
		to           *string
		name, wanted string
	}{
		{&n.service, "orchestrator", "127.0.0.1:8935"}, {&n.admin, "dashboard", "127.0.0.1:7935"},
		{&gateway, "gateway", "127.0.0.1:9935"}, {&n.gatewayAdmin, "gateway's admin listener", "127.0.0.1:5935"},
	} {
		var err error
		if *l.to, err = freeAddress(l.wanted); err != nil {
			return nil, err
		}
		if *l.to != l.wanted {
			n.moved = append(n.moved, fmt.Sprintf("%s is taken by %s: the %s is at %s", l.wanted, userOf(l.wanted), l.name,
				*l.to))
		}
	}
	n.gateway, n.status = "http://"+gateway, "https://"+n.service+"/status"
	return n, nil
}

// startOrchestrator starts orchestrator, transcoder and AI worker in one process.
func (n *node) startOrchestrator(ctx context.Context, binary string, flags []string, stderr io.Writer) (err error) {
	n.orchestrator, err = startProcess(ctx, "orchestrator", binary, n.dir,
		[]string{"https://" + n.service + "/healthz", "http://" + n.admin + "/healthz"}, append([]string{
			"-orchestrator", "-transcoder", "-serviceAddr", n.service, "-httpAddr", n.service, "-cliAddr", n.admin}, flags...),
		stderr)
	return err
}

// startGateway starts the gateway.
func (n *node) startGateway(ctx context.Context, binary string, flags []string, stderr io.Writer) (err error) {
	n.gatewayProcess, err = startProcess(ctx, "gateway", binary, n.gatewayDir,
		[]string{n.gateway + "/healthz", "http://" + n.gatewayAdmin + "/healthz"}, append([]string{
			"-gateway", "-httpAddr", n.gateway[len("http://"):], "-cliAddr", n.gatewayAdmin, "-transcodingOptions", ladder},
			flags...), stderr)
	return err
}

// ended is an error once one of the processes has ended.
func (n *node) ended() error {
	for _, p := range []*process{n.orchestrator, n.gatewayProcess} {
		if p != nil && p.ended() != nil {
			return p.ended()
		}
	}
	return nil
}

// stop ends the gateway first, so that it takes leave.
func (n *node) stop() {
	for _, p := range []*process{n.gatewayProcess, n.orchestrator} {
		if p != nil {
			p.stop()
		}
	}
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

// userOf names the program that listens at an address.
func userOf(addr string) string {
	_, text, _ := net.SplitHostPort(addr)
	port, err := strconv.Atoi(text)
	if err != nil {
		return "another program"
	}
	name, pid := clinode.PortUser(port)
	if pid == 0 {
		return "a program of another user"
	}
	return fmt.Sprintf("%s, process %d", name, pid)
}
