package admin

import (
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin/feed"
)

// What a dashboard has at most: a thousand streams would be no list that people read.
const (
	dashboardSessions = 100
	dashboardLines    = 200
	dashboardRefusals = 30
	// dashboardEvery is how often all dashboards together are made a document.
	dashboardEvery = time.Second
	// maxDashboards bounds the streams of events.
	maxDashboards = 256
)

// Dashboard is where a dashboard's parts come from. Nil parts are left empty. Every
// one answers from memory, at once: it is asked each second while somebody looks.
type Dashboard struct {
	// Gate says whether the node takes work.
	Gate interface{ Gate() adminapi.Gate }
	// Sessions are the live ones, the slowest first, at most so many.
	Sessions interface {
		Live(most int) adminapi.Sessions
	}
	GPUs   interface{ GPUs() []adminapi.GPU }
	Models interface{ Models() []adminapi.Model }
	// Series are the last minutes in steps.
	Series interface{ Points() []adminapi.Point }
	// SeriesStep is how long a step is.
	SeriesStep time.Duration
	Refusals   interface {
		Refusals(most int) []adminapi.Refusal
	}
	// Tail is the end of the log.
	Tail interface {
		Lines(n int) []adminapi.LogEntry
	}
	Settings interface{ Settings() []adminapi.Option }
}

// newFeed makes the stream of dashboards.
func (s *Server) newFeed() *feed.Feed[adminapi.Dashboard] {
	return feed.New(feed.Options[adminapi.Dashboard]{
		Make: s.dashboard, Newer: newerParts, Interval: dashboardEvery, Readers: maxDashboards, Now: s.opts.Now,
	})
}

// newerParts is what of log and series came since before.
func newerParts(before, next adminapi.Dashboard) feed.Appended {
	lines, points := next.Log, next.Series
	if n := len(before.Log); n > 0 {
		for len(lines) > 0 && lines[0].Seq <= before.Log[n-1].Seq {
			lines = lines[1:]
		}
	}
	if n := len(before.Series); n > 0 {
		for len(points) > 0 && points[0].At <= before.Series[n-1].At {
			points = points[1:]
		}
	}
	return feed.Appended{"log": lines, "series": points}
}

// troubles are the conditions with how soon somebody should look.
func (s *Server) troubles() []adminapi.RatedCondition {
	out := []adminapi.RatedCondition{}
	for _, c := range s.conditionList() {
		out = append(out, adminapi.RatedCondition{Condition: c, Severity: fault.SeverityOf(fault.Code(c.Code)).String()})
	}
	return out
}
