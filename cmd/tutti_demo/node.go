package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"

	clinode "github.com/tuttinode/tutti/cmd/tutti_cli/node"
)

// node is the demonstration's processes: an orchestrator that does all the work, a
// second one that does live video alone, and a gateway that pays both.
type node struct {
	first, second  *orchestrator
	gatewayProcess *process
	// gateway is the base address of the gateway, no trailing slash, status the
	// first orchestrator's /status.
	gateway, status string
	// service, admin and dir are those of the first orchestrator: host:port of its
	// listeners, and its data directory. gatewayAdmin and gatewayDir are the gateway's.
	service, admin, dir      string
	gatewayAdmin, gatewayDir string
	// media is host:port of the gateway's UDP port for live video, page that of the
	// camera's page.
	media, page string
	// moved says of listeners where they are instead of at their usual ports, and why.
	moved []string
}

// ladder is what the demonstration asks for: three renditions of a 720p source.
const ladder = "P576p30fps16x9,P360p30fps16x9,P240p30fps16x9"

// newNode chooses addresses on loopback: the usual ones where they are free.
func newNode(dir string) (*node, error) {
	n := &node{dir: filepath.Join(dir, "orchestrator"), gatewayDir: filepath.Join(dir, "gateway"),
		first: &orchestrator{name: "orchestrator"}, second: &orchestrator{name: "second orchestrator"}}
	var gateway string
	for _, l := range []struct {
		to           *string
		name, wanted string
	}{
		{&n.service, "orchestrator", "127.0.0.1:8935"}, {&n.admin, "dashboard", "127.0.0.1:7935"},
		{&gateway, "gateway", "127.0.0.1:9935"}, {&n.gatewayAdmin, "gateway's admin listener", "127.0.0.1:5935"},
		{&n.second.service, "second orchestrator", "127.0.0.1:8936"},
		{&n.second.admin, "second orchestrator's admin listener", "127.0.0.1:7936"},
		{&n.page, "camera's page", "127.0.0.1:9936"},
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
	var err error
	if n.media, err = freeMedia("127.0.0.1:7290"); err != nil {
		return nil, err
	}
	n.gateway, n.status = "http://"+gateway, "https://"+n.service+"/status"
	n.first.service, n.first.admin, n.first.dir = n.service, n.admin, n.dir
	n.second.dir = filepath.Join(dir, "orchestrator2")
	return n, nil
}

// startOrchestrators starts orchestrator, transcoder and AI worker in one process, and
// the second orchestrator in another. Both have the sample pipeline of live video.
func (n *node) startOrchestrators(ctx context.Context, binary string, flags, second []string, stderr io.Writer) error {
	if err := n.first.open(ctx, binary, append([]string{"-orchestrator", "-transcoder"}, flags...), stderr); err != nil {
		return err
	}
	return n.second.open(ctx, binary, append([]string{"-orchestrator"}, second...), stderr)
}

// startGateway starts the gateway.
func (n *node) startGateway(ctx context.Context, binary string, flags []string, stderr io.Writer) (err error) {
	n.gatewayProcess, err = startProcess(ctx, "gateway", binary, n.gatewayDir,
		[]string{n.gateway + "/healthz", "http://" + n.gatewayAdmin + "/healthz"}, append([]string{
			"-gateway", "-httpAddr", n.gateway[len("http://"):], "-cliAddr", n.gatewayAdmin, "-transcodingOptions", ladder,
			"-liveMediaAddr", n.media, "-livePaymentInterval", paymentInterval, "-liveMinSegment", shortest.String()},
			flags...), stderr)
	return err
}

// ended is an error once one of the processes has ended by itself.
func (n *node) ended() error {
	if p := n.gatewayProcess; p != nil && p.ended() != nil {
		return p.ended()
	}
	return errors.Join(n.first.ended(), n.second.ended())
}

// stop ends the gateway first, so that it takes leave.
func (n *node) stop() {
	if n.gatewayProcess != nil {
		n.gatewayProcess.stop()
	}
	n.second.stop()
	n.first.stop()
}

// freeMedia is freeAddress for UDP.
func freeMedia(wanted string) (string, error) {
	for _, addr := range []string{wanted, "127.0.0.1:0"} {
		c, err := net.ListenPacket("udp", addr)
		if err != nil {
			continue
		}
		defer c.Close()
		return c.LocalAddr().String(), nil
	}
	return "", fmt.Errorf("no UDP port of loopback is free (wanted %s)", wanted)
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
