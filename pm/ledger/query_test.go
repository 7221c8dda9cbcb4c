//go:build cgo

package ledger_test

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

func TestTotalsAreChosenAndToldApart(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stream, model := account(0, "stream"), account(1, "33_a/model")
	later := credit(model, 1, 1, 2)
	later.At, later.Round = start.Add(24*time.Hour), 9
	work := debit(model, 6)
	work.Pipeline, work.Model, work.Worker, work.Produced, work.Round = "llm", "a/model", "gpu0", 4, 9
	unbilled := work
	unbilled.Units, unbilled.Produced = 0, 7
	must(t, b.Append(t.Context(), pm.Entries{
		Credits: []pm.Credit{credit(stream, 0, 1), later}, Debits: []pm.Debit{work, unbilled, debit(stream, 3)},
		Winners: []pm.Winner{winner(stream, 0, 1)},
	}))
	tests := []struct {
		query ledger.Query
		want  string
	}{
		{ledger.Query{}, "3 tickets 2 jobs 11 produced"},
		{ledger.Query{Sender: model.Sender}, "2 tickets 1 jobs 11 produced"},
		{ledger.Query{FromRound: 8}, "2 tickets 1 jobs 11 produced"},
		{ledger.Query{ToRound: 8}, "1 tickets 1 jobs 0 produced"},
		{ledger.Query{FromDay: ledger.DayOf(start) + 1}, "2 tickets 0 jobs 0 produced"},
		{ledger.Query{ToDay: ledger.DayOf(start)}, "1 tickets 2 jobs 11 produced"},
		{ledger.Query{By: ledger.ByPipeline | ledger.ByModel},
			"llm a/model 2 tickets 1 jobs 11 produced, transcoding 1 tickets 1 jobs 0 produced"},
		{ledger.Query{By: ledger.ByWorker},
			"3 tickets 0 jobs 0 produced, cpu 0 tickets 1 jobs 0 produced, gpu0 0 tickets 1 jobs 11 produced"},
		{ledger.Query{By: ledger.ByDay}, "2026-03-01 1 tickets 2 jobs 11 produced, 2026-03-02 2 tickets 0 jobs 0 produced"},
	}
	for _, tt := range tests {
		totals, err := b.Totals(t.Context(), tt.query)
		must(t, err)
		if got := text(totals); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.query, got, tt.want)
		}
	}
}

func text(totals []ledger.Total) string {
	var rows []string
	for _, s := range totals {
		var words []string
		if s.Day != 0 {
			words = append(words, s.Day.String())
		}
		for _, w := range []string{s.Pipeline, s.Model, s.Worker} {
			if w != "" {
				words = append(words, w)
			}
		}
		rows = append(rows, strings.Join(append(words, number(s.Tickets)+" tickets", number(s.Jobs)+" jobs",
			s.Produced.String()+" produced"), " "))
	}
	return strings.Join(rows, ", ")
}

// A reader of its own sees the books whole at every moment, and holds nobody up.
func TestReadingWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	connect(t, dir) // makes the file
	if onPostgres() {
		readWhileWriting(t, dir, readStore(t, dir))
		return
	}
	q := url.Values{"mode": {"ro"}, "_txlock": {"deferred"}, "_busy_timeout": {"5000"}}
	reader, err := sql.Open("sqlite3", "file:"+(&url.URL{Path: filepath.Join(dir,
		database.FileName)}).EscapedPath()+"?"+q.Encode())
	must(t, err)
	readWhileWriting(t, dir, reader)
}

func readWhileWriting(t *testing.T, dir string, reader *sql.DB) {
	t.Helper()
	defer reader.Close()
	b := open(t, dir, func(o *ledger.Options) { o.Reader = reader })
	done := make(chan struct{})
	go func() {
		defer close(done)
		pay(t, b, 0, 1000, 2, true)
	}()
	for looks := 0; ; looks++ {
		repairHeight(t, b.Reader)
		select {
		case <-done:
			if r := repairHeight(t, b.Reader); r.Tickets != 2000 || r.Winners != 1000 {
				t.Errorf("%+v after %d looks", r, looks)
			}
			return
		default:
		}
	}
}

func TestEdges(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	owner := account(0, "stream")
	broken := func(change func(*pm.Credit)) pm.Entries {
		c := credit(owner, 0, 1)
		change(&c)
		return pm.Entries{Credits: []pm.Credit{c}}
	}
	foreign := winner(owner, 0, 1)
	foreign.Account.Sender = sender(5)
	wrong := []pm.Entries{
		broken(func(c *pm.Credit) { c.FaceValue = core.Wei{} }),
		broken(func(c *pm.Credit) { c.WinProb = [32]byte{} }),
		broken(func(c *pm.Credit) { c.RandHash = [32]byte{} }),
		broken(func(c *pm.Credit) { c.Account.Sender = core.Address{} }),
		broken(func(c *pm.Credit) { c.Round = 1 << 63 }),
		broken(func(c *pm.Credit) { c.At = time.Time{} }),
		broken(func(c *pm.Credit) { c.Session = core.SessionID(strings.Repeat("x", 5000)) }),
		{Debits: []pm.Debit{{Account: owner, Produced: -2, At: start}}},
		{Debits: []pm.Debit{{Account: owner, Price: pm.Price{PerUnit: -1}, At: start}}},
		{Closings: []pm.Closing{{Account: owner, Round: 1 << 63, At: start}}},
		{Winners: []pm.Winner{{Account: owner, Won: start}}},
		{Winners: []pm.Winner{foreign}},
		{Winners: []pm.Winner{winner(owner, 0, 1), winner(owner, 0, 1)}},
	}
	for i, e := range wrong {
		if err := b.Append(t.Context(), e); fault.CodeOf(err) != fault.LedgerRefused {
			t.Errorf("%d: %v", i, err)
		}
		b.Book(e)
	}
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)},
		Winners: []pm.Winner{winner(owner, 0, 1)}}))
	must(t, b.Progress(t.Context(), pm.Progress{Hash: winner(owner, 0, 1).Hash, State: pm.TicketFailed,
		Reason: strings.Repeat("ö", 4000), At: start}))
	if r := repairHeight(t, b.Reader); r.Entries != 1 || r.Winners != 1 {
		t.Errorf("%+v", r)
	}
}
