package kubernetes

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// variable is one of a container's environment: a text, or a field of its pod.
type variable struct {
	Name, Value string
	ValueFrom   struct{ FieldRef struct{ FieldPath string } }
}

// command writes the container's files into the directories of its volumes and returns its
// options, which name paths and addresses of this machine. replaced are further texts of
// both, in pairs.
func (c container) command(t *testing.T, files map[string]string, volume func(name string) string, addr string,
	replaced ...string,
) (args []string) {
	t.Helper()
	// Of two paths that begin alike the replacer takes the first.
	mounts := slices.Clone(c.VolumeMounts)
	slices.SortFunc(mounts, func(a, b struct{ Name, MountPath string }) int {
		return cmp.Compare(len(b.MountPath), len(a.MountPath))
	})
	for _, m := range mounts {
		dir := volume(m.Name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		replaced = append(replaced, m.MountPath, dir)
	}
	words := strings.NewReplacer(append(replaced, "0.0.0.0:", addr+":")...)
	for path, text := range files {
		if err := os.WriteFile(words.Replace(path), []byte(words.Replace(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range c.Args {
		if a = words.Replace(a); a != "" {
			args = append(args, a)
		}
	}
	return args
}

// probe is where the readiness probe asks a container of an address, "" where there is none.
func (c container) probe(addr string) string {
	for _, p := range c.Ports {
		if p.Name == c.ReadinessProbe.HTTPGet.Port {
			return fmt.Sprintf("http://%s:%d%s", addr, p.ContainerPort, c.ReadinessProbe.HTTPGet.Path)
		}
	}
	return ""
}

// isNode reports whether the container is tutti, and not a program next to it.
func (c container) isNode() bool { return strings.HasPrefix(c.Image, "tutti:") }

// answers reports whether a probe passes.
func answers(url string) bool {
	resp, err := (&http.Client{Timeout: 2 * time.Second}).Get(url)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// join passes on what two connections send until both have ended.
func join(a, b net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(b, a); b.Close() })
	both.Go(func() { _, _ = io.Copy(a, b); a.Close() })
	both.Wait()
}
