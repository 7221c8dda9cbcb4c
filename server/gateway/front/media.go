package front

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	// maxResult bounds one image, video or sound, in bytes; maxResults how many a
	// job may have.
	maxResult  = 64 << 20
	maxResults = 64
	// fetchTime is what fetching a job's results may take.
	fetchTime = 30 * time.Second
)

// made is an answer with images, a video or a sound in it: the object as it came,
// and the places in it that name them.
type made struct {
	answer map[string]any
	// places are the objects with a url; results what the urls stand for.
	places  []map[string]any
	results []result
}

// makeMedia serves a pipeline that makes images or sound. The answer names
// results that this gateway keeps.
func (x *exchange) makeMedia() error {
	in, err := x.takeForm()
	if err != nil {
		return err
	}
	m, err := x.prepareAndMake(in)
	if err != nil {
		return unlessRefused(err)
	}
	if err := x.keepResults(m); err != nil {
		return err
	}
	x.sendJSON(http.StatusOK, m.answer)
	x.answered = true
	return nil
}

// unlessRefused is nil for errRefused: nothing is left to say.
func unlessRefused(err error) error {
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

// prepareAndMake has the media made that a request asks for.
func (x *exchange) prepareAndMake(in form) (*made, error) {
	ctx := x.r.Context()
	job, err := x.prepare(ctx, in)
	if err != nil {
		return nil, err
	}
	return x.make(ctx, job)
}

// make has media made and gets them.
func (x *exchange) make(ctx context.Context, job *inference.Job) (*made, error) {
	b, answer, err := x.collect(ctx, job)
	if err != nil {
		return nil, err
	}
	m, err := readMade(b)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	defer func() { x.waited += time.Since(began) }()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	for _, p := range m.places {
		data, err := x.get(ctx, answer.Orchestrator, p["url"].(string))
		if err != nil {
			return nil, err
		}
		m.results = append(m.results, newResult(data))
	}
	return m, nil
}

// readMade finds the results in an answer: {"images":[{"url"}]}, {"audio":{"url"}}
// or {"frames":[[{"url"}]]}.
func readMade(b []byte) (*made, error) {
	const op = "read answer"
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber() // seeds are larger than a float can hold
	m := &made{}
	if err := d.Decode(&m.answer); err != nil {
		return nil, &fault.Fault{Code: fault.AnswerUnreadable, Op: op, Detail: "the answer is not a JSON object", Err: err}
	}
	for _, name := range []string{"images", "frames", "audio"} {
		m.find(m.answer[name])
	}
	switch {
	case len(m.places) == 0:
		return nil, fault.New(fault.AnswerUnreadable, op, "the answer has no results")
	case len(m.places) > maxResults:
		return nil, fault.New(fault.AnswerUnreadable, op, "the answer has too many results")
	}
	return m, nil
}

// find collects the objects with a url in v.
func (m *made) find(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			m.find(e)
		}
	case map[string]any:
		if _, ok := v["url"].(string); ok {
			m.places = append(m.places, v)
		}
	}
}

// get is what a result's URL stands for.
func (x *exchange) get(ctx context.Context, orchestrator, url string) ([]byte, error) {
	const op = "get result"
	meta, data, ok := strings.Cut(url, ",")
	if !ok || !strings.HasPrefix(meta, "data:") {
		return x.f.opt.Fetcher.Fetch(ctx, orchestrator, url, maxResult)
	}
	if !strings.HasSuffix(meta, ";base64") || base64.StdEncoding.DecodedLen(len(data)) > maxResult {
		return nil, fault.New(fault.ResultFetchFailed, op, "its data URL cannot be read")
	}
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, &fault.Fault{Code: fault.ResultFetchFailed, Op: op, Detail: "its data URL cannot be read", Err: err}
	}
	return b, nil
}

// keepResults keeps the results for the client to fetch, and puts their addresses
// at this gateway into the answer.
func (x *exchange) keepResults(m *made) error {
	base, err := x.f.results.put(m.results)
	if err != nil {
		return err
	}
	base = x.origin() + base
	for i, p := range m.places {
		p["url"] = base + itoa(int64(i)) + m.results[i].ext
	}
	return nil
}

// origin is the gateway's address as the client has it.
func (x *exchange) origin() string {
	scheme := "http"
	if x.r.TLS != nil || x.r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + x.r.Host
}
