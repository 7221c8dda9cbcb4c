package manager

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const opPull = "pull a model"

// retryTimeout bounds the wait for a failed model to be retried after a pull.
const retryTimeout = 5 * time.Second

// PullPart is an image or weights that a model needs before its first job.
type PullPart struct {
	Kind PullKind
	// Name is that of the image, or of the model at a server.
	Name string
	// Digest is the image's in its registry, "" if unknown.
	Digest string
	State  PullState
	// ToDo says what the operator has to do, "" for nothing.
	ToDo string
}

// PullKind is the kind of a part.
type PullKind string

// The kinds: a container's image, and the model itself.
const (
	PullImage   PullKind = "image"
	PullWeights PullKind = "weights"
)

// PullState is the state of a part after Pull.
type PullState string

// The states. PullManual is for weights that the node can neither fetch nor find.
const (
	PullPresent PullState = "present"
	PullMissing PullState = "missing"
	PullPulled  PullState = "pulled"
	PullManual  PullState = "manual"
)

// PullProgress is the progress of one part.
type PullProgress struct {
	Kind PullKind
	Name string
	// Done and Total are bytes, 0 while they are not known.
	Done, Total int64
	// Ready of Layers of an image are unpacked.
	Ready, Layers int
}

// Pull fetches what a model needs before its first job: the images of its containers, and
// the weights if a server or a container can fetch them. A container that may download its
// weights is started for this, and a cold model is unloaded again. With dry it only checks.
// report is called one call at a time and must not block. Pull ends with ctx; pulls that a
// runner waits for continue.
func (m *Manager) Pull(
	ctx context.Context, id inference.Model, dry bool, report func(PullProgress),
) ([]PullPart, error) {
	var parts []PullPart
	images := make(map[string]bool)
	for _, j := range m.pullersOf(id) {
		j.dry, j.report, j.images = dry, report, images
		err := j.pull(ctx)
		parts = append(parts, j.parts...)
		if err != nil {
			return parts, err
		}
	}
	if len(parts) == 0 {
		return nil, fault.New(fault.ModelNotServed, opPull, id.String())
	}
	return parts, nil
}

// pullersOf returns a puller for each entry of a model. Equal entries of containers share one.
func (m *Manager) pullersOf(id inference.Model) (out []*puller) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.entries {
		if p.entry.Model != id {
			continue
		}
		at := slices.IndexFunc(out, func(have *puller) bool {
			return !p.entry.external() && reflect.DeepEqual(have.entry, p.entry)
		})
		if at < 0 {
			at = len(out)
			out = append(out, &puller{m: m, model: p.model, entry: p.entry})
		}
		out[at].runners = append(out[at].runners, p.runner)
	}
	return out
}

// puller pulls for one entry.
type puller struct {
	m       *Manager
	model   *model
	entry   *Entry
	runners []*runner

	dry    bool
	report func(PullProgress)
	// images are those already handled for an earlier entry of the model.
	images map[string]bool
	parts  []PullPart
}

func (p *puller) pull(ctx context.Context) error {
	if p.entry.external() {
		return p.atServer(ctx)
	}
	if err := p.image(ctx); err != nil {
		return err
	}
	return p.weights(ctx)
}

func (p *puller) add(part PullPart) { p.parts = append(p.parts, part) }

// image fetches the image of the entry's containers.
func (p *puller) image(ctx context.Context) error {
	o := p.m.o
	if o.NoContainers != nil {
		return o.NoContainers
	}
	if o.Engine == nil {
		return fault.New(fault.ModelNoEngine, opPull, "no Docker Engine is set up")
	}
	name, err := o.Images(p.entry)
	if err != nil || p.images[name] {
		return err
	}
	p.images[name] = true
	part := PullPart{Kind: PullImage, Name: name, State: PullPresent}
	var present bool
	if part.Digest, present, err = o.Engine.ImageDigest(ctx, name); err != nil {
		return err
	}
	switch {
	case !present && p.dry:
		part.State = PullMissing
	case !present:
		part.State = PullPulled
		if err := p.fetch(ctx, name); err != nil {
			return err
		}
		if part.Digest, _, err = o.Engine.ImageDigest(ctx, name); err != nil {
			return err
		}
	}
	p.add(part)
	return nil
}

func (p *puller) fetch(ctx context.Context, image string) error {
	ctx, cancel := context.WithTimeout(ctx, p.m.o.PullTimeout)
	defer cancel()
	err := p.m.o.Engine.EnsureImage(ctx, image, func(now docker.Progress) {
		p.report(PullProgress{PullImage, image, now.Done, now.Total, now.Ready, now.Layers})
	})
	if err == nil {
		p.retry()
	}
	return err
}

// retry makes failed runners of the entry retry at once.
func (p *puller) retry() {
	for _, r := range p.runners {
		poke(r.pulled)
		poke(r.probeNow)
	}
}

// weights makes the entry's container fetch its weights, if it may.
func (p *puller) weights(ctx context.Context) error {
	part := PullPart{Kind: PullWeights, Name: p.entry.Model.ID, State: PullManual}
	loaded := p.model.snapshot.Load().State == inference.Ready
	switch s := p.entry.Sandbox; {
	case loaded:
		part.State = PullPresent
	case !s.Network:
		part.ToDo = "its container has no network: put the weights into " + p.m.o.ModelsDir + " or into the image"
	case !s.WriteModels:
		part.ToDo = `its container downloads at each start, because the entry has no "write_models": true`
	case p.dry:
		part.State, part.ToDo = PullMissing, "its container would be started to download what is not in "+p.m.o.ModelsDir
	default:
		if err := p.load(ctx); err != nil {
			return err
		}
		part.State = PullPulled
	}
	p.add(part)
	return nil
}

// load starts a container of the model, which downloads its weights. A cold model is
// stopped again unless a job came meanwhile.
func (p *puller) load(ctx context.Context) error {
	p.report(PullProgress{Kind: PullWeights, Name: p.entry.Model.ID})
	p.retry()
	p.awaitRetry(ctx)
	slot, err := p.m.Reserve(ctx, p.entry.Model, "pull")
	if err != nil {
		return err
	}
	slot.Release()
	for _, r := range p.runners {
		if r.entry.cold() && r.ready.Load() {
			poke(r.evict)
		}
	}
	return nil
}

// awaitRetry waits up to retryTimeout until the model is no longer Failed.
func (p *puller) awaitRetry(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, retryTimeout)
	defer cancel()
	tick := time.NewTicker(pickInterval)
	defer tick.Stop()
	for p.model.snapshot.Load().State == inference.Failed {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// atServer makes the server behind the entry's url fetch the model, unless it has it.
func (p *puller) atServer(ctx context.Context) error {
	b, err := p.m.o.Backends(p.entry, p.entry.URL)
	if err != nil {
		return err
	}
	defer b.Close()
	server, ok := b.(backend.Puller)
	if !ok {
		return fault.New(fault.ModelPullFailed, opPull, "this server fetches no models on request")
	}
	part := PullPart{Kind: PullWeights, State: PullPresent}
	part.Name, err = server.Find(ctx)
	switch {
	case err == nil:
	case !errors.Is(err, fault.RunnerModelMissing):
		return err
	case p.dry:
		part.Name, part.State = p.entry.Model.ID, PullMissing
	default:
		part.State = PullPulled
		part.Name, err = server.Pull(ctx, func(now backend.PullProgress) {
			p.report(PullProgress{Kind: PullWeights, Name: now.Name, Done: now.Done, Total: now.Total})
		})
		if err != nil {
			return err
		}
		p.retry()
	}
	p.add(part)
	return nil
}
