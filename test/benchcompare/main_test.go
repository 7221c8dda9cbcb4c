package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bench is a bench whose figures waver by 10 % from run to run, both sides alike, and whose second figure costs what
// is filled in. The number of a run is in a file next to the program, so that no clock is in the test.
const bench = `package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	file := flag.String("json", "", "")
	flag.Parse()
	count := filepath.Join(filepath.Dir(os.Args[0]), "runs of "+filepath.Base(os.Args[0]))
	ran, _ := os.ReadFile(count)
	_ = os.WriteFile(count, append(ran, '.'), 0o600)
	noise := 1 + float64(len(ran)%%5)/50
	work := 0.0
	for range %d {
		work++
	}
	out, _ := os.Create(*file)
	defer out.Close()
	for name, value := range map[string]float64{"steady": 50 * noise, "hot": work * noise} {
		fmt.Fprintf(out, "{\"name\":%%q,\"unit\":\"ms\",\"value\":%%g,\"better\":\"lower\"}\n", name, value)
	}
	%s
}
`

// repository has a commit whose bench does 100 rounds, and a changed tree.
func repository(t *testing.T, rounds int, end string) string {
	t.Helper()
	// The Git that runs this test as a hook must not lead the one below to its own repository.
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("GOFLAGS", "-buildvcs=false")
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module fake\n\ngo 1.24\n")
	write("Makefile", "build:\n\t@mkdir -p bin\n")
	write("test/benchfake/main.go", fmt.Sprintf(bench, 100, ""))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "base"}} {
		if err := command(t.Context(), dir, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	write("test/benchfake/main.go", fmt.Sprintf(bench, rounds, end))
	return dir
}

func TestWhole(t *testing.T) {
	for _, c := range []struct {
		name   string
		rounds int
		end    string
		args   []string
		want   int
		says   string
	}{
		{"same", 100, "", nil, 0, "same"},
		{"worse", 120, "", nil, regressed, "WORSE"},
		{"better", 80, "", nil, 0, "better"},
		{"breaks", 100, "os.Exit(3)", nil, failed, "pair 1, current"},
		{"too few pairs", 120, "", []string{"-pairs", "3"}, failed, "fewer show nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := repository(t, c.rounds, c.end)
			var out bytes.Buffer
			args := append([]string{"-tree", dir, "-base", "HEAD", "-part", "benchfake", "-pairs", "6"}, c.args...)
			if got := run(args, &out, &out); got != c.want {
				t.Errorf("exit %d, want %d", got, c.want)
			}
			if !strings.Contains(out.String(), c.says) {
				t.Errorf("nothing of %q", c.says)
			}
			for line := range strings.Lines(out.String()) {
				if strings.Contains(line, "steady ms") && !strings.Contains(line, " same") {
					t.Errorf("what did not change moved: %s", line)
				}
			}
			if trees, _ := filepath.Glob(filepath.Join(dir, ".git/worktrees/*")); len(trees) > 0 {
				t.Errorf("worktrees are left: %v", trees)
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}

func TestUnknownCommit(t *testing.T) {
	var out bytes.Buffer
	dir := repository(t, 100, "")
	if got := run([]string{"-tree", dir, "-base", "nothing", "-part", "benchfake"}, &out, &out); got != failed {
		t.Errorf("exit %d: %s", got, &out)
	}
}
