package orchestrate

import (
	"encoding/hex"
	"io"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// artifactLife is how long a job's output stays for download.
	artifactLife = 10 * time.Minute
	// artifactIDBytes is the random part of an artifact's name, written as hex. It keeps other clients from
	// fetching it: the rest of the path may be a gateway's choice.
	artifactIDBytes = sessionIDBytes
)

// artifactTypes are the media types that may be kept, by extension. Read-only.
var artifactTypes = map[string]string{
	"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp", "gif": "image/gif",
	"mp4": "video/mp4", "wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac",
}

// ArtifactExt returns the extension for a media type, "" for one that is not kept.
func ArtifactExt(mime string) string {
	for ext, m := range artifactTypes {
		if m == mime {
			return ext
		}
	}
	return ""
}

// ArtifactPath names a job's output: <job>/<24 hex digits>.<ext>. It needs no escaping in a
// URL.
type ArtifactPath struct {
	Job, ID, Ext string
}

// String returns the path in a URL.
func (p ArtifactPath) String() string { return p.Job + "/" + p.ID + "." + p.Ext }

// MIME returns the media type.
func (p ArtifactPath) MIME() string { return artifactTypes[p.Ext] }

// ParseArtifactPath accepts exactly what String returns.
func ParseArtifactPath(text string) (ArtifactPath, bool) {
	job, file, ok := strings.Cut(text, "/")
	id, ext, dot := strings.Cut(file, ".")
	p := ArtifactPath{Job: job, ID: id, Ext: ext}
	return p, ok && dot && isPlainDir(job) && validSessionID(id) && p.MIME() != ""
}

// Artifacts keeps AI jobs' outputs in memory for ten minutes, limited in bytes; the oldest
// is evicted first. It is safe for concurrent use.
type Artifacts struct {
	*resultCache[ArtifactPath, []byte]
}

// NewArtifacts makes a store of at most maxBytes.
func NewArtifacts(maxBytes int64, now func() time.Time) *Artifacts {
	return &Artifacts{newResultCache[ArtifactPath](maxBytes, now, func(data []byte) int64 { return int64(len(data)) })}
}

// Put stores data, which must not be changed afterwards, under a new name. The error is
// ArtifactsFull.
func (a *Artifacts) Put(random io.Reader, job, ext string, data []byte) (ArtifactPath, error) {
	const op = "keep artifact"
	if artifactTypes[ext] == "" || !isPlainDir(job) {
		return ArtifactPath{}, fault.New(fault.ArtifactsFull, op, "")
	}
	var id [artifactIDBytes]byte
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return ArtifactPath{}, fault.Wrap(fault.Unexpected, op, err)
	}
	p := ArtifactPath{Job: job, ID: hex.EncodeToString(id[:]), Ext: ext}
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.evictLocked("", int64(len(data)), now) {
		return ArtifactPath{}, fault.New(fault.ArtifactsFull, op, "")
	}
	a.putLocked("", p, data, now)
	return p, nil
}

// Get finds an artifact. The bytes are shared and must not be changed.
func (a *Artifacts) Get(p ArtifactPath) ([]byte, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.byKey[p]
	if !ok {
		return nil, false
	}
	a.markFetchedLocked(e)
	return a.entry(e).value, true
}

// Sweep drops expired artifacts.
func (a *Artifacts) Sweep(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropMatchingLocked(func(_ ArtifactPath, at time.Time) bool { return now.Sub(at) >= artifactLife })
}

// KeepArtifact stores a job's output and returns its URL. job is the request's id, one that
// UsableRequestID accepts. The error is ArtifactsFull.
func (o *Orchestrator) KeepArtifact(job, ext string, data []byte) (url string, err error) {
	p, err := o.artifacts.Put(o.opt.Rand, job, ext, data)
	if err != nil {
		return "", err
	}
	return o.ServiceURI() + StreamPath + p.String(), nil
}

// Artifact finds a job's output.
func (o *Orchestrator) Artifact(p ArtifactPath) ([]byte, error) {
	data, ok := o.artifacts.Get(p)
	if !ok {
		return nil, fault.New(fault.ResultNotFound, "find artifact", "")
	}
	return data, nil
}

// NewRequestID makes an id for a request without a usable one.
func (o *Orchestrator) NewRequestID() (string, error) {
	var id [artifactIDBytes]byte
	if _, err := io.ReadFull(o.opt.Rand, id[:]); err != nil {
		return "", fault.Wrap(fault.Unexpected, "name request", err)
	}
	return hex.EncodeToString(id[:]), nil
}

// UsableRequestID reports whether a peer's request id is safe in logs and URLs.
func UsableRequestID(id string) bool { return isPlainDir(id) }

// ArtifactBytes returns the memory limit of the AI outputs kept for download.
func (o *Orchestrator) ArtifactBytes() int64 { return o.artifacts.limit() }
