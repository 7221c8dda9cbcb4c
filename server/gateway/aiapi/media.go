package aiapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/body"
)

const (
	// maxResult bounds one image, video or sound, in bytes; maxResults how many a
	// job may have.
	maxResult  = 64 << 20
	maxResults = 64
	// maxURL bounds the address of a result that is not in the answer itself.
	maxURL = 8 << 10
	// fetchTime is what fetching a job's results may take.
	fetchTime = 30 * time.Second
)

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
	answer, err := x.keepResults(m)
	if err != nil {
		return err
	}
	x.sendWhole(http.StatusOK, "application/json", answer)
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
func (x *exchange) make(ctx context.Context, job *inference.Job) (m *made, err error) {
	err = x.collect(ctx, job, maxAnswer, func(b []byte, orchestrator string) error {
		if m, err = readMade(b); err != nil {
			return err
		}
		if err := x.fetchResults(ctx, job, orchestrator, m); err != nil {
			return err
		}
		if got := len(m.results); got < x.wanted {
			x.short, x.came = true, job.Units/inference.Units(x.wanted)*inference.Units(got)
		}
		return nil
	})
	return m, err
}

// fetchResults gets what an answer names, and refuses what is not of the pipeline.
func (x *exchange) fetchResults(ctx context.Context, job *inference.Job, orchestrator string, m *made) error {
	began := time.Now()
	defer func() { x.waited += time.Since(began) }()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	left := x.f.opt.Limits.Results
	for _, p := range m.places {
		data, err := x.get(ctx, orchestrator, m.answer[p.from:p.to], left)
		if err != nil {
			return err
		}
		if err := checkResult(job.Model.Capability, data); err != nil {
			return err
		}
		left -= int64(len(data))
		m.results = append(m.results, newResult(data))
	}
	return nil
}

// get is what a result's URL stands for, a JSON string. left is what the job's
// results may still have together.
func (x *exchange) get(ctx context.Context, orchestrator string, url []byte, left int64) ([]byte, error) {
	url, err := x.unquote(url)
	if err != nil {
		return nil, err
	}
	limit := min(maxResult, left)
	if meta, data, ok := bytes.Cut(url, []byte(",")); ok && bytes.HasPrefix(meta, []byte("data:")) {
		return x.decode(meta, data, limit)
	}
	if len(url) > maxURL {
		return nil, fault.New(fault.ResultFetchFailed, "get result", "its address is longer than any")
	}
	b, err := x.f.opt.Fetcher.Fetch(ctx, orchestrator, string(url), limit, x.grow)
	if limit < maxResult && errors.Is(err, body.ErrTooLarge) {
		return nil, errResultsFull()
	}
	return b, err
}

// unquote is what a JSON string means. Only one with escapes is copied.
func (x *exchange) unquote(text []byte) ([]byte, error) {
	inner := text[1 : len(text)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, nil
	}
	// As a string and as bytes.
	if err := x.grow(2 * int64(len(text))); err != nil {
		return nil, err
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, &fault.Fault{Code: fault.AnswerUnreadable, Op: "read answer", Detail: "a url is no text", Err: err}
	}
	return []byte(s), nil
}

// decode is the data of a data URL, at most limit bytes.
func (x *exchange) decode(meta, data []byte, limit int64) ([]byte, error) {
	const op = "get result"
	const padding = 2 // what a base64 text may stand for less than its length says
	size := int64(base64.StdEncoding.DecodedLen(len(data)))
	switch {
	case !bytes.HasSuffix(meta, []byte(";base64")), size > maxResult+padding:
		return nil, fault.New(fault.ResultFetchFailed, op, "its data URL cannot be read")
	case size > limit+padding:
		return nil, errResultsFull()
	}
	if err := x.grow(size); err != nil {
		return nil, err
	}
	b := make([]byte, size)
	n, err := base64.StdEncoding.Decode(b, data)
	switch {
	case err != nil:
		return nil, &fault.Fault{Code: fault.ResultFetchFailed, Op: op, Detail: "its data URL cannot be read", Err: err}
	case int64(n) > limit:
		return nil, errResultsFull()
	}
	return b[:n], nil
}

// keepResults keeps the results for the client to fetch. It returns the answer
// with their addresses at this gateway in it.
func (x *exchange) keepResults(m *made) ([]byte, error) {
	base, err := x.f.results.put(x.client()+" of "+x.figures.Orchestrator, m.results)
	if err != nil {
		return nil, err
	}
	base = x.origin() + base
	m.urls = make([]string, len(m.results))
	for i, r := range m.results {
		m.urls[i] = base + itoa(int64(i)) + r.ext
	}
	return m.readdressed(x.grow)
}

// origin is the gateway's address as the client has it.
func (x *exchange) origin() string {
	scheme := "http"
	if x.r.TLS != nil || x.r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + x.r.Host
}
