package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	docker "github.com/moby/moby/client"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/llama"
	"github.com/tuttinode/tutti/test/tinymodel"
)

// cold is how long the first request for a model takes whose container has to be
// started, compared with the bare container from its creation until it is healthy.
func (s settings) cold(ctx context.Context, _ *testbed) error {
	engine, err := docker.New(docker.FromEnv)
	if err != nil {
		return err
	}
	defer engine.Close()
	ping, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if _, err := engine.Ping(ping, docker.PingOptions{}); err != nil {
		fmt.Fprintf(s.out, "cold start: NOT MEASURED, no Docker Engine answers (%v)\n\n", err)
		return nil
	}
	tree, err := llama.Tree(ctx)
	if err != nil {
		return err
	}
	if err := llama.Import(ctx, engine, tree); err != nil {
		return err
	}
	weights := filepath.Join(s.dir, "weights")
	if err := errors.Join(os.MkdirAll(weights, 0o755), llama.WriteModel(weights, tinymodel.Options{})); err != nil {
		return err
	}
	var bare, ours []float64
	for range s.runs {
		took, err := bareStart(ctx, engine, weights)
		if err != nil {
			return fmt.Errorf("bare container: %w", err)
		}
		bare = append(bare, took.Seconds()*1000)
		if took, err = s.coldStart(ctx, weights); err != nil {
			return err
		}
		ours = append(ours, took.Seconds()*1000)
	}
	fmt.Fprintf(s.out, "cold start of a llama.cpp container (median of %d)                tutti      peer       ratio\n",
		s.runs)
	s.ratio("request to first token | create to healthy", "ms", figures.Median(ours), figures.Median(bare), 1.2)
	fmt.Fprintf(s.out, "  added %.1f ms (asked 60)\n\n", figures.Median(ours)-figures.Median(bare))
	return nil
}

// bareStart makes the container by itself and waits until it is healthy.
func bareStart(ctx context.Context, engine *docker.Client, weights string) (time.Duration, error) {
	_, port, err := splitAddr(freeAddr())
	if err != nil {
		return 0, err
	}
	inside, _ := network.PortFrom(8000, network.TCP)
	begin := time.Now()
	made, err := engine.ContainerCreate(ctx, docker.ContainerCreateOptions{
		Config: &container.Config{Image: llama.Image, ExposedPorts: network.PortSet{inside: {}}},
		HostConfig: &container.HostConfig{
			PortBindings: network.PortMap{inside: {{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1}),
				HostPort: strconv.Itoa(port)}}},
			Mounts: []mount.Mount{{Type: mount.TypeBind, Source: weights, Target: "/models"}},
		},
	})
	if err != nil {
		return 0, err
	}
	defer func() {
		_, _ = engine.ContainerRemove(context.WithoutCancel(ctx), made.ID, docker.ContainerRemoveOptions{Force: true})
	}()
	if _, err := engine.ContainerStart(ctx, made.ID, docker.ContainerStartOptions{}); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err = llama.AwaitHealthy(ctx, fmt.Sprintf("http://127.0.0.1:%d/health", port))
	return time.Since(begin), err
}

// coldStart asks a fresh node for a model that is not loaded.
func (s settings) coldStart(ctx context.Context, weights string) (time.Duration, error) {
	models := filepath.Join(s.dir, "cold.json")
	text := fmt.Sprintf(`[{"pipeline":"llm","model_id":%q,"warm":false,"price_per_unit":0,"pixels_per_unit":1000000,`+
		`"image":%q}]`, llama.ModelID, llama.Image)
	if err := os.WriteFile(models, []byte(text), 0o600); err != nil {
		return 0, err
	}
	b, service, gateway := &testbed{}, freeAddr(), freeAddr()
	// SIGTERM, so that the node removes its container.
	defer func() {
		for _, p := range b.procs {
			_ = p.Process.Signal(syscall.SIGTERM)
			_ = p.Wait()
		}
	}()
	dir, err := os.MkdirTemp(s.dir, "cold")
	if err != nil {
		return 0, err
	}
	if err := b.run("0,1", nil, filepath.Join(s.bin, "tutti"), "-gateway", "-orchestrator", "-aiWorker", "-aiModels",
		models, "-aiAllowUnverified",
		"-aiModelsDir", weights, "-serviceAddr", service, "-httpAddr", service, "-gatewayAddr", gateway, "-cliAddr",
		freeAddr(), "-dataDir", dir); err != nil {
		return 0, err
	}
	awake, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := llama.AwaitHealthy(awake, "http://"+gateway+"/healthz"); err != nil {
		return 0, err
	}
	c := newClient("http://" + gateway)
	begin, first := time.Now(), time.Duration(0)
	err = c.ask(ctx, fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hi"}],"max_tokens":1,"stream":true}`,
		llama.ModelID), func(int) {
		if first == 0 {
			first = time.Since(begin)
		}
	})
	return first, err
}

func splitAddr(addr string) (string, int, error) {
	a, err := netip.ParseAddrPort(addr)
	return a.Addr().String(), int(a.Port()), err
}
