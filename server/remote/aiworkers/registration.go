package aiworkers

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// Bounds of what a registration says.
const (
	maxModels  = 1024
	maxName    = 64
	maxSlots   = 1 << 16
	maxContext = 1 << 40
	maxReason  = 512
	maxDevices = 64
	maxOps     = 8
	maxRelease = 64
	opRegister = "register AI worker"
)

// registration is a worker's registration request, parsed and bounded.
type registration struct {
	id       remote.Identity
	version  string
	draining bool
	models   []inference.ModelState
}

// readRegistration reads a worker's message. The error is AIWorkerRefused.
func readRegistration(req *rpc.RegisterAIWorkerRequest, id remote.Identity) (*registration, error) {
	r := &registration{id: id, version: clean(req.GetCapabilities().GetVersion(), maxRelease)}
	if id.IsTutti() {
		r.draining = req.GetDraining()
		return r, r.readModels(req.GetModels(), req.GetCapabilities())
	}
	return r, r.readCapabilities(req.GetCapabilities())
}

// readCapabilities reads the models from the constraints, the network's form. A model that
// is not warm there gets a container with its first job.
func (r *registration) readCapabilities(c *rpc.Capabilities) error {
	for id, per := range c.GetConstraints().GetPerCapability() {
		for name, m := range per.GetModels() {
			s := inference.ModelState{
				Model: inference.Model{Capability: capability.ID(id), ID: name},
				State: inference.Absent, Capacity: slots(m.GetCapacity()),
				RunnerVersion: clean(m.GetRunnerVersion(), maxRelease),
			}
			if m.GetWarm() {
				s.State, s.Warm = inference.Ready, true
			}
			if err := r.add(&s); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(r.models, byModel)
	return nil
}

// readModels reads the models from tutti's own field; runner versions are in the
// constraints.
func (r *registration) readModels(models []*rpc.WorkerModel, c *rpc.Capabilities) error {
	per := c.GetConstraints().GetPerCapability()
	for _, m := range models {
		s := inference.ModelState{
			Model: inference.Model{Capability: capability.ID(m.GetCapability()), ID: m.GetModelId()},
			State: state(m.GetState()), Warm: m.GetWarm(), External: m.GetExternal(), Capacity: slots(m.GetCapacity()),
			Code: fault.Code(clean(m.GetCode(), maxName)), Reason: clean(m.GetReason(), maxReason),
			Context: tokens(m.GetContext()), Operations: operations(m.GetOperations()),
			Features:      inference.ReadFeatures(m.GetFeatures(), m.GetLacks()),
			Devices:       r.devices(m.GetDevices()),
			RunnerVersion: clean(per[m.GetCapability()].GetModels()[m.GetModelId()].GetRunnerVersion(), maxRelease),
		}
		if err := r.add(&s); err != nil {
			return err
		}
	}
	return nil
}

// add adds a model, unless no jobs for it can come.
func (r *registration) add(s *inference.ModelState) error {
	_, known := pipeline.Lookup(s.Model.Capability)
	// Workers of the network do not serve live video.
	if known = known || isLive(s.Model) && r.id.IsTutti(); !known || s.Model.ID == "" {
		return nil
	}
	if len(s.Model.ID) > pm.MaxModelID || !utf8.ValidString(s.Model.ID) {
		return fault.New(fault.AIWorkerRefused, opRegister, "the name of a model is too long or no text")
	}
	if len(r.models) == maxModels {
		return fault.New(fault.AIWorkerRefused, opRegister, fmt.Sprintf("more than %d models", maxModels))
	}
	for i := range r.models {
		if r.models[i].Model == s.Model {
			return fault.New(fault.AIWorkerRefused, opRegister, "a model is named twice")
		}
	}
	r.models = append(r.models, *s)
	return nil
}

// devices names a worker's devices after it.
func (r *registration) devices(names []string) []string {
	var out []string
	for _, name := range names[:min(len(names), maxDevices)] {
		out = append(out, strings.TrimSpace(r.id.Name+" "+clean(name, maxName)))
	}
	return out
}

func slots(n uint32) int { return int(min(n, maxSlots)) }

func tokens(n int64) inference.Tokens {
	if n < 0 || n > maxContext {
		return 0
	}
	return inference.Tokens(n)
}

// state parses a state; an unknown one accepts no jobs.
func state(word string) inference.State {
	switch s := inference.State(word); s {
	case inference.Absent, inference.Pulling, inference.Starting, inference.Loading, inference.Ready,
		inference.Failed, inference.Evicted, inference.Draining:
		return s
	}
	return inference.Failed
}

func operations(words []string) []inference.Operation {
	var out []inference.Operation
	for _, w := range words[:min(len(words), maxOps)] {
		if op := inference.Operation(w); slices.Contains(inference.Reported(), op) {
			out = append(out, op)
		}
	}
	return out
}

// clean removes control characters and shortens a text.
func clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text[:min(len(text), 4*most)])
	for len(text) > most {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return strings.TrimSpace(text)
}
