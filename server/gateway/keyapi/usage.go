package keyapi

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// usage answers with what requests used and cost: those of the caller's key, for an admin key those of all, or of the
// one that it names.
func (s *Server) usage(c *call) error {
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		return c.method("GET")
	}
	q, err := s.query(c)
	if err != nil {
		return err
	}
	list, err := s.opt.Keys.Spend(c.r.Context(), q)
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
				return fault.Wrap(fault.Unexpected, op, err)
			}
		}
		return c.write(http.StatusOK, "application/jsonl", b.Bytes())
	case "csv":
		return c.write(http.StatusOK, "text/csv; charset=utf-8", apikeys.SpendCSV(list))
	}
	return fault.New(fault.RequestUnreadable, op, "format is json, jsonl or csv")
}

// query reads what is asked for. The errors are the faults RequestUnreadable, KeyNotAdmin and KeyNotFound.
func (s *Server) query(c *call) (q apikeys.SpendQuery, err error) {
	in := c.r.URL.Query()
	q.ID, q.One = c.by.Key.ID, true
	if which := in.Get("key"); which != "" && which != "self" && which != c.by.Key.ID && which != c.by.Key.Name {
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
		return q, fault.New(fault.RequestUnreadable, op, err.Error())
	}
	return q, nil
}
