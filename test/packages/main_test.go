package packages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/engine"
)

const (
	root    = "../.."
	version = "1.2.3+test"
	// epoch is the time that every packed file has to have.
	epoch = "1700000000"
)

// made is where the packages are and the programs in them; TestMain makes them once.
var made, programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "packages-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	made, programs = filepath.Join(dir, "made"), filepath.Join(dir, "programs")
	for _, c := range []*exec.Cmd{
		exec.Command("go", "build", "-trimpath", "-ldflags",
			"-s -w -buildid= -X main.version="+version+
				" -X github.com/tuttinode/tutti/cmd/tutti/internal/process.Version="+version,
			"-o", programs+"/",
			"./cmd/tutti", "./cmd/tutti_cli", "./cmd/tutti_bench", "./cmd/tutti_devnet"),
		exec.Command("deploy/nfpm/build.sh", version, architecture(), made),
	} {
		c.Dir = root
		c.Env = append(os.Environ(), "PROGRAMS="+programs, "SOURCE_DATE_EPOCH="+epoch)
		if said, err := c.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %v\n%s", c.Args, err, said)
			return 1
		}
	}
	return engine.Main(m)
}

func architecture() string {
	out, err := exec.Command("go", "env", "GOARCH").Output()
	if err != nil {
		return "amd64"
	}
	return strings.TrimSpace(string(out))
}

// pack is the path of one of the packages.
func pack(t *testing.T, suffix string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(made, "tutti-"+version+"-linux-"+architecture()+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// packTools is the path of one of the packages with the tools.
func packTools(t *testing.T, suffix string) string {
	t.Helper()
	path := pack(t, suffix)
	return filepath.Join(filepath.Dir(path), strings.Replace(filepath.Base(path), "tutti-", "tutti-tools-", 1))
}

// runTool runs one of the distribution's tools out of the cache and returns what it says.
func runTool(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	tree, err := exec.Command(root+"/deploy/deps/deps.sh", "judges").Output()
	if err != nil {
		t.Fatalf("get the tools that look at packages: %v", err)
	}
	dir := strings.TrimSpace(string(tree))
	libraries, err := filepath.Glob(dir + "/usr/lib/*-linux-gnu*")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		libraries = append(libraries, l+"/systemd")
	}
	cmd := exec.Command(dir+"/usr/bin/"+name, args...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+strings.Join(libraries, ":"), "RPM_CONFIGDIR="+dir+"/usr/lib/rpm",
		"LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// says runs a program and fails the test when that fails.
func says(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
