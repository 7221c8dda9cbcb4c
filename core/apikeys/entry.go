package apikeys

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// entryFields are the fields of an entry, in the order of the documentation.
func entryFields() []string {
	return []string{"name", "key", "key_sha256", "models", "rpm", "tpm", "concurrency", "budget", "budget_wei",
		"budget_usd", "alert", "period", "expires"}
}

// entry is one object of a key file.
type entry struct {
	name, key, keySHA256, period, expires string
	models                                []string
	rpm, concurrency                      int
	tpm, budget                           int64
	budgetWei, budgetUSD                  string
	alert                                 int
	// at maps each field of the object to its byte offset in the file.
	at map[string]int
}

// entry reads one object of the array.
func (r *fileReader) entry(start int, raw json.RawMessage) {
	before := len(r.problems)
	e := entry{at: make(map[string]int)}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		r.bad(start, "a key is an object, {\"name\": …}")
		return
	}
	for dec.More() {
		field, err := dec.Token()
		at := start + int(dec.InputOffset())
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			r.bad(at, "not JSON")
			return
		}
		r.field(&e, field.(string), at, value)
	}
	r.check(&e, start, len(r.problems) > before)
}

// field reads one field of an object.
func (r *fileReader) field(e *entry, field string, at int, value json.RawMessage) {
	if !slices.Contains(entryFields(), field) {
		r.bad(at, "the field %q is unknown; the fields are %s", field, strings.Join(entryFields(), ", "))
		return
	}
	if _, twice := e.at[field]; twice {
		r.bad(at, "%s is there twice", field)
		return
	}
	e.at[field] = at
	text, whole := "a string in quotes", "a whole number"
	var to any
	var kind string
	switch field {
	case "name":
		to, kind = &e.name, text
	case "key":
		to, kind = &e.key, text
	case "key_sha256":
		to, kind = &e.keySHA256, text
	case "period":
		to, kind = &e.period, text
	case "expires":
		to, kind = &e.expires, text
	case "models":
		to, kind = &e.models, "a list of strings, [\"model\", …]"
	case "budget_wei":
		to, kind = &e.budgetWei, text
	case "budget_usd":
		to, kind = &e.budgetUSD, text
	case "alert":
		to, kind = &e.alert, whole
	case "rpm":
		to, kind = &e.rpm, whole
	case "concurrency":
		to, kind = &e.concurrency, whole
	case "tpm":
		to, kind = &e.tpm, whole
	case "budget":
		to, kind = &e.budget, whole
	}
	if bytes.Equal(value, []byte("null")) || json.Unmarshal(value, to) != nil {
		r.bad(at, "%s is not %s", field, kind)
	}
}

// check validates an entry and adds its key. broken: the entry had a problem before, so that only
// further problems are reported and no key is added.
func (r *fileReader) check(e *entry, start int, broken bool) {
	at := func(field string) int {
		if offset, ok := e.at[field]; ok {
			return offset
		}
		return start
	}
	before := len(r.problems)
	k := Key{Name: e.name, ID: "file:" + e.name, Limits: Limits{
		Models: e.models, RPM: e.rpm, TPM: inference.Tokens(e.tpm), Concurrency: e.concurrency,
		Budget: Budget{Tokens: inference.Tokens(e.budget), Period: Period(e.period)}, Alert: e.alert,
	}}
	if err := k.Budget.SetMoney(e.budgetWei, e.budgetUSD); err != nil {
		r.bad(at("budget_wei"), "%v", err)
	}
	if (k.Budget.Tokens != 0 || k.Budget.Limited()) && k.Budget.Period == "" {
		k.Budget.Period = Total
	}
	if wrong := CheckName(e.name); wrong != "" && !broken {
		r.bad(at("name"), "%s", wrong)
	}
	for _, p := range k.Check() {
		r.bad(at(p.Field), "%s", p)
	}
	if e.expires != "" {
		var err error
		if k.Expires, err = ParseExpiry(e.expires, time.Time{}); err != nil {
			r.bad(at("expires"), "expires is %v", err)
		}
	}
	k.Hash = r.secret(e, at, broken)
	if broken || len(r.problems) > before {
		return
	}
	if line, twice := r.names[k.Name]; twice {
		r.bad(at("name"), "the name %q is already on line %d", k.Name, line)
	}
	if line, twice := r.hashes[k.Hash]; twice {
		r.bad(start, "line %d has the same key", line)
	}
	r.names[k.Name], r.hashes[k.Hash] = r.line(start), r.line(start)
	r.out.Keys = append(r.out.Keys, k)
}

// secret returns the hash of an entry's key, given as key or as key_sha256.
func (r *fileReader) secret(e *entry, at func(string) int, broken bool) Hash {
	switch {
	case e.key != "" && e.keySHA256 != "":
		r.bad(at("key"), "key and key_sha256 are both given; keep one")
	case e.key != "":
		r.out.Secrets = true
		if len(e.key) < minSecret || strings.TrimSpace(e.key) != e.key {
			r.bad(at("key"), "key is shorter than %d characters or has space around it: use a longer random one", minSecret)
		}
		return HashOf(e.key)
	case e.keySHA256 != "":
		h, err := ParseHash(e.keySHA256)
		if err != nil {
			r.bad(at("key_sha256"), "key_sha256 is %v", err)
		}
		return h
	case !broken:
		r.bad(at("name"), "key_sha256 or key is missing")
	}
	return Hash{}
}
