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

// stand is everything that is compared, running: the model server, one proxy
// before it, two proxies with TLS between, and gateway and orchestrator.
type stand struct {
	procs []*exec.Cmd
	// direct, proxy, proxies, gateway and open are the addresses to ask; open is a
	// gateway whose orchestrator takes jobs without TLS, as the one proxy's server
	// does.
	direct, proxy, proxies, gateway, open string
	// The processes whose cost counts.
	proxyPIDs, proxiesPIDs, openPIDs, gatewayPIDs, bothPIDs []int
}

func (s settings) start(ctx context.Context) (*stand, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &stand{}
	model, proxy, inner, outer := freeAddr(), freeAddr(), freeAddr(), freeAddr()
	b.direct, b.proxy, b.proxies = "http://"+model, "http://"+proxy, "http://"+outer
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
	if err := s.nodes(ctx, b, "http", models, &b.open, &b.openPIDs, new([]int)); err != nil {
		return fail(err)
	}
	if err := s.nodes(ctx, b, "https", models, &b.gateway, &b.gatewayPIDs, &b.bothPIDs); err != nil {
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

// nodes starts an orchestrator that is reached by http or https and a gateway before
// it.
func (s settings) nodes(ctx context.Context, b *stand, scheme, models string, url *string, front, behind *[]int) error {
	keys, err := s.keysFile()
	if err != nil {
		return err
	}
	tutti, dir := filepath.Join(s.bin, "tutti"), filepath.Join(s.dir, scheme)
	gateway, service := freeAddr(), scheme+"://"+freeAddr()
	*url = "http://" + gateway
	if err := b.run("1", behind, tutti, "-orchestrator", "-aiWorker", "-aiModels", models, "-aiAllowUnverified",
		"-serviceAddr", service,
		"-httpAddr", service, "-cliAddr", freeAddr(), "-dataDir", filepath.Join(dir, "orchestrator"),
		"-monitor"); err != nil {
		return err
	}
	if err := b.run("1", front, tutti, "-gateway", "-orchAddr", service, "-httpAddr", gateway, "-cliAddr", freeAddr(),
		"-dataDir", filepath.Join(dir, "gateway"), "-monitor", "-apiKeys", keys); err != nil {
		return err
	}
	return reach(ctx, *url)
}

// modelsFile is an aiModels.json that names the stand-in.
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

// keysFile is a file with the one API key that clients use.
func (s settings) keysFile() (string, error) {
	path := filepath.Join(s.dir, "keys.json")
	return path, os.WriteFile(path, []byte(`[{"name": "bench", "key": "`+apiKey+`"}]`), 0o600)
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
