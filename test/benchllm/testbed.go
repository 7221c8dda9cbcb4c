package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// testbed is the running processes that are compared: the model server, one proxy in front of
// it, two proxies with TLS between them, and a gateway with an orchestrator.
type testbed struct {
	procs []*exec.Cmd
	nodes []node
	// direct, proxy, proxies, gateway and open are the addresses that are measured. open is a
	// gateway whose orchestrator takes jobs without TLS, as the server behind the single
	// proxy does.
	direct, proxy, proxies, gateway, open string
	// The processes whose CPU time is measured.
	proxyPIDs, proxiesPIDs, openPIDs, gatewayPIDs, bothPIDs []int
}

// node is a process of tutti.
type node struct{ name, admin, dir string }

func (s settings) start(ctx context.Context) (*testbed, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &testbed{}
	model, proxy, inner, outer := freeAddr(), freeAddr(), freeAddr(), freeAddr()
	b.direct, b.proxy, b.proxies = "http://"+model, "http://"+proxy, "http://"+outer
	fail := func(err error) (*testbed, error) {
		b.stop()
		return nil, err
	}
	for _, p := range []struct {
		pids *[]int
		core string
		args []string
	}{
		{nil, "0", []string{self, "server", model}},
		{&b.proxyPIDs, "1", []string{self, "proxy", proxy, b.direct}},
		{&b.proxiesPIDs, "1", []string{self, "proxy", "tls:" + inner, b.direct}},
		{&b.proxiesPIDs, "1", []string{self, "proxy", outer, "https://" + inner}},
	} {
		if err := b.run(p.core, p.pids, p.args...); err != nil {
			return fail(err)
		}
	}
	models, err := s.modelsFile(b.direct)
	if err != nil {
		return fail(err)
	}
	if err := s.startNodes(ctx, b, "http", models, &b.open, &b.openPIDs, new([]int)); err != nil {
		return fail(err)
	}
	if err := s.startNodes(ctx, b, "https", models, &b.gateway, &b.gatewayPIDs, &b.bothPIDs); err != nil {
		return fail(err)
	}
	b.bothPIDs = append(b.bothPIDs, b.gatewayPIDs...)
	for _, url := range []string{b.direct, b.proxy, b.proxies} {
		if err := reach(ctx, url); err != nil {
			return fail(fmt.Errorf("%s: %w", url, err))
		}
	}
	return b, nil
}

// addresses says which process has which address, for errors that name one.
func (b *testbed) addresses() string {
	return fmt.Sprintf("model server %s, one proxy %s, two proxies %s, gateway %s, gateway without TLS behind %s",
		b.direct, b.proxy, b.proxies, b.gateway, b.open)
}

// startNodes starts an orchestrator that is reached by http or https, and a gateway in front of it.
func (s settings) startNodes(
	ctx context.Context, b *testbed, scheme, models string, url *string, front, behind *[]int,
) error {
	keys, err := s.keysFile()
	if err != nil {
		return err
	}
	tutti, dir := filepath.Join(s.bin, "tutti"), filepath.Join(s.dir, scheme)
	gateway, service := freeAddr(), scheme+"://"+freeAddr()
	*url = "http://" + gateway
	start := func(role string, pids *[]int, args ...string) error {
		n := node{name: scheme + "-" + role, admin: freeAddr(), dir: filepath.Join(dir, role)}
		b.nodes = append(b.nodes, n)
		args = append([]string{tutti, "-" + role, "-cliAddr", n.admin, "-dataDir", n.dir, "-monitor"}, args...)
		if s.profile != "" {
			args = append(args, "-adminProfiling")
		}
		return b.run("1", pids, args...)
	}
	if err := start("orchestrator", behind, "-aiWorker", "-aiModels", models, "-aiAllowUnverified",
		"-serviceAddr", service, "-httpAddr", service); err != nil {
		return err
	}
	if err := start("gateway", front, "-orchAddr", service, "-httpAddr", gateway, "-apiKeys", keys); err != nil {
		return err
	}
	return reach(ctx, *url)
}

// modelsFile writes an aiModels.json with the model server.
func (s settings) modelsFile(url string) (string, error) {
	text, err := json.Marshal([]map[string]any{{
		"pipeline": "llm", "model_id": modelID, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1000000, "url": url,
		"capacity": 4096,
	}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.dir, "aiModels.json")
	return path, os.WriteFile(path, text, 0o600)
}

// keysFile writes a file with the one API key that clients use.
func (s settings) keysFile() (string, error) {
	path := filepath.Join(s.dir, "keys.json")
	return path, os.WriteFile(path, []byte(`[{"name": "bench", "key": "`+apiKey+`"}]`), 0o600)
}

// run starts a process, on one core if taskset is installed.
func (b *testbed) run(core string, pids *[]int, args ...string) error {
	if path, err := exec.LookPath("taskset"); err == nil {
		args = append([]string{path, "-c", core}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = nil
	if os.Getenv("BENCH_LOG") != "" {
		cmd.Stderr = os.Stderr
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w (make build first)", args[0], err)
	}
	b.procs = append(b.procs, cmd)
	if pids != nil {
		*pids = append(*pids, cmd.Process.Pid)
	}
	return nil
}

func (b *testbed) stop() {
	for _, p := range b.procs {
		_ = p.Process.Kill()
		_ = p.Wait()
	}
}

// reach waits until a server gives a whole answer.
func reach(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := newClient(url).ask(ctx, plainBody, nil)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

func freeAddr() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // a machine without loopback measures nothing
	}
	defer l.Close()
	return l.Addr().String()
}

func transport() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 2048, DisableCompression: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
}
