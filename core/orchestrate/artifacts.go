package orchestrate

import (
	"container/list"
	"context"
	"encoding/hex"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// artifactLife is how long what a job made stays for download.
	artifactLife = 10 * time.Minute
	// artifactIDBytes is the random part of its name, written as hex.
	artifactIDBytes = 4
)

// artifactTypes are what may be kept, by the name's extension.
var artifactTypes = map[string]string{
	"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp", "gif": "image/gif",
	"mp4": "video/mp4", "wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac",
}

// ArtifactExt is the extension under which media of a type is kept, "" for media
// that is not.
func ArtifactExt(mime string) string {
	for ext, m := range artifactTypes {
		if m == mime {
			return ext
		}
	}
	return ""
}

// ArtifactPath names what a job made: <job>/<8 hex digits>.<ext>. It needs no
// escaping in a URL.
type ArtifactPath struct {
	Job, ID, Ext string
}

// String is the path as it stands in a URL.
func (p ArtifactPath) String() string { return p.Job + "/" + p.ID + "." + p.Ext }

// MIME is the type of what the path names.
func (p ArtifactPath) MIME() string { return artifactTypes[p.Ext] }

// ParseArtifactPath reads what String writes, and nothing else.
func ParseArtifactPath(text string) (ArtifactPath, bool) {
	job, file, ok := strings.Cut(text, "/")
	id, ext, dot := strings.Cut(file, ".")
	p := ArtifactPath{Job: job, ID: id, Ext: ext}
	return p, ok && dot && plainDir(job) && validSessionID(id) && p.MIME() != ""
}

// Artifacts keeps in memory what AI jobs made, for ten minutes and bounded by
// bytes: the oldest makes room. Its methods may be called at the same time.
type Artifacts struct {
	max int64
	now func() time.Time

	// mu guards what follows.
	mu      sync.Mutex
	used    int64
	order   *list.List // of *artifact, oldest first
	byPath  map[ArtifactPath]*list.Element
	changed chan struct{} // closed and replaced when one was fetched
}

type artifact struct {
	path    ArtifactPath
	data    []byte
	at      time.Time
	fetched bool
}

// NewArtifacts makes a store of at most maxBytes.
func NewArtifacts(maxBytes int64, now func() time.Time) *Artifacts {
	return &Artifacts{
		max: maxBytes, now: now, order: list.New(),
		byPath: make(map[ArtifactPath]*list.Element), changed: make(chan struct{}),
	}
}

// Put keeps data, which must not be changed afterwards, under a fresh name. The
// error is ArtifactsFull.
func (a *Artifacts) Put(random io.Reader, job, ext string, data []byte) (ArtifactPath, error) {
	const op = "keep artifact"
	size := int64(len(data))
	if size > a.max || artifactTypes[ext] == "" || !plainDir(job) {
		return ArtifactPath{}, fault.New(fault.ArtifactsFull, op, "")
	}
	var id [artifactIDBytes]byte
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return ArtifactPath{}, fault.Wrap(fault.Unexpected, op, err)
	}
	p := ArtifactPath{Job: job, ID: hex.EncodeToString(id[:]), Ext: ext}
	a.mu.Lock()
	defer a.mu.Unlock()
	if e, ok := a.byPath[p]; ok {
		a.drop(e)
	}
	for a.used+size > a.max {
		a.drop(a.order.Front())
	}
	a.used += size
	a.byPath[p] = a.order.PushBack(&artifact{path: p, data: data, at: a.now()})
	return p, nil
}

// Get finds what a path names. The bytes are shared: they must not be changed.
func (a *Artifacts) Get(p ArtifactPath) ([]byte, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.byPath[p]
	if !ok {
		return nil, false
	}
	it := e.Value.(*artifact)
	if !it.fetched {
		it.fetched = true
		close(a.changed)
		a.changed = make(chan struct{})
	}
	return it.data, true
}

// Sweep drops what is too old at now.
func (a *Artifacts) Sweep(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for e := a.order.Front(); e != nil && now.Sub(e.Value.(*artifact).at) >= artifactLife; e = a.order.Front() {
		a.drop(e)
	}
}

// Bytes is what the artifacts take up.
func (a *Artifacts) Bytes() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}

// AwaitFetched returns when everything that a gateway may still want was
// fetched, or with ctx's error.
func (a *Artifacts) AwaitFetched(ctx context.Context) error {
	for {
		a.mu.Lock()
		wanted, changed := a.wanted(a.now()), a.changed
		a.mu.Unlock()
		if !wanted {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// wanted reports whether a young artifact was not fetched. The caller holds mu.
func (a *Artifacts) wanted(now time.Time) bool {
	for e := a.order.Back(); e != nil; e = e.Prev() {
		it := e.Value.(*artifact)
		if now.Sub(it.at) >= fetchTime {
			return false
		}
		if !it.fetched {
			return true
		}
	}
	return false
}

// drop forgets one. The caller holds mu.
func (a *Artifacts) drop(e *list.Element) {
	it := a.order.Remove(e).(*artifact)
	a.used -= int64(len(it.data))
	delete(a.byPath, it.path)
}

// KeepArtifact keeps what a job made and returns where it can be fetched. job
// should be the request's id; another is taken where that does not fit into a
// The error is ArtifactsFull.
func (o *Orchestrator) KeepArtifact(job, ext string, data []byte) (url string, err error) {
	p, err := o.artifacts.Put(o.opt.Rand, job, ext, data)
	if err != nil {
		return "", err
	}
	return o.opt.ServiceURI + StreamPath + p.String(), nil
}

// Artifact finds what a job made.
func (o *Orchestrator) Artifact(p ArtifactPath) ([]byte, error) {
	data, ok := o.artifacts.Get(p)
	if !ok {
		return nil, fault.New(fault.ResultNotFound, "find artifact", "")
	}
	return data, nil
}

// NewRequestID names a request that came without a name that can be used.
func (o *Orchestrator) NewRequestID() (string, error) {
	var id [artifactIDBytes]byte
	if _, err := io.ReadFull(o.opt.Rand, id[:]); err != nil {
		return "", fault.Wrap(fault.Unexpected, "name request", err)
	}
	return hex.EncodeToString(id[:]), nil
}

// UsableRequestID reports whether a request's name from outside may stand in
// logs and URLs.
func UsableRequestID(id string) bool { return plainDir(id) }
