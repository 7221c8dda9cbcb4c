package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
)

// manySockets measures the memory of idle sockets through the orchestrator to a live runner.
func (s settings) manySockets(ctx context.Context) error {
	fmt.Fprintf(s.out, "%d idle sockets to a live runner\n", s.sockets)
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", loopback)
	if err != nil {
		return err
	}
	app := &http.Server{Handler: http.HandlerFunc(serveSocket), ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() { defer close(served); _ = app.Serve(l) }()
	defer func() { _ = app.Close(); <-served }()
	o, url, err := s.liveRunner(ctx, l.Addr().String())
	if err != nil {
		return err
	}
	defer o.kill()
	empty := o.resident(ctx)
	conns := make([]net.Conn, s.sockets)
	defer func() {
		for _, c := range conns {
			if c != nil {
				_ = c.Close()
			}
		}
	}()
	var g errgroup.Group
	g.SetLimit(many)
	for i := range conns {
		g.Go(func() (err error) { conns[i], err = socket(ctx, o.addr, url); return err })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	s.takeProfile(ctx, o, "heap", "sockets-heap", 0)
	full := o.resident(ctx)
	s.describeMemory(ctx, o)
	s.sheet.Row("memory of an idle socket", (full-empty)/float64(len(conns)), "KB", 64)
	fmt.Fprintln(s.out)
	return nil
}

// liveRunner starts an orchestrator with a live runner, and returns the path of a socket to it.
func (s settings) liveRunner(ctx context.Context, addr string) (*orchestrator, string, error) {
	file := filepath.Join(s.dir, "runners.json")
	text := fmt.Sprintf(`{"runners":[{"label":"bench","routing":"label","app":"bench/echo","runner_url":"http://%s",
		"health_url":"/health","capacity":4}]}`, addr)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, "", err
	}
	o := &orchestrator{addr: freeAddress(), admin: freeAddress(), http: http.DefaultClient}
	var err error
	if o.process, err = s.node("-orchestrator", "-liveRunnerConfig", file, "-serviceAddr", o.addr, "-httpAddr",
		o.addr, "-cliAddr", o.admin, "-adminProfiling", "-maxConnections", "60000", "-maxConnectionsPerAddress",
		"60000"); err != nil {
		return nil, "", err
	}
	var session struct {
		App string `json:"app_url"`
	}
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: selfSigned, MaxResponseHeaderBytes: 64 << 10}}
	defer c.CloseIdleConnections()
	err = await(ctx, "a session", func() bool {
		status, text, err := do(ctx, c, "POST", "https://"+o.addr+"/apps/bench/session", "")
		return err == nil && status == http.StatusOK && json.Unmarshal([]byte(text), &session) == nil
	})
	if err != nil {
		o.kill()
		return nil, "", err
	}
	return o, session.App[len("https://"+o.addr):] + "/ws", nil
}

// serveSocket is the application: it upgrades to a protocol that sends back what it gets.
func serveSocket(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		return // its health
	}
	conn, in, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn,
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	for b := make([]byte, 5); ; {
		if _, err := io.ReadFull(in, b); err != nil {
			return
		}
		if _, err := conn.Write(b); err != nil {
			return
		}
	}
}

// socket opens a socket and sends a message to and fro.
func socket(ctx context.Context, addr, path string) (net.Conn, error) {
	conn, err := (&tls.Dialer{Config: selfSigned}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		path, addr)
	in := bufio.NewReaderSize(conn, 4096)
	res, err := http.ReadResponse(in, nil)
	if err == nil && res.StatusCode != http.StatusSwitchingProtocols {
		err = errors.New(res.Status)
	}
	var got [5]byte
	if err == nil {
		_, _ = io.WriteString(conn, "hello")
		_, err = io.ReadFull(in, got[:])
	}
	if err == nil && string(got[:]) != "hello" {
		err = fmt.Errorf("the socket sends back %q", got)
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("open a socket: %w", err)
	}
	return conn, conn.SetDeadline(time.Time{})
}
