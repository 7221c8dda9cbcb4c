package admin

import (
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin/feed"
)

// Bounds of a dashboard's lists, which are for humans.
const (
	dashboardSessions = 100
	dashboardLines    = 200
	dashboardRefusals = 30
	// dashboardEvery is how often the document for all dashboards is built.
	dashboardEvery = time.Second
	// maxDashboards bounds the streams of events.
	maxDashboards = 256
)

// newFeed makes the stream of dashboards.
func (s *Server) newFeed() *feed.Feed[adminapi.Dashboard] {
	return feed.New(feed.Options[adminapi.Dashboard]{
		Make: s.dashboard, Newer: newerParts, Interval: dashboardEvery, Readers: maxDashboards, Now: s.opts.Now,
	})
}

// newerParts returns the log lines and points that are newer than before.
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

// problems returns the conditions with their severity.
func (s *Server) problems() []adminapi.RatedCondition {
	out := []adminapi.RatedCondition{}
	for _, c := range s.conditionList() {
		out = append(out, adminapi.RatedCondition{Condition: c, Severity: fault.SeverityOf(fault.Code(c.Code)).String()})
	}
	return out
}
