package packages

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A first build takes FFmpeg as a release has it: from a path that the user names, or
// from an address when the tree has its hash. Whatever differs is refused by name.
func TestPrebuiltLibav(t *testing.T) {
	archive := libavArchive(t)
	data, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(archive))))
	defer served.Close()
	address := served.URL + "/" + filepath.Base(archive)
	right, wrong := fmt.Sprintf("%x", sha256.Sum256(data)), strings.Repeat("0", 64)
	other := filepath.Join(t.TempDir(), "tutti-libav-0123456789abcdef.tar.gz")
	cut := filepath.Join(t.TempDir(), filepath.Base(archive))
	for path, bytes := range map[string][]byte{other: data, cut: data[:len(data)/2]} {
		if err := os.WriteFile(path, bytes, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, pin, from, says string }{
		{"a folder", "", filepath.Dir(archive), ""},
		{"a file", "", archive, ""},
		{"a pinned address", right + " " + address, "", ""},
		{"another address, pinned", right + " https://releases.example.org/" + filepath.Base(archive), served.URL, ""},
		{"nothing offered", "", "", "no release offers"},
		{"never", right + " " + address, "never", "no release offers"},
		{"an address without a pin", "", served.URL, "is not pinned"},
		{"not what is pinned", wrong + " " + address, "", "is not the file that"},
		{"a file that is not what is pinned", wrong + " " + address, archive, "is not the file that"},
		{"another recipe's", "", other, "this tree needs"},
		{"a folder without it", "", filepath.Dir(other), "has no tutti-libav-"},
		{"half a file", "", cut, "unpacking"},
		{"an address that is gone", right + " " + served.URL + "/gone/" + filepath.Base(archive), "", "cannot be had"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := prebuilt(t, c.pin, c.from)
			if c.says != "" {
				if err == nil || !strings.Contains(out, c.says) {
					t.Fatalf("%v: %s\nwant %q", err, out, c.says)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			prefix := strings.TrimSpace(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
			if said := says(t, filepath.Join(prefix, "bin/ffmpeg"), "-version"); !strings.Contains(said, "ffmpeg version 7.1") {
				t.Fatalf("the prefix has another ffmpeg: %s", said)
			}
		})
	}
}

// libavArchive is the archive that `make packages` wrote.
func libavArchive(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(made, "tutti-libav-*.tar.gz"))
	if err != nil || len(found) != 1 {
		t.Fatalf("archives of libav: %v, %v", found, err)
	}
	sums, err := os.ReadFile(filepath.Join(made, "SHA256SUMS-"+architecture()))
	if err != nil || !strings.Contains(string(sums), filepath.Base(found[0])) {
		t.Fatalf("the checksums do not name %s: %v", found[0], err)
	}
	return found[0]
}

// prebuilt asks a copy of deploy/deps with that pin for the prefix, with an empty cache.
func prebuilt(t *testing.T, pin, from string) (string, error) {
	t.Helper()
	tree, cache := t.TempDir(), t.TempDir()
	if err := os.CopyFS(filepath.Join(tree, "deploy/deps"), os.DirFS(filepath.Join(root, "deploy/deps"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "deploy/deps/prebuilt"), []byte("# a comment\n"+pin+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", filepath.Join(tree, "deploy/deps/deps.sh"), "prebuilt")
	cmd.Env = append(os.Environ(), "TUTTI_CACHE="+cache, "TUTTI_DEPS=", "TUTTI_PREBUILT="+from)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
