package fakegpu

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

//go:embed driver
var sources embed.FS

// A library is made of the source files whose names begin so, and more libraries.
type library struct {
	name    string
	sources []string
	hidden  bool
	links   []string
}

var core = []string{"-L.", "-ltuttifakegpu"}

var libraries = []library{
	{name: "libtuttifakegpu.so", sources: []string{"state", "script", "device", "fault", "context", "memory"}},
	{name: "libcuda.so.1", sources: []string{"cuda_", "scale"}, hidden: true, links: core},
	{name: "libnvcuvid.so.1", sources: []string{"cuvid"}, hidden: true,
		links: append(core[:2:2], "-lavcodec", "-lswresample", "-lavutil", "-ldav1d", "-lmp3lame", "-lx264", "-lz", "-lm",
			"-latomic")},
	{name: "libnvidia-encode.so.1", sources: []string{"nvenc"}, hidden: true, links: append(core[:2:2], "-lx264")},
	{name: "libnvidia-ml.so.1", sources: []string{"nvml"}, hidden: true, links: core},
}

// EnvLibraries names a directory with the libraries ready made, for machines without a
// compiler.
const EnvLibraries = "TUTTI_FAKEGPU"

// Copy puts the libraries into a directory, for use through EnvLibraries. They are the
// caller's to change.
func Copy(t testing.TB, directory string) {
	t.Helper()
	from := compiled(t)
	for _, l := range libraries {
		if err := duplicate(filepath.Join(from, l.name), filepath.Join(directory, l.name)); err != nil {
			t.Fatal(err)
		}
	}
}

// compiled is the directory of the libraries, built on first use and kept in the
// user's cache under the digest of what they are made of.
func compiled(t testing.TB) string {
	t.Helper()
	if ready := os.Getenv(EnvLibraries); ready != "" {
		return ready
	}
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("NO GPU PATH IS TESTED: the fake NVIDIA driver needs gcc, which is not installed")
	}
	prefix := os.Getenv("TUTTI_DEPS")
	if prefix == "" {
		t.Fatal("the fake NVIDIA driver is built with the libav of TUTTI_DEPS: run through make, or eval \"$(make -s env)\"")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	parent := filepath.Join(cache, "tutti", "fakegpu")
	target := filepath.Join(parent, digest(t, prefix))
	if _, err := os.Stat(target); err == nil {
		return target
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	work, err := os.MkdirTemp(parent, ".build-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	for _, l := range libraries {
		if err := l.compile(compiler, prefix, work); err != nil {
			t.Fatalf("compile %s: %v", l.name, err)
		}
	}
	if err := os.Rename(work, target); err != nil {
		// Another test was faster: its libraries are as good.
		if _, missing := os.Stat(target); missing != nil {
			t.Fatal(err)
		}
	}
	prune(parent, target)
	return target
}

// prune takes away the libraries of sources that have not been built for a day.
func prune(parent, target string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(parent, e.Name())
		if info, err := e.Info(); err == nil && path != target && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(path)
		}
	}
}

// -Bsymbolic and the hidden archives keep the libav within apart from the program's
// own. Nothing is unloaded: state and locks last as long as the process.
var flags = []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O3", "-g", "-fPIC", "-shared", "-pthread",
	"-Wl,-z,nodelete", "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", "-Wl,-rpath,$ORIGIN"}

func digest(t testing.TB, prefix string) string {
	h := sha256.New()
	fmt.Fprintln(h, prefix, flags, libraries)
	err := fs.WalkDir(sources, "driver", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func (l library) compile(compiler, prefix, directory string) error {
	args := append(flags[:len(flags):len(flags)], "-I"+filepath.Join(prefix, "include"), "-Wl,-soname,"+l.name, "-o",
		l.name)
	if l.hidden {
		args = append(args, "-fvisibility=hidden")
	}
	entries, err := sources.ReadDir("driver")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := sources.ReadFile("driver/" + e.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(directory, e.Name()), text, 0o644); err != nil {
			return err
		}
		if strings.HasSuffix(e.Name(), ".c") && l.has(e.Name()) {
			args = append(args, e.Name())
		}
	}
	args = append(append(args, "-L"+filepath.Join(prefix, "lib")), l.links...)
	command := exec.Command(compiler, append(args, "-lm", "-ldl")...)
	command.Dir = directory
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

func (l library) has(file string) bool {
	for _, s := range l.sources {
		if strings.HasPrefix(file, s) {
			return true
		}
	}
	return false
}
