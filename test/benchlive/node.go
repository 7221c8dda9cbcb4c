package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
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

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/trickle"
)

// loopback is where everything listens.
const loopback = "127.0.0.1:0"

// selfSigned are the settings towards nodes, which sign their own certificates. Read-only.
var selfSigned = &tls.Config{InsecureSkipVerify: true}

// process is a program that was started.
type process struct{ cmd *exec.Cmd }

func (s settings) start(program string, args ...string) (*process, error) {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getenv("BENCH_LOG") != "" {
		cmd.Stderr = os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w (make build first)", program, err)
	}
	return &process{cmd}, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// kill ends the process at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// self starts this program as one of its children.
func (s settings) self(args ...string) (*process, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return s.start(path, args...)
}

// node starts tutti.
func (s settings) node(args ...string) (*process, error) {
	dir, err := os.MkdirTemp(s.dir, "node")
	if err != nil {
		return nil, err
	}
	return s.start(filepath.Join(s.bin, "tutti"), append(args, "-dataDir", dir)...)
}

// orchestrator is one whose model "noop" is a runner's at an address.
type orchestrator struct {
	*process
	addr, admin string
	http        *http.Client
	token       string
}

func (s settings) orchestrator(ctx context.Context, runner string, capacity int) (*orchestrator, error) {
	models, err := json.Marshal([]map[string]any{{"pipeline": "live-video-to-video", "model_id": "noop", "warm": true,
		"url": "http://" + runner, "capacity": capacity}})
	if err != nil {
		return nil, err
	}
	o := &orchestrator{addr: freeAddress(), admin: freeAddress(), http: trickle.NewHTTPClient(selfSigned, nil)}
	file := filepath.Join(s.dir, "models-"+strings.ReplaceAll(o.addr, ":", "-")+".json")
	if err := os.WriteFile(file, models, 0o600); err != nil {
		return nil, err
	}
	o.process, err = s.node("-orchestrator", "-aiWorker", "-aiModels", file, "-aiAllowUnverified", "-serviceAddr", o.addr,
		"-httpAddr", o.addr, "-cliAddr", o.admin, "-adminProfiling", "-maxConnections", "60000",
		"-maxConnectionsPerAddress", "60000")
	if err != nil {
		return nil, err
	}
	if err = o.reach(ctx); err == nil {
		o.token, err = token(ctx, o.addr)
	}
	if err != nil {
		o.kill()
		return nil, err
	}
	return o, nil
}

// reach waits until the orchestrator has its model.
func (o *orchestrator) reach(ctx context.Context) error {
	return await(ctx, "the model of "+o.addr, func() bool {
		status, text, err := do(ctx, o.http, "GET", "https://"+o.addr+"/status", "")
		return err == nil && status == http.StatusOK && strings.Contains(text, `"ready"`)
	})
}

// token is the credentials of a gateway that asked for an offer.
func token(ctx context.Context, addr string) (string, error) {
	conn, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(credentials.NewTLS(selfSigned)))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	info, err := rpc.NewOrchestratorClient(conn).GetOrchestrator(ctx, &rpc.OrchestratorRequest{})
	if err != nil {
		return "", err
	}
	return rpc.EncodeHeader(rpc.ToSegData(&rpc.SegmentMeta{Token: info.GetAuthToken()}))
}

// channels are those of a session of live video.
type channels struct {
	Publish   string `json:"publish_url"`
	Subscribe string `json:"subscribe_url"`
	Control   string `json:"control_url"`
	Events    string `json:"events_url"`
}

// session begins a session.
func (o *orchestrator) session(ctx context.Context) (*channels, error) {
	status, text, err := do(ctx, o.http, "POST", "https://"+o.addr+"/live-video-to-video", `{"model_id":"noop"}`,
		"Livepeer-Segment", o.token)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("begin a session: status %d: %s", status, text)
	}
	var c channels
	return &c, json.Unmarshal([]byte(text), &c)
}

// do sends a request and returns status and body.
func do(ctx context.Context, c *http.Client, method, url, body string, headers ...string) (int, string, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res.StatusCode, string(data), err
}

// await waits for a condition.
func await(ctx context.Context, what string, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		}
	}
	return nil
}

// freeAddress is a loopback address whose port was free a moment ago.
func freeAddress() string {
	l, err := net.Listen("tcp", loopback)
	if err != nil {
		panic(err) // a machine without loopback measures nothing
	}
	defer l.Close()
	return l.Addr().String()
}

// pause waits, and reports whether ctx still runs.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// over makes the end of a load's time no error.
func over(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, trickle.ErrEnded) {
		return nil
	}
	return err
}
