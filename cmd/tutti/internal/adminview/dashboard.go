package adminview

import (
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/requeststats"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/metrics"
)

// modelList is the AI models of this machine and of workers elsewhere.
type modelList struct{ p *Parts }

// Models returns all of them.
func (m modelList) Models() (out []adminapi.Model) {
	for _, s := range m.p.ModelStates() {
		out = append(out, modelOf(&s))
	}
	if m.p.RemoteWorkers() == nil {
		return out
	}
	for _, w := range m.p.RemoteWorkers().AI.Workers() {
		for i := range w.Models {
			one := modelOf(&w.Models[i])
			one.Remote, one.Devices = true, []string{w.Name}
			out = append(out, one)
		}
	}
	return out
}

func modelOf(s *inference.ModelState) adminapi.Model {
	out := adminapi.Model{
		Pipeline: s.Model.Capability.Pipeline(), Model: s.Model.ID, State: string(s.State), Warm: s.Warm,
		External: s.External,
		Since:    s.Since.UTC(), Code: string(s.Code), Reason: s.Reason, Progress: s.Progress,
		Capacity: s.Capacity, InUse: s.InUse, Waiting: s.Waiting, Devices: s.Devices,
	}
	if out.Devices == nil {
		out.Devices = []string{}
	}
	return out
}

// streams are a gateway's, where nothing is transcoded in this process.
type streams struct{ g *gateway.Gateway }

// Live returns the slowest first.
func (s streams) Live(most int) adminapi.Sessions {
	live := s.g.Live()
	out := make([]adminapi.Session, 0, len(live))
	for _, l := range live {
		if l.Renditions == nil {
			l.Renditions = []string{}
		}
		out = append(out, adminapi.Session{
			ID: l.ID, Stream: l.ID, Peer: l.Orchestrator, Renditions: l.Renditions, PixelsPerSecond: l.PixelsPerSecond,
			Ratio:  l.Ratio,
			Behind: l.Ratio > 1, Segments: l.Segments, Failed: l.Failed, LastCode: l.LastCode, MovedCode: l.MovedCode,
			Since: l.Since.UTC(), Last: l.Last.UTC(),
		})
	}
	return metrics.BoundedSessions(out, most)
}

// graphics are the GPUs that are there.
type graphics struct{ p *Parts }

// GPUs are in the order of their index, with what was measured of them last.
func (g graphics) GPUs() (out []adminapi.GPU) {
	usable := map[device.UUID]bool{}
	for _, d := range g.p.Media.GPUs.Devices() {
		usable[d.UUID] = true
	}
	var why string
	if f := g.p.Media.GPUs.Err(); f != nil {
		why = f.Detail
		if why == "" {
			why = string(f.Code)
		}
	}
	for _, d := range g.p.Media.GPUs.Present() {
		one := adminapi.GPU{ID: strconv.Itoa(d.Index), UUID: string(d.UUID), Name: d.Name, Memory: int64(d.Memory)}
		if !usable[d.UUID] {
			one.Problem = why
		}
		if s, ok := g.p.Media.GPUs.Sample(d.UUID); ok {
			one.Sampled, one.Used, one.Foreign = true, int64(s.Used), int64(s.Foreign)
			one.Load, one.Encoder, one.Decoder = int(s.GPU), int(s.Encoder), int(s.Decoder)
			one.EncoderSessions, one.Temperature, one.Throttled = s.EncoderSessions, s.Temperature, s.Throttled
		}
		out = append(out, one)
	}
	return out
}

// settings are the configuration, its secrets masked.
type settings struct{ p *Parts }

// Settings are in the order of the documents. Of what a reload read, that which takes
// a restart is only pending.
func (s settings) Settings() (out []adminapi.Option) {
	changed := map[string]config.Difference{}
	if last := s.p.Reloader.Last(); last != nil {
		for _, d := range config.Compare(s.p.Config, last.Config) {
			changed[d.Option] = d
		}
	}
	for _, o := range s.p.Config.Settings() {
		one := adminapi.Option{Name: o.Option, Value: o.Value, Origin: o.Origin.String(), Changed: o.Changed}
		switch d, is := changed[o.Option]; {
		case is && d.Live:
			one.Value, one.Origin, one.Changed = d.New, d.Origin.String(), true
		case is:
			one.Pending, one.Changed = d.New, true
		}
		out = append(out, one)
	}
	return out
}

// refusals are what gateways were refused in the last day.
type refusals struct{ book *requeststats.Counter }

// Refusals returns the most frequent first, at most so many.
func (r refusals) Refusals(most int) (out []adminapi.Refusal) {
	for _, a := range r.book.Report().Answers {
		if a.Code == "" {
			continue
		}
		if len(out) == most {
			break
		}
		row, _ := fault.Lookup(a.Code)
		out = append(out, adminapi.Refusal{
			Gateway: a.Gateway, Code: string(a.Code), About: strings.ReplaceAll(string(a.Kind), "_", " "), Count: int64(a.Count),
			Last: a.Last.UTC(), Remedy: row.Remedy,
		})
	}
	return out
}
