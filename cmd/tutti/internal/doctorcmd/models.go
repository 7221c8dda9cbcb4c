package doctorcmd

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

// Bounds of asking the operator's servers.
const (
	serversAtOnce = 8
	askServer     = 3 * time.Second
)

// modelList is the models file as it was read.
type modelList struct {
	config *models.Config
	err    error
}

func (m modelList) entries() []models.Entry {
	if m.config == nil {
		return nil
	}
	return m.config.Entries
}

// readModels reads the file as the node would.
func (l *look) readModels(ctx context.Context) (modelList, error) {
	if l.cfg.AI.Models == "" || l.LoadModels == nil {
		return modelList{}, nil
	}
	var devices []models.Device
	if !l.cfg.Transcoding.Devices.None() {
		seen, err := l.gpus.Get(ctx)
		if err != nil {
			return modelList{}, err
		}
		devices = l.Devices(seen)
	}
	list, _, err := l.LoadModels(devices)
	return modelList{list, err}, nil
}

func (l *look) models(ctx context.Context) (doctor.Models, error) {
	var m doctor.Models
	if l.cfg.AI.Models == "" {
		m.Findings = []doctor.Finding{{Code: fault.NoModels, Detail: "-aiModels is not given"}}
		return m, nil
	}
	list, err := l.list.Get(ctx)
	if err != nil {
		return m, err
	}
	problems, _ := errors.AsType[models.Problems](list.err)
	for _, p := range problems {
		m.Findings = append(m.Findings, doctor.Finding{Code: p.Code, Detail: p.Error(), Remedy: p.Remedy})
	}
	m.Entries, m.Refused, m.Managed = len(list.entries()), len(list.config.Refused), list.config.Managed()
	for i := range list.config.Entries {
		if list.config.Entries[i].Warm {
			m.Warm++
		}
	}
	l.servers(ctx, list.config, &m)
	if m.Managed {
		l.images(ctx, list.config, &m)
		l.runnerPorts(ctx, list.config, &m)
		l.weights(&m)
	}
	return m, nil
}

// servers asks those that the operator runs.
func (l *look) servers(ctx context.Context, list *models.Config, m *doctor.Models) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, serversAtOnce)
	var mu sync.Mutex
	for i := range list.Entries {
		e := &list.Entries[i]
		if !e.External() {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			err := askModel(ctx, e)
			mu.Lock()
			defer mu.Unlock()
			m.Servers = append(m.Servers, doctor.Peer{Address: e.Model.ID + " at " + hostOf(e.URL), Err: err})
		})
	}
	wg.Wait()
	slices.SortFunc(m.Servers, func(a, b doctor.Peer) int {
		switch {
		case a.Address < b.Address:
			return -1
		case a.Address > b.Address:
			return 1
		}
		return 0
	})
}

func askModel(ctx context.Context, e *models.Entry) error {
	server, err := backend.New(backend.Options{
		URL: e.URL, Token: e.Token, Model: e.Model.ID, Served: e.ServedModel, Pipeline: e.Model.Capability,
		ProbeTimeout: askServer,
	})
	if err != nil {
		return err
	}
	defer server.Close()
	_, err = server.Probe(ctx)
	if err == nil {
		return nil
	}
	return fault.New(fault.CodeOf(err), "", fault.ForOperator(err))
}

// hostOf returns an address without what may be a key.
func hostOf(address string) string {
	u, err := config.ParseURL(address)
	if err != nil {
		return "its url"
	}
	parsed, err := url.Parse(u.Reveal())
	if err != nil {
		return "its url"
	}
	return parsed.Host
}

func (l *look) images(ctx context.Context, list *models.Config, m *doctor.Models) {
	images, err := l.Images()
	if err != nil {
		m.Findings = append(m.Findings, doctor.Finding{Code: fault.CodeOf(err), Detail: fault.ForOperator(err)})
	}
	engine, err := docker.Open(docker.Options{})
	if err != nil {
		return
	}
	defer func() { _ = engine.Close() }()
	ctx, cancel := context.WithTimeout(ctx, askEngine)
	defer cancel()
	seen := map[string]bool{}
	for i := range list.Entries {
		e := &list.Entries[i]
		if e.External() || e.Remote {
			continue
		}
		name, err := images.For(e.Model.Capability.Pipeline(), e.Model.ID, e.Image)
		if err != nil || seen[name] {
			continue
		}
		seen[name] = true
		present, err := engine.ImagePresent(ctx, name)
		if err != nil {
			return // ai.docker says why
		}
		one := doctor.Image{Name: name, Present: present}
		if wrong := docker.CheckTag(name, ""); wrong != nil {
			one.Finding = &doctor.Finding{Code: wrong.Code, Detail: wrong.Detail}
		}
		m.Images = append(m.Images, one)
	}
}

// runnerPorts are the host ports that containers would get first.
func (l *look) runnerPorts(ctx context.Context, list *models.Config, m *doctor.Models) {
	up := l.up(ctx)
	give := docker.NewPorts(func(uint16) bool { return true })
	for i := range list.Entries {
		e := &list.Entries[i]
		for range e.Containers() {
			port, err := give.Take(e.Model.Capability.Pipeline(), e.GPUs.IDs)
			if err != nil {
				return
			}
			p := doctor.Port{Purpose: e.Model.ID, Address: "port " + strconv.Itoa(int(port))}
			tryListen(ctx, &p, config.ListenAddr{Port: int(port)}, up)
			p.Ours = p.Ours || up
			m.Ports = append(m.Ports, p)
		}
	}
}

// weights describes the disk space where models are stored, or will be.
func (l *look) weights(m *doctor.Models) {
	m.Dir = l.cfg.AI.ModelsDir
	if m.Dir == "" {
		m.Dir = filepath.Join(l.cfg.Storage.DataDir, "models")
	}
	for dir := m.Dir; ; dir = filepath.Dir(dir) {
		v, err := volumeOf(dir)
		if err == nil {
			m.Free = v.free
			if dir == m.Dir && canWrite(dir) != nil {
				m.Findings = append(m.Findings, doctor.Finding{Code: fault.ModelsDirUnusable, Detail: reason(canWrite(dir))})
			}
			return
		}
		if dir == filepath.Dir(dir) || !errors.Is(err, fs.ErrNotExist) {
			m.Findings = append(m.Findings, doctor.Finding{Code: fault.ModelsDirUnusable, Detail: m.Dir + ": " + reason(err)})
			return
		}
	}
}
