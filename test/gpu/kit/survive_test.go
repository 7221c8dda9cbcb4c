package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// orphansArg makes the test program one that ends what another has left behind.
const orphansArg = "end-orphans"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == orphansArg {
		leaves := exec.Command("sh", "-c", "setsid sh -c 'sleep 100 & sleep 100' & sleep 0.1")
		if err := errors.Join(adopt(), leaves.Run()); err != nil {
			fmt.Println(err)
		}
		left := len(children(os.Getpid()))
		names := endChildren(time.Now().Add(10 * time.Second))
		fmt.Println(left, "left,", names, len(children(os.Getpid())))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestNothingIsLeft: what a program leaves behind in a session of its own is ended.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	text, err := exec.Command("/proc/self/exe", orphansArg).CombinedOutput()
	if got := strings.TrimSpace(string(text)); err != nil || got != "1 left,  0" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestACrashCostsOneTest: the tests that a crashed program had not begun are run in
// another process.
func TestACrashCostsOneTest(t *testing.T) {
	t.Parallel()
	kit := home(t, map[string]string{"test/gpu/node": `
echo "$*" >>"$TUTTI_GPUKIT_OUT/args"
check() { echo '{"test":"T","what":"'$1'","seen":"well","result":"passed"}' >>"$TUTTI_GPUKIT_CHECKS"; }
case "$*" in
*TestCardB*) echo '=== RUN   TestCardC'; check c; echo '--- PASS: TestCardC (0.00s)' ;;
*) echo '=== RUN   TestCardA'; check a; echo '--- FAIL: TestCardA (0.00s)'
	echo '=== RUN   TestCardB'; echo '=== RUN   TestCardB/part'; kill -SEGV $$ ;;
esac`})
	out := t.TempDir()
	r, status, _ := kitRun(t, 5*time.Minute, "-home", kit, "-o", out, "-fake", "node")
	p := r.Parts[0]
	failed := []string{"TestCardA"}
	if status != exitFailed || p.Passed() || len(p.Checks) != 2 || !slices.Equal(p.Programs[0].Failed, failed) {
		t.Errorf("status %d, %+v", status, p)
	}
	if end := p.Programs[0].End; !strings.Contains(end, "segmentation") || !strings.HasSuffix(end, " in TestCardB") {
		t.Errorf("%q", end)
	}
	args, err := os.ReadFile(filepath.Join(out, "args"))
	const again = "-test.skip ^TestCardLoad$|^TestCardA$|^TestCardB$\n"
	if err != nil || !strings.HasSuffix(string(args), again) || strings.Count(string(args), "\n") != 2 {
		t.Errorf("%v\n%s", err, args)
	}
}

// TestAFullDisk: a program goes on when its output cannot be written.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	b := bench{log: full}
	const much = "head -c 1000000 /dev/zero; echo; echo '--- FAIL: TestCardX (0s)'; exit 1"
	o := b.follow(t.Context(), exec.Command("sh", "-c", much))
	if o.end != "" || !slices.Equal(o.failed, []string{"TestCardX"}) {
		t.Errorf("%+v", o)
	}
}

// TestEarlierReports: the report of another GPU is kept, and two runs do not share a
// folder.
func TestEarlierReports(t *testing.T) {
	t.Parallel()
	kit, out := home(t, nil), t.TempDir()
	kitRun(t, time.Minute, "-home", kit, "-o", out, "-fake", "walls")
	r, _, _ := kitRun(t, time.Minute, "-home", kit, "-o", out, "-fake-without-encoder", "load")
	if len(r.Parts) != 1 {
		t.Errorf("%+v", r.Parts)
	}
	r, err := Read(filepath.Join(out, "earlier-1"))
	if err != nil || len(r.Parts) != 1 || r.Parts[0].Name != "walls" {
		t.Errorf("%v, %+v", err, r)
	}
	lock, err := openLog(out)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	var errs strings.Builder
	status := run(t.Context(), []string{"-home", kit, "-o", out, "-fake"}, false, &errs, &errs)
	if status != exitFailed || !strings.Contains(errs.String(), "another run") {
		t.Errorf("status %d: %s", status, errs.String())
	}
}

// TestTwoMachines: one model of GPU on two machines makes one report.
func TestTwoMachines(t *testing.T) {
	t.Parallel()
	a, b, all := t.TempDir(), t.TempDir(), t.TempDir()
	r := Report{Kit: "1", Driver: "580.1", Card: Card{Name: "NVIDIA H100", UUID: "GPU-1"},
		Parts: []Part{{Name: "walls"}}}
	if err := r.Write(a); err != nil {
		t.Fatal(err)
	}
	r.Kit, r.Card.UUID, r.Parts = "2", "GPU-2", []Part{{Name: "node"}}
	if err := r.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := merge(all, []string{a, b}); err != nil {
		t.Fatal(err)
	}
	got, err := Read(all)
	if err != nil || got.Kit != "1, 2" || got.Card.UUID != "" || len(got.Parts) != 2 {
		t.Errorf("%v, %+v", err, got)
	}
}

// TestTimeForAll: parts for which there is no time are left out, and that is no success.
func TestTimeForAll(t *testing.T) {
	t.Parallel()
	kit := home(t, map[string]string{"transcoder/worker": `sleep 2
echo '{"what":"all","seen":"well","result":"passed"}' >>"$TUTTI_GPUKIT_CHECKS"`})
	args := []string{"-home", kit, "-o", t.TempDir(), "-fake", "-time", "71s", "walls", "load"}
	r, status, said := kitRun(t, time.Hour, args...)
	left := strings.Contains(said, "load       left out")
	if status != exitFailed || len(r.Parts) != 1 || r.Parts[0].Limit > 61 || !left {
		t.Errorf("status %d, %+v\n%s", status, r.Parts, said)
	}
}

// TestAPathWithSpaces: the loader would take no library from there.
func TestAPathWithSpaces(t *testing.T) {
	t.Parallel()
	var errs strings.Builder
	status := run(t.Context(), []string{"-home", "/a b", "-o", t.TempDir(), "-fake"}, false, &errs, &errs)
	if status != exitFailed || !strings.Contains(errs.String(), "unpack") {
		t.Errorf("status %d: %s", status, errs.String())
	}
}
