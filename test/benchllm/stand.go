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
	"strings"
	"syscall"
	"time"
)

// stand is everything that is compared, running: the model server, one proxy
// before it, two proxies with TLS between, and gateway and orchestrator.
type stand struct {
	procs []*exec.Cmd
	// direct, proxy, proxies and gateway are the addresses to ask.
	direct, proxy, proxies, gateway string
	// key is what the gateway asks for.
	key string
	// The processes whose cost counts.
	proxyPIDs, proxiesPIDs, gatewayPIDs, bothPIDs []int
}

func (s settings) start(ctx context.Context) (*stand, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &stand{}
	model, proxy, inner, outer, gateway, service := freeAddr(), freeAddr(), freeAddr(), freeAddr(), freeAddr(), freeAddr()
	b.direct, b.proxy, b.proxies, b.gateway = "http://"+model, "http://"+proxy, "http://"+outer, "http://"+gateway
	fail := func(err error) (*stand, error) {
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
	tutti := filepath.Join(s.bin, "tutti")
	gatewayDir := filepath.Join(s.dir, "gateway")
	if b.key, err = createKey(ctx, tutti, gatewayDir); err != nil {
		return fail(err)
	}
	if err := b.run("1", &b.bothPIDs, tutti, "-orchestrator", "-aiWorker", "-aiModels", models, "-aiAllowUnverified", "-serviceAddr", service,
		"-httpAddr", service, "-cliAddr", freeAddr(), "-dataDir", filepath.Join(s.dir, "orchestrator"), "-monitor"); err != nil {
		return fail(err)
	}
	if err := b.run("1", &b.gatewayPIDs, tutti, "-gateway", "-orchAddr", service, "-httpAddr", gateway, "-cliAddr", freeAddr(),
		"-dataDir", gatewayDir, "-monitor"); err != nil {
		return fail(err)
	}
	b.bothPIDs = append(b.bothPIDs, b.gatewayPIDs...)
	for _, url := range []string{b.direct, b.proxy, b.proxies, b.gateway} {
		if err := b.reach(ctx, url); err != nil {
			return fail(fmt.Errorf("%s: %w", url, err))
		}
	}
	return b, nil
}

// modelsFile is an aiModels.json that names the stand-in.
func (s settings) modelsFile(url string) (string, error) {
	text, err := json.Marshal([]map[string]any{{
		"pipeline": "llm", "model_id": modelID, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1000000, "url": url, "capacity": 4096,
	}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.dir, "aiModels.json")
	return path, os.WriteFile(path, text, 0o600)
}

// createKey makes an API key without limits in the gateway's store.
func createKey(ctx context.Context, tutti, dir string) (string, error) {
	out, err := exec.CommandContext(ctx, tutti, "key", "create", "-name", "bench", "-dataDir", dir).Output()
	if err != nil {
		return "", fmt.Errorf("create an API key: %w", err)
	}
	for word := range strings.FieldsSeq(string(out)) {
		if strings.HasPrefix(word, "tk-") {
			return word, nil
		}
	}
	return "", fmt.Errorf("no key in %q", out)
}

// run starts a process, on one core where that can be had.
func (b *stand) run(core string, pids *[]int, args ...string) error {
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

func (b *stand) stop() {
	for _, p := range b.procs {
		_ = p.Process.Kill()
		_ = p.Wait()
	}
}

// reach waits until a whole answer comes.
func (b *stand) reach(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := newClient(url, b.key).ask(ctx, plainBody, nil)
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
	return &http.Transport{MaxIdleConnsPerHost: 2048, DisableCompression: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
}
