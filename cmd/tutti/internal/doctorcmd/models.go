package doctorcmd

import (
	"context"
	"crypto/tls"
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
	"github.com/tuttinode/tutti/server/http1"
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
func (in *inspection) readModels(ctx context.Context) (modelList, error) {
	if in.cfg.AI.Models == "" || in.LoadModels == nil {
		return modelList{}, nil
	}
	var devices []models.Device
	if !in.cfg.Transcoding.Devices.None() {
		seen, err := in.gpus.Get(ctx)
		if err != nil {
			return modelList{}, err
		}
		devices = in.Devices(seen)
	}
	list, _, err := in.LoadModels(devices)
	return modelList{list, err}, nil
}

func (in *inspection) models(ctx context.Context) (doctor.Models, error) {
	var m doctor.Models
	if in.cfg.AI.Models == "" {
		if in.cfg.LiveAI.SampleSessions == 0 {
			m.Findings = []doctor.Finding{{Code: fault.NoModels, Detail: "-aiModels is not given"}}
		}
		return m, nil
	}
	list, err := in.list.Get(ctx)
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
	in.servers(ctx, list.config, &m)
	if m.Managed {
		in.images(ctx, list.config, &m)
		in.runnerPorts(ctx, list.config, &m)
		in.weights(&m)
	}
	return m, nil
}

// servers asks those that the operator runs.
func (in *inspection) servers(ctx context.Context, list *models.Config, m *doctor.Models) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, serversAtOnce)
	var mu sync.Mutex
	for i := range list.Entries {
		e := &list.Entries[i]
		if e.URL == "" || e.Serverless() {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			err := askModel(ctx, e)
			mu.Lock()
			defer mu.Unlock()
			m.Servers = append(m.Servers, doctor.Peer{Address: modelAt(e), Err: err})
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
	o := backend.Options{
		URL: e.URL, Token: e.Token, Model: e.Model.ID, Served: e.ServedModel, Shared: e.Shared,
		Pipeline: e.Model.Capability, ProbeTimeout: askServer,
	}
	if e.CA != "" {
		own := http1.New(http1.Options{TLS: &tls.Config{RootCAs: models.Roots(e.CA)}})
		o.Transport, o.CloseTransport = own, own.CloseIdleConnections
	}
	server, err := backend.New(o)
	if err != nil {
		return err
	}
	defer server.Close()
	info, err := server.Probe(ctx)
	switch {
	case err == nil && info.Unlisted != "":
		return fault.New(fault.ServedModelUnlisted, "", info.Unlisted)
	case err == nil:
		return nil
	}
	return fault.New(fault.CodeOf(err), "", fault.ForOperator(err))
}

// modelAt names an entry's model and server, with the model's name there where it differs.
func modelAt(e *models.Entry) string {
	name := e.Model.ID
	if e.Served() != name {
		name += " as " + e.Served()
	}
	return name + " at " + hostOf(e.URL)
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

func (in *inspection) images(ctx context.Context, list *models.Config, m *doctor.Models) {
	images, err := in.Images()
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
func (in *inspection) runnerPorts(ctx context.Context, list *models.Config, m *doctor.Models) {
	up := in.up(ctx)
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
func (in *inspection) weights(m *doctor.Models) {
	m.Dir = in.cfg.AI.ModelsDir
	if m.Dir == "" {
		m.Dir = filepath.Join(in.cfg.Storage.DataDir, "models")
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
