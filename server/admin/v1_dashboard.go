package admin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin/feed"
)

// eventTimeout is what a reader of events gets to take one.
const eventTimeout = 10 * time.Second

func dashboardEndpoints() []endpoint {
	events := adminapi.Route{Method: http.MethodGet, Path: adminapi.PathEvents, Stream: true,
		Summary: "The dashboard as it changes, a stream of server-sent events",
		Detail: "The event whole has a Dashboard, update the fields of it that changed (of log and series what is new), " +
			"beat nothing. A reader that is too slow is cut off and starts again with whole."}
	return []endpoint{
		{Route: get(adminapi.PathDashboard, "What a dashboard shows, made at most once a second", adminapi.Dashboard{}),
			serve: func(s *Server, r *http.Request) (any, error) { return s.feed.Latest(r.Context()), nil }},
		{Route: events, serve: eventsV1},
	}
}

// stream is an answer that goes on until its reader leaves or the listener ends.
type stream struct{ reader *feed.Reader }

func eventsV1(s *Server, r *http.Request) (any, error) {
	reader, err := s.feed.Join(r.Context())
	switch {
	case errors.Is(err, feed.ErrFull):
		return nil, fault.New(fault.AdminStreamsFull, "admin request", "")
	case err != nil:
		return nil, fault.New(fault.Draining, "admin request", "the listener is not running")
	}
	return stream{reader}, nil
}

// writeStream passes events on, each with its own time.
func (s *Server) writeStream(w http.ResponseWriter, r *http.Request, out stream) {
	defer out.reader.Leave()
	if r.Method == http.MethodHead {
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	// The request has been read; what comes after it would end the stream.
	_ = control.SetReadDeadline(time.Time{}) // not every writer can, as above
	for {
		select {
		case <-r.Context().Done():
			return
		case event, ok := <-out.reader.Events():
			if !ok {
				return
			}
			_ = control.SetWriteDeadline(time.Now().Add(eventTimeout))
			if _, err := w.Write(event); err != nil {
				return
			}
			if control.Flush() != nil {
				return
			}
		}
	}
}

// dashboard returns the document of the moment.
func (s *Server) dashboard(context.Context) adminapi.Dashboard {
	d, n := &s.opts.Work, &s.opts.Node
	out := adminapi.Dashboard{
		Node: s.node(), Conditions: s.problems(), Chain: s.chainGlance(), SeriesStep: int(d.SeriesStep / time.Second),
		Gate: adminapi.Gate{WorkKinds: []adminapi.WorkKind{}}, Sessions: adminapi.Sessions{List: []adminapi.Session{}},
		GPUs: []adminapi.GPU{}, Models: []adminapi.Model{}, Series: []adminapi.Point{}, Refusals: []adminapi.Refusal{},
		Log: []adminapi.LogEntry{}, Settings: []adminapi.Option{}, Workers: []adminapi.Worker{},
		Runners: []adminapi.LiveRunner{}, Capabilities: []adminapi.Capability{},
	}
	if d.Workers != nil {
		out.Workers = orEmpty(d.Workers.Workers())
	}
	if d.Runners != nil {
		out.Runners = orEmpty(d.Runners.Runners())
	}
	if d.Capabilities != nil {
		out.Capabilities = orEmpty(d.Capabilities.Capabilities())
	}
	if d.Gate != nil {
		out.Gate = d.Gate()
		out.Gate.WorkKinds = orEmpty(out.Gate.WorkKinds)
	}
	if n.Drains != nil {
		drain := n.Drains.Drain()
		out.Gate.Drain = &drain
	}
	if d.Sessions != nil {
		out.Sessions = d.Sessions(dashboardSessions)
		out.Sessions.List = orEmpty(out.Sessions.List)
	}
	if d.GPUs != nil {
		out.GPUs = orEmpty(d.GPUs())
	}
	if d.ModelStates != nil {
		out.Models = orEmpty(d.ModelStates())
	}
	if d.Series != nil {
		out.Series = orEmpty(d.Series())
	}
	if d.Refusals != nil {
		out.Refusals = orEmpty(d.Refusals(dashboardRefusals))
	}
	if n.LogTail != nil {
		out.Log = orEmpty(n.LogTail(dashboardLines))
	}
	if n.Settings != nil {
		out.Settings = orEmpty(n.Settings())
	}
	return out
}

// chainGlance returns the chain in short, nil off-chain.
func (s *Server) chainGlance() *adminapi.ChainGlance {
	c := s.opts.Chain
	if c == nil {
		return nil
	}
	whole := s.chainOf()
	return &adminapi.ChainGlance{Known: whole.Known, Stale: whole.Stale, Round: whole.Round,
		Head: uint64(whole.Head.Number),
		L1:   uint64(whole.Head.L1), HeadTime: whole.Head.Time, Endpoints: whole.Endpoints}
}
