package docker_test

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
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
)

// registry keeps one image, own/ai-runner:1, and fails as the tag says. Engines
// take one on this machine without TLS.
type registry struct {
	host      string
	manifest  []byte
	blobs     map[string][]byte
	manifests atomic.Int32
}

const (
	manifestType = "application/vnd.docker.distribution.manifest.v2+json"
	configType   = "application/vnd.docker.container.image.v1+json"
	layerType    = "application/vnd.docker.image.rootfs.diff.tar.gzip"
)

func startRegistry(t *testing.T) *registry {
	t.Helper()
	r := &registry{blobs: make(map[string][]byte)}
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
		"schemaVersion": 2, "mediaType": manifestType, "config": part(configType, config), "layers": []any{part(layerType, packed)},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(r)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	r.host = strings.TrimPrefix(s.URL, "http://")
	return r
}

// layerOf is a file that does not compress, so that fetching it has progress.
func layerOf(t *testing.T) (plain, packed []byte) {
	t.Helper()
	var out, zipped bytes.Buffer
	noise := make([]byte, 4<<20)
	rand.NewChaCha8([32]byte{1}).Read(noise)
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

func (r *registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	name := path.Base(q.URL.Path)
	switch {
	case q.URL.Path == "/v2/":
	case strings.Contains(q.URL.Path, "/manifests/"):
		r.serveManifest(w, q, name)
	case strings.Contains(q.URL.Path, "/blobs/") && r.blobs[name] != nil:
		_, _ = w.Write(r.blobs[name])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (r *registry) serveManifest(w http.ResponseWriter, q *http.Request, name string) {
	refuse := func(status int, code, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"errors":[{"code":%q,"message":%q}]}`, code, text)
	}
	switch name {
	case "1", digest(r.manifest):
		if q.Method == http.MethodGet {
			r.manifests.Add(1)
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

func TestPull(t *testing.T) {
	t.Parallel()
	b := open(t)
	r := startRegistry(t)
	image := r.host + "/own/ai-runner:1"
	var callers sync.WaitGroup
	var told atomic.Int32
	for range 8 {
		callers.Go(func() {
			err := b.EnsureImage(t.Context(), image, func(p docker.Progress) {
				if p.Image == image && p.String() != "" {
					told.Add(1)
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if told.Load() == 0 {
		t.Error("no progress was told")
	}
	if present, err := b.ImagePresent(t.Context(), image); err != nil || !present {
		t.Error(present, err)
	}
	before := r.manifests.Load()
	if err := b.EnsureImage(t.Context(), image, nil); err != nil || r.manifests.Load() != before {
		t.Errorf("an image that is there was fetched again: %v", err)
	}
	if _, err := b.real.API.ImageRemove(t.Context(), image, client.ImageRemoveOptions{}); err != nil {
		t.Error(err)
	}
}

func TestRefusedPulls(t *testing.T) {
	t.Parallel()
	b := open(t)
	r := startRegistry(t)
	for name, want := range map[string]fault.Code{
		"own/ai-runner:nosuch":  fault.ImageUnknown,
		"own/ai-runner:private": fault.ImageDenied,
		"own/ai-runner:limited": fault.ImagePullFailed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantCode(t, b.EnsureImage(t.Context(), r.host+"/"+name, nil), want, r.host+"/"+name)
		})
	}
}
