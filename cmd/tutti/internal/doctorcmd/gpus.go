package doctorcmd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// How long parts may take.
const (
	askDriver = 8 * time.Second
	askEngine = 4 * time.Second
	tryWorker = 9 * time.Second
)

// findGPUs asks the driver in a process of its own, as the node does.
func (in *inspection) findGPUs(ctx context.Context) (*gpus.Watcher, error) {
	return gpus.Find(ctx, gpus.Options{Selection: in.cfg.Transcoding.Devices}, askDriver), nil
}

func (in *inspection) cards(ctx context.Context) (doctor.GPUs, error) {
	seen, err := in.gpus.Get(ctx)
	if err != nil {
		return doctor.GPUs{}, err
	}
	g := doctor.GPUs{Driver: seen.Driver().Version}
	for _, f := range seen.Faults() {
		g.Findings = append(g.Findings, doctor.Finding{Code: f.Code, Detail: f.Detail})
	}
	for _, d := range seen.Present() {
		s, _ := seen.Sample(d.UUID)
		g.Devices = append(g.Devices, doctor.Card{
			Name: d.Name, ID: d.ID(), Encodes: d.Encodes, Memory: int64(d.Memory), Foreign: int64(s.Foreign),
			Throttled: s.Throttled, Temperature: s.Temperature, Uncorrected: s.Uncorrected,
		})
	}
	return g, nil
}

// media lets a worker of the CPU make a clip of H.264, unless a node runs, whose
// workers show what they can do by themselves.
func (in *inspection) media(ctx context.Context) (doctor.Media, error) {
	m := doctor.Media{}
	if in.up(ctx) || in.StartWorker == nil {
		return m, nil
	}
	ctx, cancel := context.WithTimeout(ctx, tryWorker)
	defer cancel()
	client, err := in.StartWorker(ctx)
	if err != nil {
		m.Findings = append(m.Findings, doctor.Finding{Code: fault.WorkerStartFailed, Detail: fault.ForOperator(err)})
		return m, nil
	}
	defer func() { _ = client.Close() }()
	if err := client.Degraded(); err != nil {
		m.Findings = append(m.Findings, doctor.Finding{Code: fault.CodeOf(err), Detail: fault.ForOperator(err)})
	}
	began := in.Now()
	if err := devices.NewDevice(client, devices.ProbeOptions{}).Reprobe(ctx); err != nil {
		m.Findings = append(m.Findings, doctor.Finding{Code: fault.DeviceTestFailed, Detail: fault.ForOperator(err)})
		return m, nil
	}
	m.Device, m.Took = client.Device(), in.Now().Sub(began)
	return m, nil
}

func (in *inspection) docker(ctx context.Context) (doctor.Docker, error) {
	d := doctor.Docker{GPUs: toolkit("/")}
	ctx, cancel := context.WithTimeout(ctx, askEngine)
	defer cancel()
	engine, err := docker.Open(docker.Options{})
	if err == nil {
		defer func() { _ = engine.Close() }()
		var v docker.Version
		if v, err = engine.Ping(ctx); err == nil {
			d.Version = v.Engine
			if missing, err := engine.Missing(ctx); err == nil && len(missing) > 0 {
				d.Findings = append(d.Findings,
					doctor.Finding{Code: fault.ContainerSandboxDegraded, Detail: strings.Join(missing, "; ")})
			}
			return d, nil
		}
	}
	code := fault.CodeOf(err)
	if code == fault.DeadlineExceeded || errors.Is(err, context.DeadlineExceeded) {
		code = fault.DockerFailed
	}
	d.Findings = append(d.Findings, doctor.Finding{Code: code, Detail: fault.ForOperator(err)})
	return d, nil
}

// toolkit reports whether the GPU container toolkit is installed and the engine of this
// machine may use it.
func toolkit(root string) bool {
	if text, err := os.ReadFile(filepath.Join(root, "etc/docker/daemon.json")); err == nil &&
		strings.Contains(string(text), "nvidia") {
		return true
	}
	for _, dir := range []string{"etc/cdi", "var/run/cdi"} {
		if files, _ := filepath.Glob(filepath.Join(root, dir, "nvidia*")); len(files) > 0 {
			return true
		}
	}
	_, err := exec.LookPath("nvidia-container-runtime-hook")
	return err == nil
}
