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
	"github.com/tuttinode/tutti/server/admission"
)

const (
	// maxResult bounds one image, video or sound, in bytes; maxResults bounds their number per job.
	maxResult  = 64 << 20
	maxResults = 64
	// maxURL bounds the address of a result that is not inlined in the answer.
	maxURL = 8 << 10
	// fetchTime bounds the download of all results of a job.
	fetchTime = 30 * time.Second
)

// makeMedia serves a pipeline that makes images or sound. The gateway keeps the results and answers
// with their URLs.
func (x *relayedRequest) makeMedia() error {
	in, err := x.readPayload()
	if err != nil {
		return err
	}
	m, err := x.prepareAndMake(in, nil)
	if err != nil {
		return unlessRefused(err)
	}
	answer, err := x.keepResults(m)
	if err != nil {
		return err
	}
	x.sendWhole(http.StatusOK, "application/json", answer)
	x.complete = true
	return nil
}

// unlessRefused is nil for errRefused: the client already has its answer.
func unlessRefused(err error) error {
	if errors.Is(err, errRefused) {
		return nil
	}
	return err
}

// prepareAndMake prepares a request and generates its media. change, if it is not nil, changes them.
func (x *relayedRequest) prepareAndMake(in payload, change func(*mediaAnswer) error) (*mediaAnswer, error) {
	ctx := x.r.Context()
	job, err := x.prepare(ctx, in)
	if err != nil {
		return nil, err
	}
	return x.generate(ctx, job, change)
}

// generate has the media made and downloads the results. An error of change says that they are unusable.
func (x *relayedRequest) generate(ctx context.Context, job *inference.Job, change func(*mediaAnswer) error) (
	m *mediaAnswer, err error) {
	err = x.collect(ctx, job, maxAnswer, func(b []byte, from Source) error {
		if m, err = x.readMedia(ctx, job, b, from); err == nil && change != nil {
			err = change(m)
		}
		return err
	})
	return m, err
}

// readMedia reads an answer and downloads its results.
func (x *relayedRequest) readMedia(ctx context.Context, job *inference.Job, b []byte, from Source) (*mediaAnswer,
	error) {
	m, err := readMediaAnswer(b)
	if err != nil {
		return nil, err
	}
	if err := x.fetchResults(ctx, job, from, m); err != nil {
		return nil, err
	}
	if got := len(m.results); got < x.resultsAsked {
		x.partial, x.unitsDelivered = true, job.Units/inference.Units(x.resultsAsked)*inference.Units(got)
	}
	return m, nil
}

// fetchResults downloads the results that an answer names, and refuses media of another kind.
func (x *relayedRequest) fetchResults(ctx context.Context, job *inference.Job, from Source,
	m *mediaAnswer) error {
	began := time.Now()
	defer func() { x.waited += time.Since(began) }()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	left := x.server.opt.Limits.Results
	for _, p := range m.urlSpans {
		data, err := x.getResult(ctx, from, m.answer[p.from:p.to], left)
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

// getResult returns the data behind a result's URL, a JSON string. left is what the job's results may
// still take together.
func (x *relayedRequest) getResult(ctx context.Context, from Source, url []byte, left int64) ([]byte, error) {
	url, err := x.unquote(url)
	if err != nil {
		return nil, err
	}
	limit := min(maxResult, left)
	if meta, data, ok := bytes.Cut(url, []byte(",")); ok && bytes.HasPrefix(meta, []byte("data:")) {
		return x.decode(meta, data, limit)
	}
	if len(url) > maxURL {
		return nil, fault.New(fault.ResultFetchFailed, "get result", "its address is too long")
	}
	b, err := x.server.opt.Fetcher.Fetch(ctx, from, string(url), limit, x.grow)
	if limit < maxResult && errors.Is(err, admission.ErrBodyTooLarge) {
		return nil, errResultsFull()
	}
	return b, err
}

// unquote decodes a JSON string. Only strings with escapes are copied.
func (x *relayedRequest) unquote(text []byte) ([]byte, error) {
	inner := text[1 : len(text)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner, nil
	}
	// Once as a string and once as bytes.
	if err := x.grow(2 * int64(len(text))); err != nil {
		return nil, err
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, &fault.Fault{Code: fault.AnswerUnreadable, Op: "read answer", Detail: "a url is not a string", Err: err}
	}
	return []byte(s), nil
}

// decode decodes a data URL of at most limit bytes.
func (x *relayedRequest) decode(meta, data []byte, limit int64) ([]byte, error) {
	const op = "get result"
	const padding = 2 // a base64 text may decode to up to two bytes less than its length suggests
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

// keepResults stores the results for the client and returns the answer with their URLs at this
// gateway.
func (x *relayedRequest) keepResults(m *mediaAnswer) ([]byte, error) {
	base, err := x.server.results.put(x.client()+" of "+x.stats.Orchestrator, m.results)
	if err != nil {
		return nil, err
	}
	base = x.origin() + base
	m.urls = make([]string, len(m.results))
	for i, r := range m.results {
		m.urls[i] = base + itoa(int64(i)) + r.ext
	}
	return m.withURLs(x.grow)
}

// origin returns the gateway's base URL as the client sees it.
func (x *relayedRequest) origin() string {
	scheme := "http"
	if x.r.TLS != nil || x.r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + x.r.Host
}
