package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Registry keeps one image, own/ai-runner:1 and by its digest, and fails as other tags
// say: private, limited, and any other is unknown. Engines take a registry on this
// machine without TLS.
type Registry struct {
	// Host is its address, the beginning of the image's name.
	Host string
	// Digest is the image's.
	Digest string
	// Manifests counts how often the image was asked for.
	Manifests atomic.Int32

	manifest []byte
	blobs    map[string][]byte
	denied   atomic.Bool
	mu       sync.Mutex    // covers the fields below
	held     chan struct{} // layers wait until it is closed, nil for no wait
}

const (
	manifestType = "application/vnd.docker.distribution.manifest.v2+json"
	configType   = "application/vnd.docker.container.image.v1+json"
	layerType    = "application/vnd.docker.image.rootfs.diff.tar.gzip"
)

// StartRegistry starts a registry that ends with the test. Its image is one of its own.
func StartRegistry(t testing.TB) *Registry {
	t.Helper()
	r := &Registry{blobs: make(map[string][]byte)}
	plain, packed := layerOf(t)
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux", "config": map[string]any{"Entrypoint": []string{"/file"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digest(plain)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.blobs[digest(config)], r.blobs[digest(packed)] = config, packed
	part := func(kind string, b []byte) map[string]any {
		return map[string]any{"mediaType": kind, "size": len(b), "digest": digest(b)}
	}
	r.manifest, err = json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": manifestType, "config": part(configType, config),
		"layers": []any{part(layerType, packed)},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(r)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	r.Host, r.Digest = strings.TrimPrefix(s.URL, "http://"), digest(r.manifest)
	return r
}

// layerOf is a file that does not compress, so that fetching it has progress.
func layerOf(t testing.TB) (plain, packed []byte) {
	t.Helper()
	var out, zipped bytes.Buffer
	noise := make([]byte, 4<<20)
	seed := [32]byte{1}
	// Engines fetch no layer that they have from another test.
	copy(seed[1:], t.Name())
	rand.NewChaCha8(seed).Read(noise)
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(&tar.Header{Name: "file", Mode: 0o755, Size: int64(len(noise))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(noise); err != nil {
		t.Fatal(err)
	}
	w.Close()
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(out.Bytes()); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return out.Bytes(), zipped.Bytes()
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (r *Registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	name := path.Base(q.URL.Path)
	switch {
	case q.URL.Path == "/v2/":
	case strings.Contains(q.URL.Path, "/manifests/"):
		r.serveManifest(w, q, name)
	case strings.Contains(q.URL.Path, "/blobs/") && r.blobs[name] != nil:
		r.serveBlob(w, q, r.blobs[name])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// Deny has it refuse its image too, until it is told otherwise.
func (r *Registry) Deny(deny bool) { r.denied.Store(deny) }

// Hold keeps layers back in their middle until release.
func (r *Registry) Hold() (release func()) {
	held := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = held
	return sync.OnceFunc(func() { close(held) })
}

func (r *Registry) serveBlob(w http.ResponseWriter, q *http.Request, blob []byte) {
	r.mu.Lock()
	held := r.held
	r.mu.Unlock()
	if held == nil || len(blob) < 1<<20 {
		_, _ = w.Write(blob)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(blob)))
	_, _ = w.Write(blob[:len(blob)/2])
	_ = http.NewResponseController(w).Flush()
	select {
	case <-held:
		_, _ = w.Write(blob[len(blob)/2:])
	case <-q.Context().Done():
	}
}

func (r *Registry) serveManifest(w http.ResponseWriter, q *http.Request, name string) {
	refuse := func(status int, code, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"errors":[{"code":%q,"message":%q}]}`, code, text)
	}
	if r.denied.Load() {
		name = "private"
	}
	switch name {
	case "1", digest(r.manifest):
		if q.Method == http.MethodGet {
			r.Manifests.Add(1)
		}
		w.Header().Set("Content-Type", manifestType)
		w.Header().Set("Docker-Content-Digest", digest(r.manifest))
		_, _ = w.Write(r.manifest)
	case "private":
		refuse(http.StatusForbidden, "DENIED", "requested access to the resource is denied")
	case "limited":
		refuse(http.StatusTooManyRequests, "TOOMANYREQUESTS", "You have reached your pull rate limit")
	default:
		refuse(http.StatusNotFound, "MANIFEST_UNKNOWN", "manifest unknown")
	}
}
