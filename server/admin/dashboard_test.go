package admin_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/earnings"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/metrics"
)

// instant transcodes without work.
type instant struct{}

func (instant) Transcode(_ context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	return &core.TranscodeResult{Worker: "cpu", Renditions: make([]core.Rendition, len(job.Profiles))}, nil
}

func (instant) EndSession(core.SessionID) {}

// busy is so many live sessions, each with a segment behind it.
func busy(sessions int) (*metrics.DashboardSessions, *metrics.DashboardSeries) {
	series := metrics.NewDashboardSeries(time.Now)
	watch := metrics.WatchSessions(instant{}, time.Now, series)
	work(watch, sessions)
	return watch, series
}

// work gives every session a segment.
func work(watch *metrics.DashboardSessions, sessions int) {
	for i := range sessions {
		_, _ = watch.Transcode(context.Background(), &core.TranscodeJob{
			Session: core.SessionID(strconv.Itoa(i)), Manifest: core.ManifestID(fmt.Sprintf("stream-%d", i)),
			Duration: 2 * time.Second,
			Profiles: []core.Profile{{Name: "P720p30fps16x9"}, {Name: "P360p30fps16x9"}},
		})
	}
}

// closedBooks are books that count how often they are opened.
type closedBooks struct{ opened atomic.Int64 }

func (c *closedBooks) Winners(context.Context, admin.TicketFilter) ([]pm.Winner, error) {
	c.opened.Add(1)
	return nil, nil
}
func (c *closedBooks) Counts(context.Context) (map[pm.TicketState]int, error) {
	c.opened.Add(1)
	return nil, nil
}
func (c *closedBooks) History(context.Context, protocol.Hash) ([]pm.Progress, error) {
	c.opened.Add(1)
	return nil, nil
}
func (c *closedBooks) Payers(context.Context) []adminapi.Payer { c.opened.Add(1); return nil }
func (c *closedBooks) Income(context.Context, earnings.By) (*earnings.Income, error) {
	c.opened.Add(1)
	return nil, nil
}
func (c *closedBooks) Workers(context.Context) (*earnings.Workers, error) {
	c.opened.Add(1)
	return nil, nil
}
func (c *closedBooks) Overview(context.Context) (*earnings.Overview, error) {
	c.opened.Add(1)
	return nil, nil
}
func (c *closedBooks) Spending(context.Context) (*earnings.Spending, error) {
	c.opened.Add(1)
	return nil, nil
}

// A dashboard costs the same however long the books are: it does not open them. Its
// list of sessions is bounded, too.
func TestDashboardOpensNoBooks(t *testing.T) {
	t.Parallel()
	books := &closedBooks{}
	st := newStation(t, func(o *admin.Options) {
		o.Books = admin.Books{Tickets: books, Payers: books.Payers, Income: books, Spending: books.Spending}
		sessions, series := busy(1000)
		o.Work.Sessions, o.Work.Series = sessions.Live, series.Points
	})
	got := st.get(adminapi.PathDashboard)
	if got.Code != http.StatusOK || books.opened.Load() != 0 {
		t.Errorf("%d, the books were opened %d times", got.Code, books.opened.Load())
	}
	if got.Body.Len() > 60_000 {
		t.Errorf("%d bytes for 1000 sessions", got.Body.Len())
	}
}

// What a dashboard costs with a thousand sessions: the whole answer, made anew.
func BenchmarkDashboard(b *testing.B) {
	var seconds atomic.Int64
	st := stationIn(b.TempDir(), func(o *admin.Options) {
		o.Now = func() time.Time { return time.Unix(1_700_000_000+10*seconds.Add(1), 0) }
		sessions, series := busy(1000)
		o.Work.Sessions, o.Work.Series = sessions.Live, series.Points
	})
	for b.Loop() {
		if got := st.get(adminapi.PathDashboard); got.Code != http.StatusOK {
			b.Fatal(got.Code)
		}
	}
}
