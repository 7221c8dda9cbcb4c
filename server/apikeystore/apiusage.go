package apikeystore

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
)

// usage answers with what requests used and cost: those of the caller's key, for an admin key those of all, or of the
// one that it names.
func (s *API) usage(c *apiCall) error {
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		return c.method("GET")
	}
	q, err := s.query(c)
	if err != nil {
		return err
	}
	leave, err := s.queries.enter(c.by.Key.ID)
	if err != nil {
		return err
	}
	defer leave()
	list, err := s.sum(c, q)
	if err != nil {
		return err
	}
	rows := make([]apikeys.SpendRow, len(list))
	for i := range list {
		rows[i] = list[i].Row()
	}
	switch format := c.r.URL.Query().Get("format"); format {
	case "", "json":
		return c.send(http.StatusOK, map[string]any{"object": "list", "data": rows})
	case "jsonl":
		var b bytes.Buffer
		out := json.NewEncoder(&b)
		for i := range rows {
			if err := out.Encode(rows[i]); err != nil {
				return fault.Wrap(fault.Unexpected, opManage, err)
			}
		}
		return c.write(http.StatusOK, "application/jsonl", b.Bytes())
	case "csv":
		return c.write(http.StatusOK, "text/csv; charset=utf-8", apikeys.SpendCSV(list))
	}
	return fault.New(fault.RequestUnreadable, opManage, "format is json, jsonl or csv")
}

// sum sums up what was spent, in its turn.
func (s *API) sum(c *apiCall, q apikeys.SpendQuery) ([]apikeys.Spend, error) {
	done, err := s.queries.turns.Acquire(c.r.Context(), c.by.Key.ID)
	switch {
	case errors.Is(err, fairqueue.ErrFull):
		return nil, fault.New(fault.RequestsFull, opManage, "too many requests for what was spent; try again later")
	case err != nil:
		return nil, fault.Wrap(fault.Canceled, opManage, err)
	}
	defer done()
	return s.opt.Keys.Spend(c.r.Context(), q)
}

const (
	// maxRows bounds an answer. A key may have some thousand rows for each of 400 days.
	maxRows = 1 << 14
	// perKey bounds the queries of a key until their answers are read, atOnce those of all that are summed up, and
	// maxWaiting those that wait for that.
	perKey, atOnce, maxWaiting = 2, 4, 256
)

// queries bounds the concurrent queries of what was spent: rows are read from the disk, and answers are in memory.
type queries struct {
	turns *fairqueue.Queue

	mu sync.Mutex
	of map[string]int // guarded by mu, by the ID of a key
}

func newQueries() queries {
	return queries{turns: fairqueue.New(fairqueue.Options{Slots: atOnce, MaxWaiting: maxWaiting}),
		of: make(map[string]int)}
}

// enter begins a query of a key, and leave ends it. The error is the fault ConcurrencyLimited.
func (q *queries) enter(id string) (leave func(), err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.of[id] == perKey {
		return nil, fault.New(fault.ConcurrencyLimited, opManage,
			"two requests of this key for what it spent are in progress")
	}
	q.of[id]++
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.of[id]--; q.of[id] == 0 {
			delete(q.of, id)
		}
	}, nil
}

// query reads the query of a request. The errors are the faults RequestUnreadable, KeyNotAdmin and KeyNotFound.
func (s *API) query(c *apiCall) (q apikeys.SpendQuery, err error) {
	in := c.r.URL.Query()
	q.ID, q.One, q.Most = c.by.Key.ID, true, maxRows
	if which := in.Get("key"); which != "" && which != apikeys.OwnName && which != c.by.Key.ID && which != c.by.Key.Name {
		if err := c.admin(); err != nil {
			return q, err
		}
		state, err := s.find(which)
		if err != nil {
			return q, err
		}
		q.ID = state.Key.ID
	} else if which == "" && c.by.Key.Admin {
		q.ID, q.One = "", false
	}
	if q.From, err = apikeys.ParseDay(in.Get("from")); err == nil {
		q.To, err = apikeys.ParseDay(in.Get("to"))
	}
	if err == nil {
		q.By, err = apikeys.ParseSpendFields(in.Get("by"))
	}
	if err != nil {
		return q, fault.New(fault.RequestUnreadable, opManage, err.Error())
	}
	return q, nil
}
